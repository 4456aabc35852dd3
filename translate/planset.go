package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/translate/document"
	"acpshim/translate/entry"
)

// A PlanSet holds the live plans of one session. The zero PlanSet is empty and ready for
// use. It is not safe for concurrent use.
//
// Apply takes time for the update only. The set reads documents lazily, so that many updates
// cost one reading.
type PlanSet struct {
	plans   []*plan // in order of first appearance
	clock   int     // counts changes
	turn    int     // counts turns
	asked   int     // counts questions about plans
	sent    int     // counts messages, for their ids
	own     bool    // the agent sends plans itself
	problem error   // of a document that was read since the last call of Problem
}

// A plan is one live plan.
type plan struct {
	id        string
	kind      Kind
	file      *FilePlan // File
	entries   []entry.Entry
	doc       documentState // Markdown and File
	added     moment
	changed   moment
	mentioned int // the turn of the last update or question about it
	size      int // about how many bytes it takes

	isProposed   bool // only a question of the agent has shown it: see AskAbout
	supersededBy int  // it is a list, and this question of a later turn is about a document; or 0

	// draft is the plan with the agent's last updates, or nil. They may begin a document that is
	// only a title so far. They count once it has more, or ends.
	draft *plan
}

// A moment is a point in the history of a set.
type moment struct{ clock, turn int }

// Limits on the memory of a set, besides [PlanSet.EvictOldest].
const (
	MaxPlans = 64
	maxText  = 512 << 10 // bytes of one document; the remainder is only counted
)

// maxEager is in bytes. A text up to this length is read before an update replaces it, so that
// a changed status does not count as a new text.
const maxEager = 32 << 10

// Apply applies an update, and keeps its Entries. For a File update, the caller reads the file
// into Text, or sets Entries if that failed. Apply ignores a Todo update once the agent has sent a
// plan itself. Before that, an empty plan only removes the entries of todo tools. Apply reports
// whether it evicted the plan that changed longest ago, because of MaxPlans.
func (s *PlanSet) Apply(u Update) (evicted bool) {
	switch {
	case u.Kind == Todo && s.own:
		return false
	case u.ClearsTodos() && !s.own:
		s.ClearTodos()
		return false
	}
	isTarget := func(p *plan) bool {
		return p.id == u.ID && !p.isProposed && (p.kind == Legacy) == (u.Kind == Legacy) && (p.kind == Todo) == (u.Kind == Todo)
	}
	if u.Kind == Removed {
		s.plans = slices.DeleteFunc(s.plans, isTarget)
		return false
	}
	i := slices.IndexFunc(s.plans, isTarget)
	isRepeated := i >= 0 && s.plans[i].draft == nil && s.plans[i].hasText(u.Text)
	if u.isDocument() && (isRepeated || !u.isOnlyTitle()) {
		s.endProposal(u, isTarget)
		i = slices.IndexFunc(s.plans, isTarget)
	}
	if i < 0 {
		i = len(s.plans)
		s.plans = append(s.plans, &plan{id: strings.Clone(u.ID)})
	}
	p := s.plans[i]
	s.change(p, u)
	if s.own = s.own || u.Kind != Todo; s.own && p.draft == nil {
		s.ClearTodos()
	}
	if evicted = len(s.plans) > MaxPlans; evicted {
		s.EvictOldest()
	}
	return evicted
}

func (s *PlanSet) change(p *plan, u Update) {
	if u.IsRead && p.draft != nil {
		return // the plan is not this file any more
	}
	if p.changed.clock < s.clock && len(p.doc.text) <= maxEager {
		s.read(p) // notes when its text changed
	}
	isBack, next := s.isBack(p), p.draft
	if next == nil {
		now := *p
		next = &now
	}
	changed := next.apply(u)
	if changed {
		s.clock++
		next.changed = moment{s.clock, s.turn}
	}
	if changed || !u.IsRead {
		s.mention(next, isBack)
	}
	if next.doc.stage == begun {
		s.read(next)
	}
	if p.draft = next; next.doc.stage != onlyTitle {
		p.adopt()
	}
	p.measure()
}

