package watch

import (
	"slices"

	"acpshim/internal/log/query"
	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
)

// A run is the part of a record that was read, with a filter.
type run struct {
	files   []string
	feed    *feed
	query   query.Query
	book    history.Conversation
	view    view.View
	kept    memory
	waiting []view.Row // after those in kept; not complete
	plans   plans
	judge   view.Judge
	wrong   map[uint64]bool    // the numbers of messages that went wrong
	verdict *view.Verdict      // nil if the run goes on
	asked   []*history.Message // requests that have no response yet

	sent     int           // messages of the peers
	isNewest bool          // everything in the file was read
	last     batch         // without its entries
	end      record.Record // without an End if it has not come

	isPaused  bool
	held      []batch // that came during the pause
	heldBytes int
	heldSent  int // messages of the peers
}

const (
	maxAsked = 1 << 12 // requests that are counted as pending
	maxHeld  = 4 << 20 // bytes that are read while the run is paused; the rest stays in the file
)

func newRun(files []string, q query.Query) *run {
	return &run{files: files, query: q, view: view.View{Filtered: !q.Empty()}, wrong: map[uint64]bool{}, kept: memory{mostRows: maxRows, mostMessages: maxMessages}}
}

func (r *run) name() string { return store.Name(r.files) }

// isFull reports whether reading waits for the end of the pause.
func (r *run) isFull() bool { return r.heldBytes > maxHeld }

// take takes in a batch. It returns how many of the oldest rows were dropped, and whether it wants
// another batch.
func (r *run) take(b batch) (dropped int, wantsMore bool) {
	if r.isPaused {
		r.held = append(r.held, b)
		r.heldBytes += b.bytes
		for _, rec := range b.records {
			if rec.Message != nil && rec.Message.Received() {
				r.heldSent++
			}
		}
		return 0, !b.over && !r.isFull()
	}
	for _, rec := range b.records {
		dropped += r.kept.addRows(r.add(rec))
	}
	r.asked = slices.DeleteFunc(r.asked, func(m *history.Message) bool { return m.End() != nil })
	if b.over {
		dropped += r.kept.addRows(r.view.Flush())
	}
	r.waiting = r.view.Waiting()
	r.judge.Miss(b.missing)
	if b.over {
		v := r.judge.End(r.end.End, r.end.Mono)
		r.verdict = &v
	}
	for _, seq := range r.judge.Numbers() {
		r.wrong[seq] = true
	}
	b.records, r.isNewest = nil, r.isNewest || b.isNewest
	r.last = b
	return dropped, !b.over
}

// add takes in the next entry of the record, and returns the rows that are complete.
func (r *run) add(rec record.Record) (rows []view.Row) {
	switch {
	case rec.Start != nil:
		return nil
	case rec.End != nil:
		r.end = rec
		return nil
	case rec.Message == nil:
		return r.view.Add(nil, rec, r.query.MatchOther(rec))
	case rec.Message.Received():
		r.sent++
	}
	for _, m := range r.book.Add(rec) {
		rows = append(rows, r.view.Add(m, rec, r.query.Match(m))...)
		r.judge.Add(m)
		if r.plans.add(m); m.IsPending() && len(r.asked) < maxAsked {
			r.asked = append(r.asked, m)
		}
		r.kept.addMessage(m)
	}
	return rows
}

// count is how many rows there are, and row returns one of them.
func (r *run) count() int { return len(r.kept.rows) + len(r.waiting) }

func (r *run) row(i int) view.Row {
	if i >= len(r.kept.rows) {
		return r.judged(r.waiting[i-len(r.kept.rows)])
	}
	return r.judged(r.kept.rows[i])
}

// judged returns a row that failed if its message went wrong.
func (r *run) judged(row view.Row) view.Row {
	row.Failed = row.Failed || r.wrong[row.Seq] && !row.IsDivider
	return row
}

// nextFailure returns the next row after i of something that went wrong, or -1.
func (r *run) nextFailure(i int) int {
	next := r.count()
	for _, seq := range r.judge.Numbers() {
		if at := r.place(seq); at > i && at < next {
			next = at
		}
	}
	for at := i + 1; at < next; at++ {
		q := r.row(at).Message()
		isLost := r.last.over && q != nil && q.IsPending()
		if r.row(at).Failed || isLost {
			return at
		}
	}
	if next == r.count() {
		return -1
	}
	return next
}

// place returns the last row whose first message is not after a number, or -1.
func (r *run) place(seq uint64) int {
	i := r.count() - 1
	for i >= 0 && (r.row(i).IsDivider || r.row(i).Seq > seq) {
		i--
	}
	return i
}
