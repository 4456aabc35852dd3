package relay_test

import (
	"slices"
	"strings"
)

// This file is a second implementation of docs/plans.md. It was written from that page, without the
// code of the adapter, and each rule quotes its sentence. Where the page is silent and both ways
// are right for a user, the model does what the program was seen to do, and the comment has no
// quote. TestPlansAgainstModel compares the two.

// A planModel says what a client without plan support has to get.
type planModel struct {
	policy, prose, late string

	sessions map[string]*sessionModel
	files    map[string]modelEvent // the texts of files, by path
	now      int                   // counts events
	quirks   map[string]bool       // see knownDifferences
	out      []modelOutput         // what the client gets for the event
}

// A modelOutput is what the client gets: a message of the agent as it was, a legacy plan, or a
// text.
type modelOutput struct {
	session string
	line    string
	isPlan  bool
	plan    []modelEntry
	text    string
}

type sessionModel struct {
	id     string
	isOpen bool
	early  []modelEvent // from before it was open

	plans     []*livePlan   // in the order of their first appearance
	old       *sessionModel // while it is loaded: from before
	replayed  []modelEvent
	turn      int
	prompts   []string // that are pending
	hadTurn   bool
	isOver    bool // the client has cancelled the turn
	waits     bool // something waits for the first message of the next turn
	isUpdated bool // there was an update between turns
	comesBack bool // a list is to be shown again
	isDirty   bool // something was not sent that is to be sent at the end of the turn

	shown     []modelEntry // the last plan that the client got
	isFirst   bool         // there was no plan update in this turn
	sendsPlan bool         // the agent sends plans
	calls     []modelEvent // of todo tools, with a list
	unsent    string       // the call whose plan was not sent yet
	questions []*questionModel
	inPrompt  bool // the last replayed message was the user's
}

type questionModel struct {
	id    string
	hides []*livePlan
}

// A livePlan is a plan that was not removed.
type livePlan struct {
	id         string
	kind       string // "list", "document", "file" or "asked": the text of a question
	entries    []modelEntry
	isShown    bool // there is something to show
	doc        modelEvent
	isGrowing  bool   // the agent has not ended the document
	drawn      string // the part of the document's text that is shown
	raw        int    // when the agent sent another text
	sent       int    // when the agent sent its text
	reading    modelReading
	path       string
	isHidden   bool // by a question
	rewritten  int  // when its text changed last, apart from marks
	changed    int  // when its entries or its text changed last
	newest     int  // when it changed, or counted as new
	newestTurn int
	touched    int  // the last turn in which it could count as new
	isDropped  bool // a newer document replaced it before its text was sent
	lastTurn   int  // of its last update or question
	told       string
	toldTurn   int
	isTold     bool
}

// isOf reports whether a message updates or removes the plan.
func (p *livePlan) isOf(e modelEvent) bool {
	return p.kind != "asked" && p.id == e.id && slices.Contains([]string{"document", "items", "file", "removed"}, e.kind)
}

func (p *livePlan) isList() bool { return p.kind == "list" || p.kind == "todo" }

func hasOpen(entries []modelEntry) bool {
	return slices.ContainsFunc(entries, func(e modelEntry) bool { return e.Status != "completed" })
}

func newPlanModel(policy, prose, late string) *planModel {
	return &planModel{policy: policy, prose: prose, late: late, sessions: map[string]*sessionModel{}, files: map[string]modelEvent{}}
}