// isOnlyTitle reports whether an update may begin a document that becomes a draft.
func (u Update) isOnlyTitle() bool {
	if u.Kind != Markdown || u.Delta || u.Text == "" || len(u.Text) > maxEager {
		return false
	}
	d := documentState{text: []byte(u.Text), growing: document.IsGrowing(u.Text, false)}
	text := string(d.visible())
	return !document.HasList(text) && (text == "" || document.Read(text).IsTitle())
}

// IsDraft reports whether an update that was applied only begins a document: see plan.draft.
func (s *PlanSet) IsDraft(u Update) bool {
	return u.Kind == Markdown && slices.ContainsFunc(s.plans, func(p *plan) bool { return p.id == u.ID && p.draft != nil })
}

func (s *PlanSet) hasDraft() bool {
	return slices.ContainsFunc(s.plans, func(p *plan) bool { return p.draft != nil })
}

// adopt makes the draft the state of the plan.
func (p *plan) adopt() {
	*p = *p.draft
	p.draft = nil
	if p.added.clock == 0 {
		p.added = p.changed
	}
}

// isBack reports whether this turn did not mention a document so far, and a newer one replaced it.
func (s *PlanSet) isBack(p *plan) bool {
	if p.mentioned == s.turn || !p.isDocument() {
		return false
	}
	s.readAll()
	return s.outdated()(p)
}

// mention notes that the current turn has an update or question about a plan. A document that is
// back counts as new.
func (s *PlanSet) mention(p *plan, isBack bool) {
	if isBack {
		s.clock++
		p.added = moment{s.clock, s.turn}
	}
	p.mentioned, p.supersededBy = s.turn, 0
}

// BeginTurn begins a new turn: see [Checklists]. It removes the proposal, if there is one.
func (s *PlanSet) BeginTurn() {
	s.turn++
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.isProposed })
}

// Turn returns how often BeginTurn was called.
func (s *PlanSet) Turn() int { return s.turn }

// IsMentioned reports whether the current turn has an update or a question about a plan that the
// policy shows.
func (s *PlanSet) IsMentioned(policy Policy) bool {
	return slices.ContainsFunc(s.shown(policy), func(p *plan) bool { return p.mentioned == s.turn })
}

// apply applies an update, and reports whether it changed the plan.
func (p *plan) apply(u Update) (changed bool) {
	before := p.kind
	p.kind = u.Kind
	if u.Kind != File {
		p.file = nil
	} else if p.file == nil || p.file.URI != u.URI {
		p.file = &FilePlan{ID: p.id, URI: u.URI}
	}
	if p.doc.path = u.Path; u.Path != "" && u.Path != p.doc.toldPath {
		p.doc.pending = true
	}
	isSame := before == u.Kind && slices.EqualFunc(p.entries, u.Entries, entry.Entry.Equal)
	d := &p.doc
	grown := before == Markdown && len(d.text) > 0 && (u.Delta || len(u.Text) >= len(d.text) && u.Text[:len(d.text)] == string(d.text))
	switch {
	case !p.isDocument():
		p.doc, p.entries = documentState{read: true, sent: d.sent, sentIn: d.sentIn, toldPath: d.toldPath}, u.Entries
		return !isSame
	case u.Delta && before == Markdown:
		if u.Text == "" {
			return false // the agent repeats a piece of a stream
		}
	case before == u.Kind && d.more == 0 && string(d.text) == u.Text && (u.Text != "" || isSame):
		return d.complete() // a document that is sent twice is complete
	default:
		d.text, d.more, d.rest = nil, 0, 0
	}
	d.append(u.Text)
	d.judge(u.Kind == Markdown, grown)
	d.pending = true
	p.entries = u.Entries // until the text is read
	return true
}

// CompleteDocuments marks all documents as complete, so that their last lines are read, too. It
// reports whether that made a difference.
func (s *PlanSet) CompleteDocuments() (changed bool) {
	hasDraft := s.hasDraft()
	for _, p := range s.plans {
		if p.draft != nil {
			p.adopt()
		}
		changed = p.doc.complete() || changed
	}
	if hasDraft {
		s.ClearTodos()
		s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.isProposed })
	}
	return changed
}

