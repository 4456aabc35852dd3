package watch

import (
	"slices"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/store"
)

// A run is a record as far as it was read, with a filter.
type run struct {
	files   []string
	feed    *feed
	query   query.Query
	book    history.Conversation
	view    *view.View
	kept    memory
	waiting []view.Row // after those that are kept, and not complete
	plans   plans
	asked   []*history.Message // requests that have no response yet

	sent    int // messages of the peers
	newest  bool
	last    batch // without its records
	end     *record.End
	endedAt time.Duration
}

// maxAsked bounds the requests without a response that are counted.
const maxAsked = 1 << 12

func newRun(files []string, q query.Query) *run {
	r := &run{files: files, query: q, view: view.New(), kept: newMemory()}
	r.view.Filtered = !q.Empty()
	return r
}

func (r *run) name() string { return store.Name(r.files) }

// add takes in a batch, and returns how many of the oldest rows made room.
func (r *run) add(b batch) (dropped int) {
	for _, rec := range b.records {
		dropped += r.record(rec)
	}
	r.asked = slices.DeleteFunc(r.asked, func(m *history.Message) bool { return m.End() != nil })
	if b.over {
		dropped += r.kept.addRows(r.view.Flush())
	}
	r.waiting = r.view.Waiting()
	b.records = nil
	r.newest = r.newest || b.newest
	r.last = b
	return dropped
}

func (r *run) record(rec record.Record) (dropped int) {
	switch {
	case rec.Start != nil:
		return 0
	case rec.End != nil:
		r.end, r.endedAt = rec.End, rec.Mono
		return 0
	case rec.Message == nil && r.query.MatchOther(rec):
		return r.kept.addRows(r.view.Other(rec))
	case rec.Message == nil:
		return r.kept.addRows(r.view.SkipOther())
	case rec.Message.Received():
		r.sent++
	}
	for _, m := range r.book.Add(rec) {
		rows := r.view.Message
		if !r.query.Match(m) {
			rows = r.view.Skip
		}
		dropped += r.kept.addRows(rows(m))
		r.plans.add(m)
		if isUnanswered(m) && len(r.asked) < maxAsked {
			r.asked = append(r.asked, m)
		}
		r.kept.addMessage(m)
	}
	return dropped
}

// isUnanswered reports whether a message is a request of a peer, or of acpshim itself, that has no
// response.
func isUnanswered(m *history.Message) bool {
	return m.Kind == history.Request && (m.Message.Received() || m.IsOwn()) && m.End() == nil
}

// count is how many rows there are, and row is one of them.
func (r *run) count() int { return len(r.kept.rows) + len(r.waiting) }

func (r *run) row(i int) view.Row {
	if i < len(r.kept.rows) {
		return r.kept.rows[i]
	}
	return r.waiting[i-len(r.kept.rows)]
}

// place is the place of the last row that does not begin after a number; -1 if there is none.
func (r *run) place(seq uint64) int {
	for i := r.count() - 1; i >= 0; i-- {
		if row := r.row(i); row.Seq <= seq && !row.Divider {
			return i
		}
	}
	return -1
}

// partner is the other message of an exchange: the response to a request, or the request of a
// response; nil if there is none.
func partner(m *history.Message) *history.Message {
	switch {
	case m.Kind == history.Response:
		return m.Request
	case m.Kind != history.Request:
		return nil
	case !m.Message.Received() && !m.IsOwn():
		m = m.Of
	}
	return m.End()
}

// isOver reports whether nothing more comes of the run.
func (r *run) isOver() bool { return r.last.over }