// on handles a message, and returns what the client gets.
func (m *planModel) on(e modelEvent) []modelOutput {
	m.now++
	m.out = nil
	if e.kind == "write" {
		m.write(e)
		return m.out
	}
	s := m.sessions[e.session]
	if s == nil {
		s = &sessionModel{id: e.session}
		m.sessions[e.session] = s
	}
	switch {
	case e.from == "client":
		m.fromClient(s, e)
	case e.kind == "opened":
		// opening.hold: "Hold updates of a new session until its response."
		s.isOpen = true
		m.pass(s, e)
		for _, e := range s.early {
			m.now++
			m.fromAgent(s, e)
		}
	case !s.isOpen:
		s.early = append(s.early, e)
	default:
		m.fromAgent(s, e)
	}
	for _, id := range []string{"s1", "s2"} {
		if s := m.sessions[id]; e.from == "agent" && s != nil && s.comesBack && !s.waits {
			s.comesBack = false
			m.show(s, false)
		}
	}
	return m.out
}

func (m *planModel) isLate(s *sessionModel) bool {
	return m.late == "drop" && len(s.prompts) == 0 && s.hadTurn && s.old == nil
}

func (m *planModel) pass(s *sessionModel, e modelEvent) {
	// turns.late: "Messages and tool calls after the end of a turn."
	isMessage := slices.Contains([]string{"message", "thought", "call", "call update"}, e.kind)
	if isMessage && m.isLate(s) {
		return
	}
	m.out = append(m.out, modelOutput{session: s.id, line: e.line})
}

func (m *planModel) fromClient(s *sessionModel, e modelEvent) {
	switch e.kind {
	case "prompt":
		s.prompts, s.hadTurn = append(s.prompts, e.id), true
		if len(s.prompts) == 1 {
			m.beginTurn(s)
			if s.isUpdated {
				m.expireAsked(s)
			}
			s.isUpdated = false
		}
	case "cancel":
		// "After you cancel a turn, acpshim still translates plan updates where they come.
		// Everything else waits for the first message of the next turn."
		s.isOver, s.waits, s.unsent = true, true, ""
		m.endQuestions(s)
	case "answer":
		i := slices.IndexFunc(s.questions, func(q *questionModel) bool { return q.id == e.id })
		if i < 0 {
			return
		}
		q := s.questions[i]
		s.questions = slices.Delete(s.questions, i, i+1)
		if e.status != "yes" {
			m.refused(s, q)
		}
	case "load":
		// "In a replay, each plan is shown where the agent replays it."
		old := *s
		*s = sessionModel{id: s.id, isOpen: true, old: &old, turn: 1, isFirst: true}
	}
}

// A turn is a prompt and everything up to its response.
func (m *planModel) beginTurn(s *sessionModel) {
	s.turn++
	s.isFirst = true
}

// expireAsked: "until a question with another text, the next document of the agent, or the next
// turn", and there until something else changes.
func (m *planModel) expireAsked(s *sessionModel) {
	s.plans = slices.DeleteFunc(s.plans, func(p *livePlan) bool { return p.kind == "asked" && p.lastTurn != s.turn })
}

func (m *planModel) removeAsked(s *sessionModel) {
	s.plans = slices.DeleteFunc(s.plans, func(p *livePlan) bool { return p.kind == "asked" })
}

// unreplaced: texts of documents that no other one replaces any more can be sent again.
func (m *planModel) unreplaced(s *sessionModel) {
	for _, p := range s.plans {
		p.isDropped = p.isDropped && m.isReplaced(s, p)
	}
}

// refused: "They are shown again when they have an update, or if you do not accept the plan: you
// reject it, cancel, or the request ends without a response."
func (m *planModel) refused(s *sessionModel, q *questionModel) {
	s.comesBack = s.comesBack || len(q.hides) > 0 // which is sent with the agent's next message
	s.isDirty = s.isDirty || s.comesBack
	for _, p := range q.hides {
		p.isHidden = false
	}
}

func (m *planModel) endQuestions(s *sessionModel) {
	for _, q := range s.questions {
		m.refused(s, q)
	}
	s.questions = nil
}

