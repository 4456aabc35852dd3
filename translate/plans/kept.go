package plans

import (
	"acpshim/translate"
	"acpshim/translate/todo"
)

// weigh updates the estimated bytes of the session, and evicts plans while one of its plan sets has
// more than an eighth of what the conversation may keep. The lock is held, here and below.
func (a *Adapter) weigh(s *session) {
	if s.Evicted {
		return
	}
	for _, p := range s.all() {
		for p.set.Size() > a.c.MaxBytes()/8 && p.set.EvictOldest() {
			a.c.Evict("a plan")
			a.changed = p.dropFiles() || a.changed
		}
	}
	a.count(s)
}

// count updates the estimated bytes of the session, here and in the conversation, and filed.
func (a *Adapter) count(s *session) {
	if s.Evicted {
		return
	}
	if filed := len(s.now.files) > 0; filed && !s.filed {
		a.filed++
		s.filed = true
	} else if !filed && s.filed {
		a.filed--
		s.filed = false
	}
	more := s.weight() - s.size
	s.size += more
	a.c.Weigh(s.Session, more)
}

// maxEnvelope bounds the envelope that is kept of a plan that waits, in bytes.
const maxEnvelope = 64 << 10

// weight is the estimated bytes of the session's plans.
func (s *session) weight() int {
	size := s.now.size()
	if s.replayed != nil {
		size += s.replayed.size()
	}
	if s.waiting != nil {
		size += len(s.waiting.before) + len(s.waiting.after) + len(s.waiting.meta)
	}
	return size
}

// plans are the live plans of a session, and what its todo tools wrote.
type plans struct {
	set   translate.PlanSet
	todos todo.Todos
	files map[translate.FilePlan]file // of the plan set
}

func (p *plans) size() int {
	size := p.set.Size() + p.todos.Size()
	for f := range p.files {
		size += 128 + len(f.ID) + len(f.URI)
	}
	return size
}

// dropFiles deletes from files those that are in the plan set no longer: removed, replaced, or
// evicted. It reports whether there were any.
func (p *plans) dropFiles() (some bool) {
	if len(p.files) == 0 {
		return false
	}
	live := map[translate.FilePlan]bool{}
	for _, f := range p.set.Files() {
		live[f] = true
	}
	for f := range p.files {
		if !live[f] {
			delete(p.files, f)
			some = true
		}
	}
	return some
}
