package plans

import (
	"acpshim/internal/chain/conversation"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// A session has the plans of one session: all plans for an old client, and those of todo tools for
// a capable client.
type session struct {
	*conversation.Session

	// While a session/load is pending, the agent repeats the updates of the session, and the client
	// may show them from nothing. So replayed has the plans since then, and is nil at other times.
	// Updates go to both, because the agent may refuse to load the session. Then now still counts.
	now, replayed *plans

	// isPaused says that the last turn was cancelled, and the next one has no message yet before
	// which something could be released. Clients drop updates after a cancel, or take them for a
	// turn that continues. With Settings.LateWait, each turn ends like this, for clients that get
	// no updates between turns.
	isPaused bool

	// isOverdue says that a turn ended before its documents were released, because they are too
	// large to be repeated at each response. The next Flush releases them.
	isOverdue bool

	call           openCall
	hasAgentPassed bool // an update of the agent's plans has passed to a capable client

	size  int // its size in the conversation's budget
	files int // its file plans in Adapter.filePlans
}

// session returns the session with that id as the one used last, and adds it if it is new.
func (a *Adapter) session(id string) *session { return a.sessionFor(a.c.Session(id)) }

// find is session, but returns nil for a new session.
func (a *Adapter) find(id string) *session {
	if of, ok := a.c.Use(id); ok {
		return a.sessionFor(of)
	}
	return nil
}

func (a *Adapter) sessionFor(of *conversation.Session) *session {
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{Session: of, now: &plans{}}
		a.sessions.Put(of, s, 0) // fails if it is evicted
	}
	return s
}

// allSessions returns the sessions with plans, the one used last at the end.
func (a *Adapter) allSessions() (all []*session) {
	for _, s := range a.sessions.All() {
		all = append(all, s)
	}
	return all
}

// allPlans returns the plans that an update changes. While a session/load is pending, there are
// two, and the response decides which one counts.
func (s *session) allPlans() []*plans {
	if s.replayed != nil {
		return []*plans{s.now, s.replayed}
	}
	return []*plans{s.now}
}

// current returns the plans that the client sees.
func (s *session) current() *plans {
	if s.replayed != nil {
		return s.replayed
	}
	return s.now
}

// plans are the live plans and the todo list of a session, and the plan that the client has.
type plans struct {
	set   translate.PlanSet
	todos todo.Todos

	shown       entry.Digest // of the last plan that the client got
	shownIsOurs bool         // acpshim made that plan; else a plan of the agent passed
	shownIn     int          // the turn in which the client got it

	// numbers has the number of the last update of each plan, by its name. A plan set has at most
	// translate.MaxPlans plans.
	numbers map[string]int64
}

// noteUpdate notes an update and its number.
func (p *plans) noteUpdate(u translate.Update, number int64) {
	if u.Kind == translate.Removed {
		delete(p.numbers, u.Name())
		return
	}
	if p.numbers == nil {
		p.numbers = map[string]int64{}
	}
	if _, ok := p.numbers[u.Name()]; ok || len(p.numbers) < translate.MaxPlans {
		p.numbers[u.Name()] = number
	}
}

// weigh evicts plans while a plan set of the session has more than an eighth of the conversation's
// budget. Then it calls count.
func (a *Adapter) weigh(s *session) {
	if s.Evicted {
		return
	}
	for _, p := range s.allPlans() {
		for p.set.Size() > a.c.MaxBytes()/8 {
			p.set.EvictOldest()
			a.c.Evict("a plan")
		}
	}
	a.count(s)
}

// count updates the number of file plans, and the session's size in the conversation.
func (a *Adapter) count(s *session) {
	if s.Evicted {
		return
	}
	files, size := len(s.now.set.Files()), a.sizeOf(s)
	a.filesChanged = a.filesChanged || files != s.files
	a.filePlans += files - s.files
	s.files = files
	if size != s.size {
		s.size = size
		a.sessions.Put(s.Session, s, size)
	}
}

func (a *Adapter) sizeOf(s *session) int {
	e := a.heldPlans[s]
	size := len(e.before) + len(e.after) + len(e.meta) + len(s.call.id)
	for _, p := range s.allPlans() {
		size += p.set.Size() + p.todos.Size() + len(p.numbers)*numberSize
	}
	return size
}

// numberSize is about what an entry of plans.numbers takes. Its name is that of the plan.
const numberSize = 64