func (m *planModel) fromAgent(s *sessionModel, e modelEvent) {
	if s.old != nil && e.kind != "loaded" {
		s.replayed = append(s.replayed, e)
	}
	s.isUpdated = s.isUpdated || isPlanUpdate(e) && len(s.prompts) == 0
	isInTurn := len(s.prompts) > 0 && !s.isOver
	isFirst := s.waits && isInTurn
	if isFirst {
		m.firstMessage(s, e)
	}
	// "If the call has not ended, the plan is sent before the next message of the session that is
	// not about the call, or after a second."
	if s.unsent != "" && e.id != s.unsent && !isPlanUpdate(e) {
		s.unsent = ""
		if e.kind != "ask" && e.kind != "end" { // before which there is one plan
			m.show(s, false)
		}
	}
	s.inPrompt = s.inPrompt && e.kind == "said"
	switch e.kind {
	case "message", "thought", "said":
		m.endDocuments(s)
		if e.kind == "said" && !s.inPrompt {
			m.tell(s, nil)
			m.beginTurn(s)
		}
		s.inPrompt = e.kind == "said"
		m.pass(s, e)
	case "call", "call update":
		if e.kind == "call" {
			m.endDocuments(s)
			if s.comesBack && !s.waits {
				m.show(s, false)
			}
		}
		m.pass(s, e)
		if e.call == "todo" {
			m.todo(s, e)
		}
	case "usage":
		m.pass(s, e)
	case "ask":
		m.ask(s, e)
	case "end":
		m.end(s, e)
	case "loaded":
		m.loaded(s, e)
	case "removed":
		i := slices.IndexFunc(s.plans, func(p *livePlan) bool { return p.id == e.id && p.kind != "asked" })
		if i < 0 {
			m.updated(s, nil) // "A removal of an unknown id is ignored."
			break
		}
		p := s.plans[i]
		s.plans = slices.Delete(s.plans, i, i+1)
		m.updated(s, p)
	default:
		m.planUpdate(s, e)
	}
	if isPlanUpdate(e) && (s.unsent != "" || isFirst && !m.quirks["update first"]) {
		s.unsent = ""
		m.show(s, false)
	}
}

func isPlanUpdate(e modelEvent) bool {
	return slices.Contains([]string{"items", "legacy", "document", "file", "removed"}, e.kind)
}

// firstMessage: "Everything else waits for the first message of the next turn: plans from todo
// tools and files, last lines, and texts." "With turns.late = "hold" or "drop", plans and texts
// that come between turns wait for the next turn."
func (m *planModel) firstMessage(s *sessionModel, e modelEvent) {
	s.waits = false
	if m.quirks["update first"] && isPlanUpdate(e) {
		return
	}
	if e.kind == "ask" || e.kind == "end" {
		m.expireAsked(s)
		return // before which all of it is sent
	}
	for _, p := range slices.Clone(s.plans) {
		if !p.isOf(e) {
			m.endDocument(s, p)
		}
	}
	m.composeTodo(s)
	m.expireAsked(s)
	m.now++
	if s.isDirty && !isPlanUpdate(e) { // with which one plan is enough
		m.show(s, false)
	}
	outdated := slices.DeleteFunc(slices.Clone(s.plans), func(p *livePlan) bool { return !p.isOf(e) })
	m.tell(s, nil, outdated...)
}

func (m *planModel) end(s *sessionModel, e modelEvent) {
	if !s.isOver {
		isAgain := m.readFiles(s) // "and before the response"
		for _, p := range slices.Clone(s.plans) {
			m.endDocument(s, p)
		}
		m.endQuestions(s)
		hasFile := slices.ContainsFunc(s.plans, func(p *livePlan) bool { return p.path != "" })
		if s.isDirty || hasFile {
			m.show(s, isAgain)
		}
		m.tell(s, nil) // "or at the end of the turn"
		for _, p := range s.plans {
			p.isDropped = p.isDropped || m.isReplaced(s, p) && p.reading.more
		}
	}
	m.pass(s, e)
	s.isOver = false
	s.prompts = s.prompts[1:]
	if len(s.prompts) > 0 {
		m.beginTurn(s)
	} else if m.late != "pass" {
		s.waits = true
	}
}

