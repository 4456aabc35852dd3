package translate

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"acpshim/translate/document"
	"acpshim/translate/entry"
)

// A PlanSet holds the live plans of one session. The zero PlanSet is empty and ready for
// use; it is for one goroutine at a time.
//
// Apply costs what the update costs. Documents are read when somebody asks for what they
// say, once for all updates that came before.
type PlanSet struct {
	plans   []*plan // in order of first appearance
	clock   int     // counts changes
	turn    int     // counts turns
	sent    int     // counts messages, for their ids
	own     bool    // the agent sends plans of its own
	problem error   // with a document that was read since Problem was asked
}

// A plan is one live plan.
type plan struct {
	id      string
	kind    Kind
	file    *FilePlan // File
	entries []entry.Entry
	doc     documentState // Markdown and File
	came    moment        // when it was added
	changed moment        // when it last changed
	named   int           // the turn of the last update about it, or question
	size    int           // about how many bytes it takes

	// isProposed says that only a question of the agent has shown it: see PlanSet.AskAbout.
	isProposed bool

	// gaveWay says of a list that the agent has asked about a document since it sent the list, in a
	// later turn.
	gaveWay bool
}

// A moment is a place in the life of a set.
type moment struct{ clock, turn int }

// A documentState is what is known of the document of a plan.
type documentState struct {
	text     []byte // up to maxText
	more     int    // bytes of the document behind text
	read     bool   // the plan's entries, and what follows, are those of text
	digest   string // of text, however its steps stand
	digested int    // the set's clock when digest last changed
	prose    bool   // text says more than the entries
	problem  error  // with text
	growing  bool   // the last line of text may go on: it is not read yet
	streamed bool   // text has gone on since it came, or was settled: its steps may still be to come
	untitled bool   // its title is all there is, and is not taken for a step because of that
	settled  int    // bytes of text that were read as a whole once: what they showed stays
	pending  bool   // text has not been sent since it changed
	asked    bool   // the agent is asking about it
	drawn    bool   // and its question shows the text
	sent     string // the digest of the text that was sent last
	sentAt   int    // what changed.clock was of the plan then
	sentIn   int    // the turn of that
}

// Bounds on what an agent can make a set keep, besides [PlanSet.EvictOldest].
const (
	MaxPlans = 64
	maxText  = 512 << 10 // bytes of one document; those behind it are only counted
)

// maxEager is the longest text, in bytes, that is read because it is replaced. Of a longer
// one in which only a box was ticked it is not known that it is no newer than what came
// between.
const maxEager = 32 << 10

// Apply takes an update in. The Text of a File update is that of the file, read by the caller;
// where it could not be read, Entries say so instead. A Todo update is ignored once the agent has
// sent a plan of its own. An empty plan before that is none yet, but takes back what the todo tools
// made. Apply reports whether it evicted the plan that changed longest ago, because there would be
// more than MaxPlans.
func (s *PlanSet) Apply(u Update) (evicted bool) {
	switch {
	case u.Kind == Todo && s.own:
		return false
	case u.ClearsTodos() && !s.own:
		s.ClearTodos()
		return false
	case u.Kind != Todo && u.Kind != Removed:
		s.MarkOwn()
	}
	is := func(p *plan) bool {
		return p.id == u.ID && (p.kind == Legacy) == (u.Kind == Legacy) && (p.kind == Todo) == (u.Kind == Todo)
	}
	if u.Kind == Removed {
		s.plans = slices.DeleteFunc(s.plans, is)
		return false
	}
	if u.isDocument() {
		s.settleProposal(u, is)
	}
	i := slices.IndexFunc(s.plans, is)
	if i < 0 {
		return s.add(u)
	}
	s.change(s.plans[i], u)
	return false
}

// add adds a plan, and reports whether another one was evicted for it.
func (s *PlanSet) add(u Update) (evicted bool) {
	p := &plan{id: strings.Clone(u.ID)}
	s.plans = append(s.plans, p)
	s.change(p, u)
	p.came = p.changed
	if evicted = len(s.plans) > MaxPlans; evicted {
		s.EvictOldest()
	}
	return evicted
}

// change makes an update the state of a plan.
func (s *PlanSet) change(p *plan, u Update) {
	if p.changed.clock < s.clock && len(p.doc.text) <= maxEager {
		s.read(p) // whether its text is another one counts by what came between
	}
	isBack := s.isBack(p)
	changed := p.apply(u)
	if changed {
		s.clock++
		p.changed = moment{s.clock, s.turn}
	}
	if changed || !u.IsRead {
		s.name(p, isBack)
	}
	p.measure()
}

// isBack reports whether a document had given way to another one, and is spoken of again.
func (s *PlanSet) isBack(p *plan) bool {
	if p.named == s.turn || !p.isDocument() {
		return false
	}
	s.readAll()
	return s.hasGivenWay()(p)
}

// name notes that the turn has something to say of a plan. A document that is back comes anew.
func (s *PlanSet) name(p *plan, isBack bool) {
	if isBack {
		s.clock++
		p.came = moment{s.clock, s.turn}
	}
	p.named, p.gaveWay = s.turn, false
}

// BeginTurn notes that the updates from here on belong to a new turn: see [Checklists]. A plan that
// was proposed, and that the agent has not sent, is none any more.
func (s *PlanSet) BeginTurn() {
	s.turn++
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.isProposed })
}

// Turn is the number of turns that have begun.
func (s *PlanSet) Turn() int { return s.turn }

// IsNamed reports whether this turn has an update about, or a question about, a plan that the
// policy shows.
func (s *PlanSet) IsNamed(policy Policy) bool {
	return slices.ContainsFunc(s.shown(policy), func(p *plan) bool { return p.named == s.turn })
}

