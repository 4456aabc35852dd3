package plans

import (
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

const (
	permission  = "session/request_permission"
	userMessage = "user_message_chunk"
)

// turnBegan notes that a prompt began a turn: what the agent sends from here on is shown in it. The
// lock is held, here and below.
func (a *Adapter) turnBegan(prompt *conversation.Request) {
	sessions := a.c.Sessions() // it may be a turn of any
	if of, _ := a.c.Find(prompt.Session); prompt.Session != "" {
		sessions = []*conversation.Session{of}
	}
	for _, of := range sessions {
		if s, ok := a.sessions.Get(of); ok {
			s.beginTurn()
			a.await(s)
		}
	}
}

func (s *session) beginTurn() {
	for _, p := range s.all() {
		p.set.BeginTurn()
	}
}

// turnEnded notes that a prompt is pending no longer. If it was cancelled, what is pending waits
// for the next turn: clients drop what comes after a cancel, or take it for a turn that goes on.
func (a *Adapter) turnEnded(prompt *conversation.Request) {
	of, _ := a.c.Find(prompt.Session)
	if s, ok := a.sessions.Get(of); ok && prompt.IsCancelled {
		s.isPaused = true
		a.await(s)
	}
	if s, ok := a.sessions.Get(of); ok && !prompt.IsCancelled && a.isRunning(s) {
		s.beginTurn() // the agent, or turns.queue, had the next prompt wait
	}
	if a.wantsAll && len(a.awaited) == 0 {
		a.wantsAll = false
		a.c.ChangeWants()
	}
}

// await notes whether the session's next update, of whatever kind, is to be seen: something goes
// before it. Once it is for one, all updates are asked about until a turn ends.
func (a *Adapter) await(s *session) {
	delete(a.awaited, s)
	if s.Evicted || !(s.isPaused && a.isRunning(s) || !s.isPaused && s.current().set.IsGrowing()) {
		return
	}
	a.awaited[s] = true
	if !a.wantsAll {
		a.wantsAll = true
		a.c.ChangeWants()
	}
}

// isRunning reports whether a turn of the session is under way.
func (a *Adapter) isRunning(s *session) bool { return a.c.Prompting(s.ID) && !a.c.IsTurnOver(s.ID) }

// resume ends the pause of a session if its next turn is under way.
func (a *Adapter) resume(s *session) (resumed bool) {
	if !s.isPaused || !a.isRunning(s) {
		return false
	}
	s.isPaused = false
	a.await(s)
	return true
}

// goOn shows before a session update what waited for one: what was pending when a turn was
// cancelled, the last line of a document if the update is of something else, and in a replay the
// documents of the turn that ends with it. A plan goes in the place of its update, so before that
// nothing is shown.
func (a *Adapter) goOn(m *dispatch.Message, isPlan bool) {
	defer a.lock()()
	s := a.use(m.Session)
	if s == nil {
		return
	}
	isReplayed := m.Update == userMessage && a.c.Opening(s.ID)
	resumed := a.resume(s)
	if isPlan || !isReplayed && !resumed && !endsDocuments(m.Update) {
		return
	}
	m.Because("acpshim held the plan until the next update of the session")
	lines := a.settleLines(s, resumed || isReplayed)
	if resumed || isReplayed {
		lines = a.showDocuments(lines, s, atQuestion)
	}
	m.Before(lines)
	if isReplayed {
		s.beginTurn()
	}
}

// endsDocuments reports whether an agent that sends such an update has written its document to the
// end: it speaks, or works, on.
func endsDocuments(update string) bool {
	return update == "agent_message_chunk" || update == "agent_thought_chunk" || update == "tool_call"
}

// settle has the session's documents read to the end of their last lines. What that changes waits
// for release.
func (a *Adapter) settle(s *session) {
	changed := false
	for _, p := range s.all() {
		changed = p.set.Settle() || changed
	}
	if !changed {
		return
	}
	a.applied(s)
	if a.showAs() == AsPlan && (s.isLarge() || a.isDue(s)) {
		a.showLater(s)
	}
}

// settleLines is settle, and returns the session's plan if it waited. A large one waits for the
// next Flush, unless it has to be there now.
func (a *Adapter) settleLines(s *session, now bool) (lines []byte) {
	a.settle(s)
	if e, waits := a.waiting[s]; waits && (now || !s.isLarge()) && a.c.Ready(s.Session) && !a.isQuiet(s) && a.affords(s) {
		lines = wire.EndLine(a.show(nil, s, e))
		a.Spend(dispatch.Agent, len(lines))
	}
	return lines
}

// askAbout notes which plan a permission request is about, if it is: its input has a text of
// several lines, or it is about leaving a mode for plans. A plan that only the request has is shown
// from then on.
func (a *Adapter) askAbout(m *dispatch.Message) {
	call, _ := wire.Parse(m.Params().Raw("toolCall"), "rawInput")
	text, _ := call.Open("rawInput").Text("plan")
	kind, _ := call.Text("kind")
	content, _ := wire.Elements(call.Raw("content"))
	isPlan := kind == "switch_mode" || strings.Contains(text, "\n") // other tools have a plan, too, such as a tariff
	if !isPlan || len(m.Session) > conversation.MaxSessionID || !wire.IsString(m.Params().Raw("sessionId")) {
		return
	}
	defer a.lock()()
	s := a.session(m.Session)
	for _, p := range s.all() {
		p.set.AskAbout(text, len(content) > 0)
	}
	a.applied(s)
	a.setPending(s, true)
	if a.showAs() == AsPlan && a.isDue(s) {
		a.showLater(s)
	}
}