// loaded: the plans of an accepted replay replace those from before.
func (m *planModel) loaded(s *sessionModel, e modelEvent) {
	if e.status == "ok" {
		m.endDocuments(s)
		m.tell(s, nil)
		s.old = nil
		m.pass(s, e)
		return
	}
	m.pass(s, e)
	// What the agent has sent counts for the plans from before.
	shown, sent, out := s.shown, s.replayed, m.out
	wasShown, before := shown != nil, s.old.shown
	if *s = *s.old; !wasShown {
		shown = s.shown
	}
	isFirst, isAgain := s.isFirst && !wasShown, false
	for _, e := range sent {
		if m.now++; isPlanUpdate(e) || e.call == "todo" {
			isAgain = isAgain || isFirst && e.kind != "removed"
			m.fromAgent(s, e)
		}
		isFirst = isFirst || e.kind == "said"
	}
	if s.shown, m.out = shown, out; len(m.selected(s)) == 0 && len(before) == 0 {
		s.shown = nil // there was no plan, and there is none
		return
	}
	m.show(s, isAgain)
}

// planUpdate is an update with a plan.
func (m *planModel) planUpdate(s *sessionModel, e modelEvent) {
	if e.kind == "legacy" {
		e.id = "legacy" // which is a plan of its own, also if there is one without an id
	}
	p := m.planOf(s, e.id)
	if (e.kind == "items" || e.kind == "legacy") && len(e.entries) == 0 &&
		!slices.ContainsFunc(s.plans, func(other *livePlan) bool { return other != p && other.kind != "todo" && other.kind != "asked" }) {
		if p.kind == "" && !p.isGrowing { // an empty plan before any other is not a plan
			s.plans = slices.DeleteFunc(s.plans, func(p *livePlan) bool { return p.kind != "asked" })
			m.show(s, false)
			return
		}
	}
	defer func() { p.lastTurn, p.isDropped = s.turn, false }()
	switch e.kind {
	case "items", "legacy":
		m.touch(s, p, "asked")
		if p.kind != "list" || !slices.Equal(p.entries, e.entries) {
			p.changed = m.now
		}
		// "They are shown again when they have an update."
		p.kind, p.entries, p.isHidden, p.isGrowing, p.doc, p.path = "list", e.entries, false, false, modelEvent{}, ""
		p.drawn, p.reading = "", modelReading{}
		p.isShown = len(p.entries) > 0 // an empty list does not count
	case "document":
		if !m.document(s, p, e) {
			return
		}
	case "file":
		m.removeAsked(s)
		m.touch(s, p)
		if p.kind != "file" || p.path != e.path {
			p.entries, p.reading, p.isShown = nil, modelReading{}, false
		}
		p.kind, p.path, p.isGrowing, p.doc = "file", e.path, false, modelEvent{}
		p.drawn = ""
		m.readFile(s, p)
	}
	m.onlyAgentsPlans(s)
	m.updated(s, p)
}