// IsGrowing reports whether a document has a part that is not shown yet: an incomplete last line,
// or only a title.
func (s *PlanSet) IsGrowing() bool {
	return s.hasDraft() || slices.ContainsFunc(s.plans, func(p *plan) bool { return p.doc.growing })
}

// read reads the document of a plan, if it changed since the last call.
func (s *PlanSet) read(p *plan) {
	d := &p.doc
	if d.read || !p.isDocument() {
		return
	}
	text := d.visible()
	r := document.Read(string(text))
	d.read = true
	d.judgeTitle(len(text) == 0 || r.IsTitle())
	digest := r.Digest
	if d.more > 0 {
		digest += fmt.Sprint(d.rest)
	}
	if digest != d.digest {
		d.digest, d.digested = digest, p.changed.clock
	}
	switch {
	case d.stage == onlyTitle:
		d.prose = false
	case len(text) > 0:
		p.entries, d.prose = r.Plan(), r.Prose || d.more > 0
	}
	if r.Problem != nil && !errors.Is(r.Problem, document.ErrUnfinished) &&
		(d.problem == nil || d.problem.Error() != r.Problem.Error()) {
		s.problem = r.Problem
	}
	d.problem = r.Problem
	p.measure()
}

// Problem returns an error if a document that was read since the last call is invalid. It returns
// each error once, and none while the agent still writes the document.
func (s *PlanSet) Problem() error {
	s.readAll()
	problem := s.problem
	s.problem = nil
	return problem
}

func (s *PlanSet) readAll() {
	for _, p := range s.plans {
		s.read(p)
	}
}

// MarkOwn notes that the agent sends plans itself. It removes the plan of the agent's todo tools,
// and later updates of them are ignored.
func (s *PlanSet) MarkOwn() {
	s.own = true
	s.ClearTodos()
}

// ClearTodos removes the plan of the agent's todo tools.
func (s *PlanSet) ClearTodos() {
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.kind == Todo })
}

// HasOwn reports whether the agent has sent a plan itself.
func (s *PlanSet) HasOwn() bool { return s.own }

// EvictOldest removes the plan that changed longest ago. The set must not be empty.
func (s *PlanSet) EvictOldest() {
	oldest := slices.MinFunc(s.plans, func(p, q *plan) int { return p.lastChange() - q.lastChange() })
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p == oldest })
}

func byChange(p, q *plan) int { return p.changed.clock - q.changed.clock }

func (p *plan) lastChange() int {
	if p.draft != nil {
		return p.draft.changed.clock
	}
	return p.changed.clock
}

func (p *plan) measure() {
	p.size = 512 + len(p.id) + cap(p.doc.text) + len(p.doc.path) + len(p.doc.toldPath)
	if p.file != nil {
		p.size += 128 + len(p.file.URI)
	}
	for _, e := range p.entries {
		p.size += 128 + len(e.Content) + len(e.Meta)
	}
	if p.draft != nil {
		p.draft.measure()
		p.size += p.draft.size
	}
}

// Size returns the approximate memory of the set in bytes.
func (s *PlanSet) Size() (size int) {
	for _, p := range s.plans {
		size += p.size
	}
	return size
}

// A FilePlan is a live plan that is a file. Whoever reads the file sets Read, Failed and Later.
type FilePlan struct {
	ID, URI string
	Read    bool // the file had text when it was read
	Failed  bool // an error of reading it was reported
	Later   bool // its text is pending: it was never read, or was being written
}

// Files returns the live plans that are files.
func (s *PlanSet) Files() []*FilePlan {
	var files []*FilePlan
	for _, p := range s.plans {
		if p.file != nil {
			files = append(files, p.file)
		}
	}
	return files
}

// File returns the live plan with that id if its file is uri, else nil.
func (s *PlanSet) File(id, uri string) *FilePlan {
	for _, f := range s.Files() {
		if f.ID == id && f.URI == uri {
			return f
		}
	}
	return nil
}

// OnlyLegacy reports whether the set has no plan but the agent's legacy plan.
func (s *PlanSet) OnlyLegacy() bool {
	return !slices.ContainsFunc(s.plans, func(p *plan) bool { return p.kind != Legacy })
}
