package opening

import (
	"hash/maphash"
	"slices"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A backlog is the updates that wait for a request that creates a session. Only the first one that
// accepts lines has some.
type backlog struct {
	of    *conversation.Request
	held  map[string]int // of the adapter
	lines []line
	size  int             // of the lines
	timer *dispatch.Timer // releases the lines at until; nil before the first line
	until time.Time       // when the first line times out
}

// A line is an update of a session that is not open yet.
type line struct {
	number          int64 // see dispatch.Message.Number
	session, update string
	text            []byte    // with its line end
	until           time.Time // its timeout, even if it moves to another backlog
}

// weight returns the estimated bytes of a line.
func (l line) weight() int { return 192 + 2*len(l.session) + len(l.update) + len(l.text) }

// Limits of a backlog.
const (
	maxEarly = 1 << 20 // bytes
	patience = 5 * time.Second
)

// take removes and returns the lines of a session.
func (e *backlog) take(session string) (lines []line) {
	e.lines = slices.DeleteFunc(e.lines, func(l line) bool {
		if l.session != session {
			return false
		}
		lines = append(lines, l)
		e.size -= l.weight()
		e.count(l, -1)
		return true
	})
	return lines
}

// count adds n to the number of held lines of a line's session.
func (e *backlog) count(l line, n int) {
	if e.held[l.session] += n; e.held[l.session] == 0 {
		delete(e.held, l.session)
	}
}

// Observe implements dispatch.Observer. A client that names a session knows it.
func (a *Adapter) Observe(e conversation.Event) {
	r := e.Request
	if r == nil || r.From != dispatch.Client || e.Kind != conversation.RequestBegan && e.Kind != conversation.RequestEnded {
		return
	}
	switch {
	case e.Kind == conversation.RequestEnded:
		if r.Creates() {
			a.ended(r)
		}
	case !a.On.Hold:
	case r.Creates():
		a.named(r.Session) // by session/fork
		a.pending[r] = true
		if e := (&backlog{of: r, held: a.held}); a.creating.Put(r, e, 256) {
			a.accepting = append(a.accepting, e)
		}
	default:
		a.named(r.Session)
	}
}

// named releases the lines of a session that the client names.
func (a *Adapter) named(session string) {
	a.meet(session)
	a.release(a.take(session), whyNamed)
}

// take removes and returns the held lines of a session.
func (a *Adapter) take(session string) []line {
	if a.held[session] == 0 {
		return nil
	}
	return a.accepting[0].take(session)
}

// ended moves the lines of a request that has ended to another pending request that may create
// their session. It releases those that find no room.
func (a *Adapter) ended(r *conversation.Request) {
	delete(a.pending, r)
	of, ok := a.creating.Get(r)
	if !ok {
		return
	}
	for _, l := range a.takeAll(of) {
		if !a.keep(l) {
			a.release([]line{l}, whyNobodyOpens)
		}
	}
}

// Flush implements dispatch.Flusher: it sends the held lines when the agent has ended.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if !end || m.From != dispatch.Agent {
		return
	}
	for len(a.accepting) > 0 {
		for _, l := range a.takeAll(a.accepting[0]) {
			m.Because(whyAgentEnded)
			m.AfterHeld(l.number, l.text)
		}
	}
}

// takeAll removes and returns all lines of a backlog, which accepts no more.
func (a *Adapter) takeAll(e *backlog) []line {
	a.accepting = slices.DeleteFunc(a.accepting, func(other *backlog) bool { return other == e })
	if e.timer != nil {
		e.timer.Stop()
	}
	lines := e.lines
	for _, l := range lines {
		e.count(l, -1)
	}
	e.lines = nil
	return lines
}

// release sends lines to the client.
func (a *Adapter) release(lines []line, why wire.Reason) {
	for _, l := range lines {
		a.note(l.session, l.update, l.text)
		a.GoOn(dispatch.Agent, l.number, l.text, why)
	}
}

// isEarly reports whether updates of a session may have to wait.
func (a *Adapter) isEarly(session string) bool {
	c := a.conversation
	s, ok := c.Find(session)
	isKnown := ok && (s.Known || s.Named) || c.Opening(session) || c.Prompting(session) || a.met.Contains(maphash.String(a.seed, session))
	return a.On.Hold && c.Creating() && !isKnown
}

// hold holds an update if its session is not open yet, and reports whether it did anything with it.
func (a *Adapter) hold(m *dispatch.Message) bool {
	if !a.isEarly(m.Session) || len(a.accepting) == 0 {
		return false
	}
	l := line{m.Number, m.Session, m.Update, wire.EndLine(slices.Clone(m.Line)), time.Now().Add(patience)}
	m.Because(whyHeld)
	if !a.keep(l) {
		m.Because(whyFull)
		a.release([]line{l}, whyFull)
	}
	m.Drop()
	return true
}

// keep adds a line to the first backlog that accepts it, and releases those before that, so that
// lines stay in order. It reports whether there was room.
func (a *Adapter) keep(l line) bool {
	for len(a.accepting) > 0 {
		e := a.accepting[0]
		if a.add(e, l) {
			return true
		}
		a.release(a.takeAll(e), whyFull)
	}
	return false
}

// add adds a line to a backlog, and reports whether there was room.
func (a *Adapter) add(e *backlog, l line) bool {
	size := e.size + l.weight()
	if size > maxEarly || !a.creating.Put(e.of, e, 256+size) {
		return false
	}
	e.lines, e.size = append(e.lines, l), size
	e.count(l, 1)
	if e.timer == nil || l.until.Before(e.until) {
		if e.timer != nil {
			e.timer.Stop()
		}
		e.until = l.until
		e.timer = a.After(time.Until(l.until), func() {
			a.release(a.takeAll(e), whyLate)
		})
	}
	return true
}