// document is an update with the text of a document. It reports whether that is more than a piece
// that changes nothing.
func (m *planModel) document(s *sessionModel, p *livePlan, e modelEvent) bool {
	m.touch(s, p)
	last := p.doc.text()
	if e.text() != last {
		p.raw = m.now
	}
	p.doc, p.isGrowing, p.path = e, true, ""
	s.sendsPlan = true
	if last != "" && e.text() == last { // "or the same text again"
		before, wasShown := p.reading.text, p.drawn != ""
		if m.endDocument(s, p); p.reading.text != before {
			p.changed = m.now
			if wasShown || !p.reading.isOpen {
				p.rewritten = m.now
			}
		}
		return true
	}
	if strings.TrimSpace(e.text()) != strings.TrimSpace(last) {
		p.sent = m.now
	}
	// "While an agent writes a document, acpshim shows the lines that have ended": it writes if the
	// text begins with the one before. Its first piece is shown as it is.
	isPiece := last != "" && strings.HasPrefix(e.text(), last)
	piece := e
	if isPiece {
		piece.n = strings.LastIndex(e.text(), "\n") + 1
	}
	r := piece.reading(true)
	if !strings.HasPrefix(e.text(), p.drawn) {
		p.drawn = ""
	}
	goesOn := p.drawn != ""
	// "Until then, a document that is only a title and paragraphs changes nothing." A document that
	// was ended as such and goes on is already there.
	if r.isOpen && !(goesOn && p.reading.isOpen) {
		return false
	}
	if goesOn && piece.n <= len(p.drawn) {
		p.changed = m.now
	} else {
		at := m.now
		asked := askedPlan(s)
		if asked != nil && strings.HasPrefix(asked.reading.text, e.text()) {
			at = asked.rewritten // this is the document that the question was about
		}
		if asked != nil && asked.lastTurn == s.turn && (at != m.now || p.kind == "") {
			p.newest, p.newestTurn = asked.newest, asked.newestTurn
		}
		p.kind, p.drawn = "document", piece.text()
		m.removeAsked(s) // "until [...] the next document of the agent"
		m.read(s, p, r, at)
	}
	return true
}

func askedPlan(s *sessionModel) *livePlan {
	for _, p := range s.plans {
		if p.kind == "asked" {
			return p
		}
	}
	return nil
}

// onlyAgentsPlans: "If the agent also sends plans, only those count."
func (m *planModel) onlyAgentsPlans(s *sessionModel) {
	s.sendsPlan = true
	s.plans = slices.DeleteFunc(s.plans, func(p *livePlan) bool { return p.kind == "todo" })
}

// planOf returns the plan with an id, or a new one.
func (m *planModel) planOf(s *sessionModel, id string) *livePlan {
	for _, p := range s.plans {
		if p.id == id && p.kind != "asked" && p.kind != "todo" {
			return p
		}
	}
	p := &livePlan{id: id, newest: m.now, newestTurn: s.turn}
	s.plans = append(s.plans, p)
	return p
}

// touch notes an update or a question: "The older one counts as new when a later turn has an update
// or a question about it."
func (m *planModel) touch(s *sessionModel, p *livePlan, by ...string) {
	if p.touched != s.turn && !p.isList() && m.isReplacedBy(s, p, append(by, "document", "file")...) {
		p.newest, p.newestTurn = m.now, s.turn
	}
	p.lastTurn, p.touched = s.turn, s.turn
}

// read gives a document a text that was sent at some time.
func (m *planModel) read(s *sessionModel, p *livePlan, r modelReading, at int) {
	if p.reading.text != r.text || !slices.Equal(p.entries, r.entries) {
		p.changed = at
		s.isDirty = true
	}
	// "Only the marks of entries do not count as a change."
	if p.reading.bare != r.bare || r.text == "" && p.changed == at {
		p.rewritten = at
	}
	if p.kind == "document" || p.kind == "file" {
		m.onlyAgentsPlans(s)
	}
	p.reading, p.entries, p.isShown = r, r.entries, !r.isEmpty
}

func (m *planModel) endDocument(s *sessionModel, p *livePlan) {
	if p.isGrowing {
		p.isGrowing, p.kind, p.drawn = false, "document", p.doc.text()
		m.removeAsked(s) // "until [...] the next document of the agent"
		m.read(s, p, p.doc.reading(true), p.sent)
	}
}

// endDocuments: "It shows the last one when the agent ends the document: with a message, a thought
// or a new tool call in the same session, a question, the end of the turn, or the same text again."
func (m *planModel) endDocuments(s *sessionModel) {
	if m.isLate(s) || s.waits && len(s.prompts) == 0 {
		return
	}
	m.unreplaced(s)
	hasEnded := false
	for _, p := range slices.Clone(s.plans) {
		hasEnded = hasEnded || p.isGrowing
		m.endDocument(s, p)
	}
	if hasEnded && !s.waits {
		m.show(s, false)
	}
}

