// Package stats counts and measures what is in a record.
package stats

import (
	"io"
	"math"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/record"
)

// Slowest is how many requests are named as the slowest.
const Slowest = 10

// Stats are the figures of a record. Milliseconds are whole and parts of them; lists
// are never nil.
type Stats struct {
	Messages   []Count        `json:"messages"`   // what the peers sent, the most frequent first
	Latencies  []Latency      `json:"latencies"`  // of requests whose senders got a response, by method
	Slowest    []Call         `json:"slowest"`    // no more than Slowest, the slowest first
	Unanswered []Call         `json:"unanswered"` // requests, in order
	Prompts    []Prompt       `json:"prompts"`    // in order
	Changes    []Change       `json:"changes"`    // what acpshim changed
	Hits       []Hit          `json:"hits"`       // what changed it
	Gaps       []Gap          `json:"gaps"`       // in order
	Lost       record.Missing `json:"lost"`       // every figure may lack it
}

// A Count is of messages that one peer sent.
type Count struct {
	From     record.Direction `json:"from"`
	Kind     history.Kind     `json:"kind"`
	Name     string           `json:"name"` // the method, or the update of a session/update
	Messages int              `json:"messages"`
	Bytes    int64            `json:"bytes"`
	Share    float64          `json:"share"` // of the bytes of all that are counted, 0 to 1
}

// A Latency is how long responses to a method took. Percentiles are by nearest rank:
// times that were measured.
type Latency struct {
	From     record.Direction `json:"from"` // who asked; see history.Message.Sender
	Method   string           `json:"method"`
	Requests int              `json:"requests"`
	Failed   int              `json:"failed"`
	P50      float64          `json:"p50_ms"`
	P95      float64          `json:"p95_ms"`
	P99      float64          `json:"p99_ms"`
	Max      float64          `json:"max_ms"`
}

// A Call is a request.
type Call struct {
	Seq     uint64           `json:"seq"`
	From    record.Direction `json:"from"` // see history.Message.Sender
	Method  string           `json:"method"`
	Session int              `json:"session,omitempty"` // see history.Message.SessionNumber
	At      float64          `json:"at_ms"`             // since the run began
	Took    *float64         `json:"took_ms,omitempty"` // nil if there is no response
}

// A Prompt is a turn: from the client's session/prompt to the agent's first piece of
// text or thought, and to its response. Nil is what did not come.
type Prompt struct {
	Seq     uint64   `json:"seq"`
	Session int      `json:"session"`
	At      float64  `json:"at_ms"`
	First   *float64 `json:"first_token_ms"`
	End     *float64 `json:"end_ms"`
	Failed  bool     `json:"failed"`
}

// A Change is of messages as they came and as they went on. Before is 0 where
// acpshim spoke on its own, After where nothing went on.
type Change struct {
	From        record.Direction `json:"from"`
	Name        string           `json:"name"` // what they came as
	By          []string         `json:"by"`
	Before      int              `json:"before"`
	BeforeBytes int64            `json:"before_bytes"`
	After       int              `json:"after"`
	AfterBytes  int64            `json:"after_bytes"`
}

// A Hit is how many messages a rule or translation changed, held, or made. A batch
// is one.
type Hit struct {
	By       string `json:"by"`
	Messages int    `json:"messages"`
}

// A Gap is where lines are missing.
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
	c := newCounting()
	for m, r := range h.All() {
		c.add(m, r, true)
	}
	return c.stats(h)
}

// Read counts the messages of the record that open opens that a query means, and returns what else
// is known of it. A request is measured if it is meant itself, whether or not its response is. Gaps
// and what is lost are there in any case: every figure may lack what they had. The record is not
// kept. The error is one of opening or of reading.
func Read(open func() (io.ReadCloser, error), q query.Query) (Stats, *history.History, error) {
	meant, err := q.Select(open)
	if err != nil {
		return Stats{}, nil, err
	}
	c := newCounting()
	h, err := history.Walk(open, func(m *history.Message, r record.Record) error {
		c.add(m, r, m != nil && meant.Next(m))
		if m != nil {
			m.JSON, m.Message.Line = nil, nil // requests are kept, their texts are not needed
		}
		return nil
	})
	if err != nil {
		return Stats{}, nil, err
	}
	return c.stats(h), h, nil
}

// Gaps are where lines are missing in h, in order; never nil.
func Gaps(h *history.History) []Gap {
	gaps := []Gap{}
	for _, r := range h.Others {
		gaps = AppendGap(gaps, r)
	}
	return gaps
}

// AppendGap appends what is missing by a record, if it says that something is.
func AppendGap(gaps []Gap, r record.Record) []Gap {
	if g := r.Gap; g != nil {
		gaps = append(gaps, Gap{r.Seq, milliseconds(r.Mono), g.Stream, g.Count, g.Bytes, g.Why})
	}
	return gaps
}

// share fills in the shares.
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

// percentile is the nearest rank in times that are sorted and not empty.
func percentile(times []float64, p float64) float64 {
	return times[max(int(math.Ceil(p/100*float64(len(times))))-1, 0)]
}