// apply makes an update the plan's state, and reports whether that is a change.
func (p *plan) apply(u Update) (changed bool) {
	before := p.kind
	p.kind = u.Kind
	if u.Kind != File {
		p.file = nil
	} else if p.file == nil || p.file.URI != u.URI {
		p.file = &FilePlan{ID: p.id, URI: u.URI}
	}
	isSame := before == u.Kind && slices.EqualFunc(p.entries, u.Entries, entry.Entry.Equal)
	d := &p.doc
	grown := before == Markdown && len(d.text) > 0 && (u.Delta || len(u.Text) >= len(d.text) && u.Text[:len(d.text)] == string(d.text))
	switch {
	case !p.isDocument():
		p.doc, p.entries = documentState{read: true, sent: d.sent, sentIn: d.sentIn}, u.Entries
		return !isSame
	case u.Delta && before == Markdown:
		if u.Text == "" {
			return false // a stream repeats itself: it is not read again
		}
	case before == u.Kind && d.more == 0 && string(d.text) == u.Text && (u.Text != "" || isSame):
		return d.settle() // what is sent twice is whole
	default:
		d.text, d.more = nil, 0
	}
	d.append(u.Text)
	d.streamed = grown && u.Kind == Markdown
	d.growing = u.Kind == Markdown && d.more == 0 && document.IsGrowing(string(d.text), grown)
	switch {
	case !grown && d.growing:
		d.settled = 0
	case !grown:
		d.settled = len(d.text)
	}
	d.read, d.pending = false, true
	p.entries = u.Entries // until the text is read
	return true
}

// settle has the whole text read, and reports whether not all of it was.
func (d *documentState) settle() (changed bool) {
	changed = d.growing || d.untitled
	d.growing, d.untitled, d.streamed = false, false, false
	d.read, d.settled = d.read && !changed, len(d.text)
	return changed
}

// Settle has the documents read as they are, to the end of a last line that may go on, and reports
// whether there was such a line.
func (s *PlanSet) Settle() (changed bool) {
	for _, p := range s.plans {
		if p.doc.settle() {
			changed = true
		}
	}
	return changed
}

// IsGrowing reports whether a document has a last line that may go on, or only a title so far: they
// are not shown yet.
func (s *PlanSet) IsGrowing() bool {
	return slices.ContainsFunc(s.plans, func(p *plan) bool { return p.doc.growing || p.doc.untitled })
}

// append appends to the text as much as there is room for.
func (d *documentState) append(text string) {
	fits := min(len(text), maxText-len(d.text))
	if d.more > 0 {
		fits = 0
	}
	for fits < len(text) && fits > 0 && !utf8.RuneStart(text[fits]) {
		fits--
	}
	d.text = append(d.text, text[:fits]...)
	d.more += len(text) - fits
}

// read reads the document of a plan, if it changed since it was read last.
func (s *PlanSet) read(p *plan) {
	d := &p.doc
	if d.read || !p.isDocument() {
		return
	}
	text := d.text
	if d.growing {
		text = text[:max(1+bytes.LastIndexByte(text, '\n'), d.settled)]
	}
	r := document.Read(string(text))
	d.read = true
	d.untitled = (d.growing || d.streamed) && d.settled == 0 && r.IsTitle()
	if r.Digest != d.digest {
		d.digest, d.digested = r.Digest, p.changed.clock
	}
	switch {
	case d.untitled:
		p.entries, d.prose = nil, false // its steps are still to come
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

// Problem returns what is wrong with a document that was taken in since it was asked last,
// for a person; nil if that was returned before, or while the document is written.
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

// MarkOwn notes that the agent sends plans of its own. They say better what its todo tools
// say, which is removed and ignored from then on.
func (s *PlanSet) MarkOwn() {
	s.own = true
	s.ClearTodos()
}

// ClearTodos removes what the agent's todo tools say.
func (s *PlanSet) ClearTodos() {
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.kind == Todo })
}

// HasOwn reports whether the agent has sent a plan of its own.
func (s *PlanSet) HasOwn() bool { return s.own }

// EvictOldest removes the plan that changed longest ago, of one at least.
func (s *PlanSet) EvictOldest() {
	oldest := slices.MinFunc(s.plans, byChange)
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p == oldest })
}

func byChange(p, q *plan) int { return p.changed.clock - q.changed.clock }

// measure counts what the plan takes by now.
func (p *plan) measure() {
	p.size = 512 + len(p.id) + cap(p.doc.text)
	if p.file != nil {
		p.size += 128 + len(p.file.URI)
	}
	for _, e := range p.entries {
		p.size += 128 + len(e.Content) + len(e.Meta)
	}
}

// Size returns about how many bytes the set keeps.
func (s *PlanSet) Size() (size int) {
	for _, p := range s.plans {
		size += p.size
	}
	return size
}

// A FilePlan is a live plan that is a file, and what whoever reads the file notes of it.
type FilePlan struct {
	ID, URI string
	Read    bool // a text of it that is not empty was taken in
	Failed  bool // that it cannot be read was reported
	Later   bool // a text of it is still to come: its first, or one that was being written
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

// File returns the live plan of that id if it is that file, else nil.
func (s *PlanSet) File(id, uri string) *FilePlan {
	for _, f := range s.Files() {
		if f.ID == id && f.URI == uri {
			return f
		}
	}
	return nil
}

// OnlyLegacy reports whether the agent's own legacy plan is all there is, so that nothing
// has to be composed with it.
func (s *PlanSet) OnlyLegacy() bool {
	return !slices.ContainsFunc(s.plans, func(p *plan) bool { return p.kind != Legacy })
}