// readFile: "If it cannot read the file, it keeps the last plan, or shows the file's name as the
// only entry."
func (m *planModel) readFile(s *sessionModel, p *livePlan) {
	f, ok := m.files[p.path]
	switch {
	case ok && f.reading(true).text != p.reading.text: // "and treats its text like a document"
		m.touch(s, p)
		m.removeAsked(s)
		p.isDropped = false
		m.read(s, p, f.reading(true), m.now)
	case ok:
	case !p.isShown:
		m.read(s, p, modelReading{entries: []modelEntry{{"Plan file: " + p.path, "medium", "pending"}}}, m.now)
	}
}

// readFiles reports whether that is the first update of this turn of a plan that is shown.
func (m *planModel) readFiles(s *sessionModel) (isFirst bool) {
	changed := map[*livePlan]bool{}
	for _, p := range slices.Clone(s.plans) {
		if text := p.reading.text; p.path != "" {
			m.readFile(s, p)
			changed[p] = p.reading.text != text
		}
	}
	return s.isFirst && slices.ContainsFunc(m.selected(s), func(p *livePlan) bool { return changed[p] })
}

// write: "While a prompt is pending, it reads the file again within a second of a change."
func (m *planModel) write(e modelEvent) {
	m.files[e.path] = e
	if e.from == "unnoticed file" {
		return
	}
	for _, id := range []string{"s1", "s2"} {
		s := m.sessions[id]
		if s == nil || len(s.prompts) == 0 || !slices.ContainsFunc(s.plans, func(p *livePlan) bool { return p.path != "" }) {
			continue
		}
		before := s.isDirty
		if isAgain := m.readFiles(s); !s.waits {
			m.show(s, isAgain)
			s.isDirty = s.isDirty || before
		}
	}
}

// todo is a call of a todo tool.
func (m *planModel) todo(s *sessionModel, e modelEvent) {
	if s.sendsPlan {
		return // "If the agent also sends plans, only those count."
	}
	isChange := e.isList || e.status == "failed" && slices.ContainsFunc(s.calls, func(c modelEvent) bool { return c.id == e.id })
	// "If a call fails, its change is undone."
	s.calls = slices.DeleteFunc(s.calls, func(c modelEvent) bool {
		return c.id == e.id && (e.isList || e.status == "failed")
	})
	if e.isList {
		s.calls = append(s.calls, e)
	}
	if isChange {
		m.composeTodo(s)
	}
	if s.waits || !isChange && s.unsent != e.id {
		return
	}
	if e.status == "completed" || e.status == "failed" {
		s.unsent = ""
		m.updated(s, m.todoPlan(s)) // "A plan from a call follows the call."
	} else {
		s.unsent = e.id
	}
}

func (m *planModel) todoPlan(s *sessionModel) *livePlan {
	for _, p := range s.plans {
		if p.kind == "todo" {
			return p
		}
	}
	return nil
}

// composeTodo makes the plan of the last call that has a list.
func (m *planModel) composeTodo(s *sessionModel) {
	if s.sendsPlan {
		return
	}
	i := slices.IndexFunc(s.plans, func(p *livePlan) bool { return p.kind == "todo" })
	switch {
	case len(s.calls) == 0 && i >= 0:
		s.plans = slices.Delete(s.plans, i, i+1)
		s.isDirty = true
		return
	case len(s.calls) == 0:
		return
	case i < 0:
		i = len(s.plans)
		s.plans = append(s.plans, &livePlan{kind: "todo"})
	}
	p := s.plans[i]
	p.isShown = len(s.calls[len(s.calls)-1].entries) > 0
	m.touch(s, p)
	p.isHidden = false
	if entries := s.calls[len(s.calls)-1].entries; !slices.Equal(entries, p.entries) {
		p.entries, p.changed = entries, m.now
		s.isDirty = true
	}
}

