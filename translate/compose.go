package translate

import (
	"acpshim/translate/entry"
	"slices"
)

// A Policy says which of several live plans an old client is shown: it has room for one list
// of entries.
type Policy string

const (
	// Checklists shows the structured plans (items, legacy, todo tools) while there are any,
	// else the documents. A checklist with nothing left open gives way to a document that
	// came after it, and so does a document. A document that comes in a later turn takes the
	// place of those that have not changed since an earlier one. A document that the agent asks
	// about takes the place of lists that it has not sent since an earlier turn.
	Checklists Policy = "checklists"
	// All shows every live plan, one behind the other.
	All Policy = "all"
	// Latest shows the plan that changed last.
	Latest Policy = "latest"
)

// Compose returns the entries of the plans that the policy shows.
func (s *PlanSet) Compose(policy Policy) []entry.Entry {
	var entries []entry.Entry
	for _, p := range s.shown(policy) {
		entries = append(entries, p.entries...)
	}
	return entries
}

// Names returns the names of the plans that the policy shows, and of the others that have entries:
// their ids, or what they are if they have none.
func (s *PlanSet) Names(policy Policy) (shown, others []string) {
	is := s.shown(policy)
	for _, p := range s.plans {
		switch name := (Update{Kind: p.kind, ID: p.id}).Name(); {
		case slices.Contains(is, p):
			shown = append(shown, name)
		case len(p.entries) > 0:
			others = append(others, name)
		}
	}
	return shown, others
}

// shown returns the plans that the policy shows, without those that have no entries.
func (s *PlanSet) shown(policy Policy) []*plan {
	s.readAll()
	live := slices.DeleteFunc(slices.Clone(s.plans), func(p *plan) bool { return len(p.entries) == 0 })
	switch {
	case len(live) == 0 || policy == All:
		return live
	case policy == Latest:
		return []*plan{slices.MaxFunc(live, byChange)}
	}
	hasGivenWay := s.hasGivenWay()
	live = slices.DeleteFunc(live, func(p *plan) bool { return p.gaveWay || hasGivenWay(p) })
	newest := 0 // when a document last came, or changed its text
	for _, p := range live {
		newest = max(newest, p.doc.digested)
	}
	finished := 0 // when a checklist that gives way last changed
	for _, p := range live {
		switch {
		case p.isDocument():
		case p.changed.clock < newest && !p.hasOpen():
			finished = max(finished, p.changed.clock)
		default:
			return slices.DeleteFunc(live, (*plan).isDocument)
		}
	}
	// Documents from before a finished checklist are done with, like it.
	return slices.DeleteFunc(live, func(p *plan) bool { return !p.isDocument() || p.doc.digested < finished })
}

// hasGivenWay returns what reports whether a document has given way to one that came later: see
// [Checklists]. The documents have been read.
func (s *PlanSet) hasGivenWay() func(*plan) bool {
	var last moment // when a document with entries came
	for _, p := range s.plans {
		if p.isDocument() && len(p.entries) > 0 && p.came.clock > last.clock {
			last = p.came
		}
	}
	return func(p *plan) bool {
		return p.isDocument() && p.came != last && p.changed.clock < last.clock && (max(p.changed.turn, p.named) < last.turn || !p.hasOpen())
	}
}

func (u Update) isDocument() bool { return u.Kind == Markdown || u.Kind == File }

func (p *plan) isDocument() bool { return p.kind == Markdown || p.kind == File }

// hasOpen reports whether an entry is not completed.
func (p *plan) hasOpen() bool {
	return slices.ContainsFunc(p.entries, func(e entry.Entry) bool { return e.Status != entry.Completed })
}
