// Package stats counts the messages of a record and measures response times.
package stats

import (
	"io"
	"math"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// Slowest is the length of the list of the slowest requests.
const Slowest = 10

// Stats has the figures of a record. Milliseconds have fractions. Lists are never nil.
type Stats struct {
	Messages   []Count        `json:"messages"`   // from the peers, the most frequent first
	Latencies  []Latency      `json:"latencies"`  // by method, of requests whose senders got a response
	Slowest    []Call         `json:"slowest"`    // at most Slowest, the slowest first
	Unanswered []Call         `json:"unanswered"` // in the order of the record
	Prompts    []Prompt       `json:"prompts"`    // in the order of the record
	Usage      []Usage        `json:"usage"`      // of the sessions of the prompts
	Changes    []Change       `json:"changes"`    // what acpshim changed
	Hits       []Hit          `json:"hits"`       // the rules and adapters that changed it
	Gaps       []Gap          `json:"gaps"`       // in the order of the record
	Lost       record.Missing `json:"lost"`       // is not in the figures
}

// A Count counts the messages of one peer, kind and name.
type Count struct {
	From     wire.Side    `json:"from"`
	Kind     history.Kind `json:"kind"`
	Name     string       `json:"name"` // the method, or the update of a session/update
	Messages int          `json:"messages"`
	Bytes    int64        `json:"bytes"`
	Share    float64      `json:"share"` // of the bytes of all messages that are counted, 0 to 1
}

// A Latency has the response times of a method. Percentiles are by nearest rank, so each is a time
// that was measured.
type Latency struct {
	From     wire.Side `json:"from"` // the sender of the requests; see history.Message.Sender
	Method   string    `json:"method"`
	Requests int       `json:"requests"`
	Failed   int       `json:"failed"`
	P50      float64   `json:"p50_ms"`
	P95      float64   `json:"p95_ms"`
	P99      float64   `json:"p99_ms"`
	Max      float64   `json:"max_ms"`
}

// A Call is a request.
type Call struct {
	Seq     uint64    `json:"seq"`
	From    wire.Side `json:"from"` // see history.Message.Sender
	Method  string    `json:"method"`
	Session int       `json:"session,omitempty"` // see history.Message.SessionNumber
	At      float64   `json:"at_ms"`             // since the run began
	Took    *float64  `json:"took_ms,omitempty"` // nil if there is no response
}

// A Prompt is a turn: from the client's session/prompt to the agent's first piece of text or
// thought, and to the response. First and End are nil if the agent did not send that.
type Prompt struct {
	Seq     uint64   `json:"seq"`
	Session int      `json:"session"`
	At      float64  `json:"at_ms"`
	First   *float64 `json:"first_token_ms"`
	End     *float64 `json:"end_ms"`
	Failed  bool     `json:"failed"`
	Waits   Waits    `json:"waits"`  // up to the response, or to the end of the record
	Tokens  *Tokens  `json:"tokens"` // nil if the agent does not report them
	Cost    *Cost    `json:"cost"`   // nil if it is not known what this turn added to the cost of the session
}

// A Change counts messages before and after the same rules and adapters changed them. Before is 0
// for messages that acpshim sent itself, After for messages that were dropped.
type Change struct {
	From        wire.Side `json:"from"`
	Name        string    `json:"name"` // before the change
	By          []string  `json:"by"`
	Before      int       `json:"before"`
	BeforeBytes int64     `json:"before_bytes"`
	After       int       `json:"after"`
	AfterBytes  int64     `json:"after_bytes"`
}

// A Hit counts the messages that a rule or adapter changed, held, or made. A batch counts as one.
type Hit struct {
	By       string `json:"by"`
	Messages int    `json:"messages"`
}

// A Gap is a place in a record where lines are missing.
type Gap struct {
	Seq    uint64  `json:"seq"`
	At     float64 `json:"at_ms"`
	Stream string  `json:"stream"`
	Lines  int     `json:"lines"`
	Bytes  int64   `json:"bytes"`
	Why    string  `json:"why"`
}

// Of counts the messages of a history.
func Of(h *history.History) Stats {
	c := newCounter()
	for m, r := range h.All() {
		c.add(m, r, true)
	}
	return c.stats(h)
}

// Read counts the messages that match q in the record that open opens, without keeping them. It
// also returns the rest of the history. A request is measured if it matches, also if its response
// does not. Gaps and Lost do not depend on q. The error is from opening or reading.
func Read(open func() (io.ReadCloser, error), q query.Query) (Stats, *history.History, error) {
	selection, err := q.Select(open)
	if err != nil {
		return Stats{}, nil, err
	}
	c := newCounter()
	h, err := history.Walk(open, func(m *history.Message, r record.Record) error {
		c.add(m, r, m != nil && selection.Next(m))
		if m != nil {
			m.JSON, m.Message.Line = nil, nil // the counter keeps requests, but does not need their texts
		}
		return nil
	})
	if err != nil {
		return Stats{}, nil, err
	}
	return c.stats(h), h, nil
}

// Gaps returns the gaps of h in the order of the record. It is never nil.
func Gaps(h *history.History) []Gap {
	gaps := []Gap{}
	for _, r := range h.Others {
		gaps = AppendGap(gaps, r)
	}
	return gaps
}

// AppendGap appends the gap that a record reports, if it does.
func AppendGap(gaps []Gap, r record.Record) []Gap {
	if g := r.Gap; g != nil {
		gaps = append(gaps, Gap{r.Seq, milliseconds(r.Mono), g.Stream, g.Count, g.Bytes, g.Why})
	}
	return gaps
}

// share sets the shares.
func share(counts []Count) {
	var all int64
	for _, c := range counts {
		all += c.Bytes
	}
	for i := range counts {
		counts[i].Share = float64(counts[i].Bytes) / float64(max(all, 1))
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// percentile returns a percentile of times by nearest rank. The times must be sorted and not empty.
func percentile(times []float64, p float64) float64 {
	return times[max(int(math.Ceil(p/100*float64(len(times))))-1, 0)]
}