// ask is a permission request.
func (m *planModel) ask(s *sessionModel, e modelEvent) {
	for _, p := range slices.Clone(s.plans) {
		m.endDocument(s, p)
	}
	if e.call == "switch_mode" { // "before a question about a plan"
		m.readFiles(s)
		m.now++ // the question comes after what the files say
	}
	var about []*livePlan
	// "A question is about a plan if it is a permission request for a call of the kind
	// switch_mode."
	if e.call == "switch_mode" {
		about = m.about(s, e)
	}
	q := &questionModel{id: e.id}
	if len(about) > 0 {
		s.questions = append(s.questions, q)
	}
	for _, p := range s.plans {
		// "A question about a plan hides the lists that have no update in this turn."
		if len(about) > 0 && m.policy == "checklists" && p.isList() && p.lastTurn != s.turn && !p.isHidden {
			p.isHidden = true
			q.hides = append(q.hides, p)
		}
	}
	selected := m.selected(s)
	isShown := slices.ContainsFunc(about, func(p *livePlan) bool { return slices.Contains(selected, p) })
	if s.isDirty || e.call == "switch_mode" {
		m.show(s, s.isFirst && isShown) // a question counts as an update
	}
	m.tell(s, about)
	m.pass(s, e)
}

// about returns the plans that a question is about.
func (m *planModel) about(s *sessionModel, e modelEvent) (about []*livePlan) {
	if e.n == 0 {
		// "Without such a text, the question is about every document with an update in this turn."
		for _, p := range s.plans {
			if !p.isList() && p.kind != "asked" && p.lastTurn == s.turn {
				about = append(about, p)
			}
		}
		return about
	}
	// "If the input of the call has a text called plan, the question is about the document with
	// this text."
	text := strings.TrimSpace(e.text())
	for _, p := range s.plans {
		if !p.isList() && strings.TrimSpace(p.reading.text) == text {
			m.touch(s, p, "asked")
			p.isDropped = false
			about = append(about, p)
			p.isTold = p.isTold && (p.toldTurn == s.turn || !m.quirks["asked later"])
		}
	}
	if len(about) > 0 {
		if about[0].kind != "asked" && !m.quirks["two questions"] {
			m.removeAsked(s) // "until a question with another text"
		}
		return about[:1]
	}
	// "If there is no such document, the text is shown as a plan of its own, until a question with
	// another text [...]"
	p := &livePlan{kind: "asked", newest: m.now, newestTurn: s.turn}
	if old := askedPlan(s); old != nil {
		s.plans[slices.Index(s.plans, old)] = p
	} else {
		s.plans = append(s.plans, p)
	}
	m.touch(s, p)
	m.read(s, p, e.reading(true), m.now)
	return []*livePlan{p}
}

// tell sends texts before a question or at the end of a turn.
func (m *planModel) tell(s *sessionModel, asked []*livePlan, outdated ...*livePlan) {
	if m.prose == "drop" { // "plan.prose = "drop" turns these messages off."
		return
	}
	shown := m.selected(s)
	for _, p := range s.plans {
		// "Such a text does not become a message, because editors show the input of a question."
		if p.isList() || p.kind == "asked" || p.reading.text == "" || p.isGrowing || slices.Contains(outdated, p) {
			continue
		}
		isReplaced := m.policy == "checklists" && m.isReplaced(s, p)
		if isReplaced && p.lastTurn != s.turn {
			continue // its text is older than this turn, and the agent has a newer document
		}
		// "The text of a document becomes a message of the agent if the document has more than
		// entries and headings, such as a paragraph, notes or code, or if its entries are not
		// shown."
		is := (p.reading.more || p.reading.columns) && !p.isDropped || !slices.Contains(shown, p) && !isReplaced
		isAsked := slices.Contains(asked, p)
		// "Here it also sends the text of a document that has only entries, if they leave out a
		// part of their lines."
		is = is || isAsked && (p.reading.hides || p.reading.columns)
		// "acpshim sends the text again when it changes. Only the marks of entries do not count as
		// a change."
		isNew := !p.isTold || p.told != p.reading.bare
		// "Before the question, acpshim sends the text of these documents if it was not sent in
		// this turn, or has changed since."
		isNew = isNew || isAsked && p.toldTurn != s.turn
		if is && isNew {
			p.isTold, p.told, p.toldTurn = true, p.reading.bare, s.turn
			m.out = append(m.out, modelOutput{session: s.id, text: p.reading.text})
		}
	}
}

