package plans

import (
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// weigh updates the estimated bytes of the session, and evicts plans while one of its plan sets has
// more than an eighth of what the conversation may keep. The lock is held, here and below.
func (a *Adapter) weigh(s *session) {
	if s.Evicted {
		return
	}
	for _, p := range s.all() {
		for p.set.Size() > a.c.MaxBytes()/8 {
			p.set.EvictOldest()
			a.c.Evict("a plan")
		}
	}
	a.count(s)
}

// count updates what is counted of the session, here and in the conversation.
func (a *Adapter) count(s *session) {
	if s.Evicted {
		return
	}
	files, size := len(s.now.set.Files()), a.sizeOf(s)
	a.changed = a.changed || files != s.files
	a.filed += files - s.files
	s.files = files
	if size != s.size {
		s.size = size
		a.sessions.Put(s.Session, s, size)
	}
}

// maxEnvelope bounds the envelope that is kept of a plan that waits, in bytes.
const maxEnvelope = 64 << 10

// sizeOf is the estimated bytes of the session's plans.
func (a *Adapter) sizeOf(s *session) int {
	e := a.waiting[s]
	size := len(e.before) + len(e.after) + len(e.meta)
	for _, p := range s.all() {
		size += p.set.Size() + p.todos.Size()
	}
	return size
}

// plans are the live plans of a session, what its todo tools wrote, and what the client has been
// sent of them.
type plans struct {
	set   translate.PlanSet
	todos todo.Todos

	shown       entry.Digest // of the plan that the client was sent last
	shownIsMade bool         // that plan was made here; else it is the agent's, which passed
	shownIn     int          // the turn of that
}

// isDue reports whether the client is to be sent the plan that the policy shows: it was sent
// another one last, or none in this turn, which has an update about it. Clients that draw by turns
// would show none.
func (p *plans) isDue(policy translate.Policy, digest entry.Digest) bool {
	return digest != p.shown || p.shownIn != p.set.Turn() && p.set.IsMentioned(policy)
}

// sent notes which plan the client has been sent.
func (p *plans) sent(digest entry.Digest, isMade bool) {
	p.shown, p.shownIsMade, p.shownIn = digest, isMade, p.set.Turn()
}
