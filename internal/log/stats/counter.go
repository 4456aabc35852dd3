package stats

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A counter counts messages one after the other.
type counter struct {
	counts   Rows[Count]
	changes  Rows[Change]
	hits     Rows[Hit]
	gaps     []Gap
	requests []*history.Message                    // those that match the query
	hit      map[string]uint64                     // by rule or adapter: the last record that hits counts
	first    map[*history.Message]*history.Message // by prompt: its first token
	waiting  map[string]map[*history.Message]bool  // by session: prompts without a token
	usages   usages
	waits    waiting
}

func newCounter() *counter {
	return &counter{
		gaps: []Gap{}, hit: map[string]uint64{}, first: map[*history.Message]*history.Message{},
		waiting: map[string]map[*history.Message]bool{}, usages: newUsages(),
		waits: waiting{in: map[uint64]time.Duration{}, prompt: map[string]bool{}},
	}
}

// add counts the next entry of a record. The message is nil if the entry is not a message.
func (c *counter) add(m *history.Message, r record.Record, matches bool) {
	c.waits.last = max(c.waits.last, r.Mono)
	if m == nil {
		c.gaps = AppendGap(c.gaps, r)
		return
	}
	if matches {
		c.message(m)
	}
	c.token(m)
	c.usages.add(m)
	c.waits.add(m)
}

// stats returns the figures after the last entry.
func (c *counter) stats(h *history.History) Stats {
	s := Stats{Messages: c.counts.All(), Changes: c.changes.All(), Hits: c.hits.All(), Gaps: c.gaps, Lost: h.Missing}
	share(s.Messages)
	slices.SortStableFunc(s.Messages, func(a, b Count) int { return cmp.Compare(b.Messages, a.Messages) })
	slices.SortStableFunc(s.Changes, func(a, b Change) int { return cmp.Compare(b.Before+b.After, a.Before+a.After) })
	slices.SortStableFunc(s.Hits, func(a, b Hit) int { return cmp.Compare(b.Messages, a.Messages) })
	s.Latencies, s.Slowest, s.Unanswered = c.latencies()
	s.Prompts, s.Usage = c.turns()
	return s
}

// message counts a message that matches the query.
func (c *counter) message(m *history.Message) {
	dir, size := m.Message.Dir, size(m)
	own := !m.Message.Received() && m.Of == nil
	if m.Message.Received() {
		row := c.counts.Of(Count{From: dir, Kind: m.Kind, Name: m.Name()}, string(dir), string(m.Kind), m.Name())
		row.Messages++
		row.Bytes += size
	}
	if m.Kind == history.Request && (m.Message.Received() || m.IsOwn()) {
		c.requests = append(c.requests, m)
	}
	if m.Message.Stage != "" {
		c.change(m, size)
	}
	c.hitBy(m, own)
}

// change counts a message before or after acpshim changed it.
func (c *counter) change(m *history.Message, size int64) {
	original := cmp.Or(m.Of, m)
	dir, by := m.Message.Dir, original.Message.By
	row := c.changes.Of(Change{From: dir, Name: original.Name(), By: append([]string{}, by...)}, append([]string{string(dir), original.Name()}, by...)...)
	if m.Message.Received() {
		row.Before++
		row.BeforeBytes += size
	} else {
		row.After++
		row.AfterBytes += size
	}
}

// hitBy counts the rules and adapters that changed or made a message. A batch counts once, and so
// do a request and the response that acpshim made for it.
func (c *counter) hitBy(m *history.Message, own bool) {
	cause := m.Of
	if own && m.Kind == history.Response {
		cause = m.Request
	}
	for _, by := range m.Message.By {
		if c.hit[by] != m.Seq && (cause == nil || !slices.Contains(cause.Message.By, by)) {
			c.hits.Of(Hit{By: by}, by).Messages++
			c.hit[by] = m.Seq
		}
	}
}

