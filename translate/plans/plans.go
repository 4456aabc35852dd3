package plans

import (
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

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

// maxEnvelope is the maximum envelope of a waiting plan, in bytes.
const maxEnvelope = 64 << 10

// numberSize is about what an entry of plans.numbers takes. Its name is that of the plan.
const numberSize = 64

func (a *Adapter) sizeOf(s *session) int {
	e := a.waiting[s]
	size := len(e.before) + len(e.after) + len(e.meta) + len(s.call.id)
	for _, p := range s.allPlans() {
		size += p.set.Size() + p.todos.Size() + len(p.numbers)*numberSize
	}
	return size
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

// note notes an update and its number.
func (p *plans) note(u translate.Update, number int64) {
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

// tell notes that the client gets the state of these plans.
func (a *Adapter) tell(p *plans, names ...string) {
	for _, name := range names {
		if number, ok := p.numbers[name]; ok {
			a.Shows(number)
		}
	}
}

// isDue reports whether the client needs the plan that the policy shows, because it has another
// one, or because it got none in this turn, which has an update about the plan. Some clients draw
// plans turn by turn.
func (p *plans) isDue(policy translate.Policy, digest entry.Digest) bool {
	return digest != p.shown || p.shownIn != p.set.Turn() && p.set.IsMentioned(policy)
}

// markSent notes the plan that the client has.
func (p *plans) markSent(digest entry.Digest, isOurs bool) {
	p.shown, p.shownIsOurs, p.shownIn = digest, isOurs, p.set.Turn()
}
