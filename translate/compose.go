package translate

import (
	"slices"

	"acpshim/translate/entry"
)

// A Policy selects the live plans that an old client sees, because it has room for only one
// list of entries.
type Policy string

const (
	// Checklists shows lists (items, legacy, todo tools) and falls back to documents.
	//
	//   - A document replaces an older list or document without open entries.
	//   - A document of a later turn replaces documents that did not change since an earlier
	//     turn.
	//   - A document that the agent asks about replaces lists from earlier turns.
	Checklists Policy = "checklists"
	// All shows every live plan, in order of first appearance.
	All Policy = "all"
	// Latest shows the plan that changed last.
	Latest Policy = "latest"
)

// Compose returns the entries of the plans that the policy shows. The caller must not change
// what their Meta points to.
func (s *PlanSet) Compose(policy Policy) []entry.Entry {
	var entries []entry.Entry
	for _, p := range s.shown(policy) {
		entries = append(entries, p.entries...)
	}
	return entries
}

// Names returns the names of the plans that the policy shows, and of the other plans that have
// entries: see [Update.Name].
func (s *PlanSet) Names(policy Policy) (shown, others []string) {
	is := s.shown(policy)
	for _, p := range s.plans {
		switch name := p.name(); {
		case slices.Contains(is, p):
			shown = append(shown, name)
		case len(p.entries) > 0:
			others = append(others, name)
		}
	}
	return shown, others
}

func (p *plan) name() string { return Update{Kind: p.kind, ID: p.id}.Name() }

// shown returns the plans with entries that the policy shows.
func (s *PlanSet) shown(policy Policy) []*plan {
	s.readAll()
	live := slices.DeleteFunc(slices.Clone(s.plans), func(p *plan) bool { return len(p.entries) == 0 })
	switch {
	case len(live) == 0 || policy == All:
		return live
	case policy == Latest:
		return []*plan{slices.MaxFunc(live, byChange)}
	}
	isOutdated := s.outdated()
	live = slices.DeleteFunc(live, func(p *plan) bool { return p.supersededBy > 0 || isOutdated(p) })
	newest := 0 // the clock when a document's text last changed
	for _, p := range live {
		newest = max(newest, p.doc.digested)
	}
	finished := 0 // the clock when a finished list last changed
	for _, p := range live {
		switch {
		case p.isDocument():
		case p.changed.clock < newest && !p.hasOpen():
			finished = max(finished, p.changed.clock)
		default:
			return slices.DeleteFunc(live, (*plan).isDocument)
		}
	}
	// A document that is older than a finished list is finished, too.
	return slices.DeleteFunc(live, func(p *plan) bool { return !p.isDocument() || p.doc.digested < finished })
}

// outdated returns a function that reports whether a newer document replaces a plan: see
// [Checklists]. The documents have been read.
func (s *PlanSet) outdated() func(*plan) bool {
	var last moment // when the newest document with entries was added
	for _, p := range s.plans {
		if p.isDocument() && len(p.entries) > 0 && p.added.clock > last.clock {
			last = p.added
		}
	}
	return func(p *plan) bool {
		return p.isDocument() && p.added != last && p.changed.clock < last.clock && (p.lastTurn() < last.turn || !p.hasOpen())
	}
}

// lastTurn returns the last turn that had an update or a question about the plan.
func (p *plan) lastTurn() int {
	last := max(p.changed.turn, p.mentioned)
	if p.draft != nil {
		last = max(last, p.draft.mentioned)
	}
	return last
}

func (u Update) isDocument() bool { return u.Kind == Markdown || u.Kind == File }

func (p *plan) isDocument() bool { return p.kind == Markdown || p.kind == File }

// hasOpen reports whether an entry is not completed.
func (p *plan) hasOpen() bool {
	return slices.ContainsFunc(p.entries, func(e entry.Entry) bool { return e.Status != entry.Completed })
}
