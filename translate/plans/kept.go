package plans

import (
	"acpshim/translate"
	"acpshim/translate/todo"
)

// weigh counts what the session keeps by now, and evicts plans that are more than one may have: an
// eighth of all.
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

// count counts what the session takes by now.
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

// maxEnvelope bounds what stands around an update that waits, in bytes.
const maxEnvelope = 64 << 10

// weight is about how many bytes the session takes here.
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

// dropFiles drops the file plans that are in the plan set no longer: taken
// back, replaced, or evicted. It reports whether there were any.
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