// selected returns the plans that are shown.
func (m *planModel) selected(s *sessionModel) (all []*livePlan) {
	var lists, docs []*livePlan
	for _, p := range s.plans {
		switch {
		case !p.isShown:
			continue
		case p.isList() && !p.isHidden:
			lists = append(lists, p)
		case !p.isList() && !m.isReplaced(s, p):
			docs = append(docs, p)
		}
		all = append(all, p)
	}
	switch m.policy {
	case "all": // "shows all plans, one after the other."
		return all
	case "latest": // "shows the plan that changed last."
		slices.SortStableFunc(all, func(a, b *livePlan) int { return b.changed - a.changed })
		return all[:min(1, len(all))]
	}
	// "shows the lists. It shows documents instead if every entry of the lists is completed, and
	// the text of a document changed later than the lists. It shows those documents whose text
	// changed later than the lists."
	if len(lists) == 0 {
		return docs // config.md: "or the documents if there is no checklist"
	}
	isOpen, last := false, 0
	for _, p := range lists {
		isOpen = isOpen || hasOpen(p.entries)
		last = max(last, p.changed)
	}
	later := slices.DeleteFunc(docs, func(p *livePlan) bool { return p.rewritten < last })
	if !isOpen && len(later) > 0 {
		return later
	}
	return lists
}

// isReplaced: "A newer document replaces an older one that has not changed since, if the older one
// has no open entries, or had its last update or question in an earlier turn."
func (m *planModel) isReplaced(s *sessionModel, old *livePlan) bool {
	return m.isReplacedBy(s, old, "document", "file", "asked")
}

func (m *planModel) isReplacedBy(s *sessionModel, old *livePlan, kinds ...string) bool {
	for _, p := range s.plans {
		if slices.Contains(kinds, p.kind) && p.isShown && p.newest > max(old.changed, old.raw, old.newest) && (!hasOpen(old.entries) || old.lastTurn < p.newestTurn) {
			return true
		}
	}
	return false
}

// updated: "acpshim sends a plan when it changes. In a new turn, the first plan update is sent even
// if nothing changed."
func (m *planModel) updated(s *sessionModel, p *livePlan) {
	m.expireAsked(s)
	isShown := slices.Contains(m.selected(s), p)
	m.show(s, s.isFirst && isShown)
	s.isFirst = s.isFirst && !isShown
}

// show sends the plan if it has changed.
func (m *planModel) show(s *sessionModel, always bool) {
	if s.waits && len(s.prompts) == 0 && m.late != "pass" {
		s.isDirty = true
		return // "plans and texts that come between turns wait for the next turn"
	}
	s.isDirty = false
	m.expireAsked(s)
	m.unreplaced(s)
	entries := []modelEntry{}
	for _, p := range m.selected(s) {
		entries = append(entries, p.entries...)
	}
	if slices.Equal(entries, s.shown) && (!always || len(entries) == 0) {
		return
	}
	s.shown, s.isFirst = entries, false
	s.isDirty, s.comesBack = false, false
	m.out = append(m.out, modelOutput{session: s.id, isPlan: true, plan: entries})
}