// token notes the first token that the agent sent for a prompt.
func (c *counter) token(m *history.Message) {
	switch {
	case !m.Message.Received():
	case m.Kind == history.Request && m.Method == acp.SessionPrompt && m.Message.Dir == record.Client:
		if c.waiting[m.Session] == nil {
			c.waiting[m.Session] = map[*history.Message]bool{}
		}
		c.waiting[m.Session][m] = true
	case m.Kind == history.Response && m.Request != nil:
		delete(c.waiting[m.Session], m.Request)
	case m.Message.Dir == record.Agent && (m.Update == acp.AgentMessageChunk || m.Update == acp.AgentThoughtChunk):
		for prompt := range c.waiting[m.Session] {
			c.first[prompt] = m
		}
		delete(c.waiting, m.Session)
	}
}

// response returns the response that the sender of a request got; nil if it got none.
func response(request *history.Message) *history.Message {
	if request.IsOwn() {
		return request.Response
	}
	return request.Got
}

// turns returns the client's prompts, and what their sessions used.
func (c *counter) turns() ([]Prompt, []Usage) {
	turns, prompts, arrivals := []Prompt{}, []*history.Message{}, c.waits.arrivals()
	for _, r := range c.requests {
		if r.Method != acp.SessionPrompt || r.Sender() != record.Client {
			continue
		}
		p := Prompt{Seq: r.Seq, Session: r.SessionNumber, At: milliseconds(r.Mono), First: took(r, c.first[r])}
		if end := response(r); end != nil {
			p.End, p.Failed = took(r, end), end.Failed
		}
		if used := c.usages.turns[r]; used != nil {
			p.Tokens, p.Cost = used.tokens, used.cost()
		}
		p.Waits = c.waits.of(r, arrivals)
		turns, prompts = append(turns, p), append(prompts, r)
	}
	return turns, c.usages.of(turns, prompts)
}

// latencies measures the requests: by method, the slowest, and those without a response.
func (c *counter) latencies() (by []Latency, slowest, unanswered []Call) {
	var rows Rows[Latency]
	var times Rows[[]float64]
	unanswered, slowest = []Call{}, []Call{}
	for _, r := range c.requests {
		from := r.Sender()
		call := Call{Seq: r.Seq, From: from, Method: r.Method, Session: r.SessionNumber, At: milliseconds(r.Mono)}
		response := response(r)
		if call.Took = took(r, response); call.Took == nil {
			unanswered = append(unanswered, call)
			continue
		}
		slowest = append(slowest, call)
		row := rows.Of(Latency{From: from, Method: r.Method}, string(from), r.Method)
		row.Requests++
		if response.Failed {
			row.Failed++
		}
		all := times.Of(nil, string(from), r.Method)
		*all = append(*all, *call.Took)
	}
	by = rows.All()
	for i, t := range times.All() {
		slices.Sort(t)
		by[i].P50, by[i].P95, by[i].P99, by[i].Max = percentile(t, 50), percentile(t, 95), percentile(t, 99), t[len(t)-1]
	}
	slices.SortStableFunc(by, func(a, b Latency) int { return cmp.Compare(b.Requests, a.Requests) })
	slices.SortStableFunc(slowest, func(a, b Call) int { return cmp.Compare(*b.Took, *a.Took) })
	return by, slowest[:min(len(slowest), Slowest)], unanswered
}

// took returns the time from one message to another; nil if there is no other.
func took(from, to *history.Message) *float64 {
	if to == nil {
		return nil
	}
	ms := milliseconds(max(to.Mono-from.Mono, 0))
	return &ms
}

// size returns the bytes of a message. They include the end of the line, unless the message is in a
// batch.
func size(m *history.Message) int64 {
	if bytes.HasPrefix(bytes.TrimSpace(m.Message.Line), []byte("[")) {
		return int64(len(m.JSON))
	}
	return m.Message.Len
}
