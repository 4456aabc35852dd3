// Package plans shows the agent's plans to an old client. Plan updates, documents, plan files and
// the calls of todo tools become the legacy plan, or a message. It is one adapter, because all of
// these share the state of what the client has and what is pending. It opens no files and logs
// nothing; both go through [Options].
package plans

import (
	"errors"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// Options are the options of an Adapter. Only For is required.
type Options struct {
	// For returns the settings for two peers. It must not block. The first call is for the request
	// to initialize, with an empty agent, and only its Advertise counts. The second call is for the
	// response, and the other settings count.
	For func(client, agent conversation.Implementation) Settings

	// ReadFile returns the text of a file plan. Roots are the absolute folders of the session. It
	// must not block, because the agent's lines wait for it. After ErrLater, the caller passes the
	// text to Adapter.FileRead later. After context.DeadlineExceeded, the adapter reads no other
	// file for the current message, and the caller passes their texts to FileRead later.
	ReadFile func(uri string, roots []string) (string, error)

	// AwaitWrites is called before plan files are read for a request or response. It may wait a
	// moment for files that are being written. It may be nil.
	AwaitWrites func(files []File)

	// FilesChanged is called when the result of Adapter.Files may have changed. Any goroutine calls
	// it. It must neither block nor call Files. It may be nil.
	FilesChanged func()

	Events Events
}

// Settings say how to translate plans.
type Settings struct {
	Advertise bool             // announce plan support to the agent for an old client
	Policy    translate.Policy // the default is translate.Checklists
	ShowAs    ShowAs           // the default is AsPlan
	PolicyBy  string           // the profile that set Policy, or ""; for records
	ShowAsBy  string           // the profile that set ShowAs, or ""; for records
	Prose     bool             // show the text of documents that have more than their entries
	LateWait  bool             // plans wait for the next turn once a turn is over: see turns.Late

	// Tools are the todo tools whose calls become a legacy plan for every client. The first one
	// that recognises a call reads it.
	Tools []*todo.Tool
}

// Events help with debugging. Each may be nil. Any goroutine calls them. They must not block.
type Events struct {
	Negotiated func(Negotiation)
	FileRead   func(f FileText)                // a file plan was read
	Unreadable func(session string, err error) // a file plan could not be read; the error names it
	Flawed     func(session string, err error) // a document in JSON is invalid; its valid part is shown
	Dropped    func(session string, err error) // a plan update is invalid, and the client would refuse it
}

// An Adapter translates the plans of one connection.
//
//   - Settles: You see no plan: the agent sends plan updates with entries, documents or files, or
//     only calls of a todo tool. The client knows only the legacy plan.
//   - For: Clients without plan support. Plans of todo tools: every client.
//   - Keys: plan.advertise, plan.policy, plan.show_as, plan.prose, plan.tools, plan.file
//   - Seen: acpx 0.19.1, Toad 0.6.20, agent-shell 0.74.3, codex-acp 2.6.0, opencode 1.18.33
//   - Read: agentclientprotocol/codex-acp#237, zed-industries/zed#51204, zed-industries/zed#63741
type Adapter struct {
	dispatch.Base
	c    *conversation.Conversation
	opts Options

	negotiated     bool
	translating    bool         // the client is old
	tools          []*todo.Tool // the tools of set for this agent
	set            Settings
	sessions       *conversation.Slot[*conversation.Session, *session]
	questions      *conversation.Slot[*conversation.Request, question] // about plans
	documents      map[*session]bool                                   // the sessions with pending documents
	waiting        map[*session]envelope                               // the sessions with a pending plan, and its envelope
	awaited        map[*session]bool                                   // the sessions whose next update Handle needs: see await
	wantsAll       bool                                                // Wants has all updates, because of awaited
	filePlans      int                                                 // the number of file plans of all sessions
	planLine       int64                                               // the number of the last line that has a plan or opened a session
	batchWithPlans int64                                               // the number of the last batch after which plans were added
	flushDue       bool                                                // the next Flush has something to show
	filesChanged   bool                                                // FilesChanged is due at the end of the call
	hasEnded       bool                                                // the agent sends nothing more, so nothing waits any more
}

// New returns an Adapter for a new connection.
func New(c *conversation.Conversation, o Options) *Adapter {
	if o.ReadFile == nil {
		o.ReadFile = func(string, []string) (string, error) { return "", errors.New("reading files is off") }
	}
	return &Adapter{
		c: c, opts: o, sessions: conversation.NewSlot[*conversation.Session, *session](c),
		questions: conversation.NewSlot[*conversation.Request, question](c),
		documents: map[*session]bool{}, waiting: map[*session]envelope{}, awaited: map[*session]bool{},
	}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "plan" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if !a.follows() {
		return nil
	}
	w := dispatch.Want{From: dispatch.Agent, Sessions: true, Responses: []string{
		acp.SessionPrompt, acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume, acp.SessionClose, acp.SessionDelete,
	}}
	if a.translating || len(a.tools) > 0 {
		w.Methods, w.Updates = []string{"*"}, []string{acp.Plan, acp.PlanUpdate, acp.PlanRemoved}
	}
	if len(a.tools) > 0 {
		w.Updates = append(w.Updates, acp.ToolCall, acp.ToolCallUpdate)
	}
	if a.wantsAll {
		w.Updates = append(w.Updates, "*")
	}
	wants := []dispatch.Want{w, {
		From: dispatch.Agent, Updates: []string{acp.UserMessageChunk}, While: []string{acp.SessionLoad, acp.SessionResume},
	}}
	if a.translating {
		wants = append(wants, dispatch.Want{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}},
			dispatch.Want{From: dispatch.Agent, Calls: true, Text: acp.KindSwitchMode}) // for questions about plans
	}
	return wants
}

// follows reports whether the adapter tracks plans and sessions. It does until initialize has a
// response, and later if the client needs plans.
func (a *Adapter) follows() bool { return !a.negotiated || a.translating || len(a.tools) > 0 }

// Cares implements dispatch.Adapter.
func (a *Adapter) Cares(from dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	due := a.flushDue || len(a.documents) > 0 || len(a.waiting) > 0
	switch {
	case r != nil && from == dispatch.Client:
		if _, isAboutPlan := a.questions.Get(r); isAboutPlan {
			return dispatch.Yes
		}
		return dispatch.No
	case r != nil && r.Prompts() && !due && a.filePlans == 0 && !a.isAsking():
		return dispatch.No // nothing is pending
	case r != nil:
		return dispatch.Yes
	case h.SessionUpdate != nil:
		return a.caresForUpdate(h)
	case due && !isForMachine(string(h.Method)), a.isToolMethod(string(h.Method)), a.translating && string(h.Method) == acp.SessionRequestPermission:
		return dispatch.Yes
	}
	return dispatch.No
}

// reportFiles calls FilesChanged if that is due.
func (a *Adapter) reportFiles() {
	if a.filesChanged && a.opts.FilesChanged != nil {
		a.opts.FilesChanged()
	}
	a.filesChanged = false
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	switch r := e.Request; {
	case e.Kind == conversation.SessionRemoved:
		a.sessionRemoved(e.Session)
	case e.Kind == conversation.RequestEnded && r.From == conversation.Agent:
		a.questionEnded(r)
	case e.Kind == conversation.PeersChanged || r.From == conversation.Agent || !a.follows():
		return
	case e.Kind == conversation.RequestBegan && r.Method == acp.SessionLoad:
		s := a.session(r.Session)
		if s.replayed == nil {
			s.replayed = &plans{} // they count if the agent accepts the load
		}
		s.isPaused = false
		a.notePending(s)
		a.weigh(s)
	case e.Kind == conversation.RequestBegan && a.c.BeginsTurn(r):
		a.turnBegan(r)
	case e.Kind == conversation.RequestEnded && r.Prompts():
		a.turnEnded(r)
	case e.Kind == conversation.RequestEnded && r.Opens() && !a.c.Opening(r.Session):
		a.finishOpening(r.Session)
	}
	if r := e.Request; r != nil && (r.Prompts() || r.Creates() || r.Opens()) {
		a.filesChanged = a.filesChanged || a.filePlans > 0
	}
	a.reportFiles()
}

// sessionRemoved removes the state of an evicted or closed session.
func (a *Adapter) sessionRemoved(of *conversation.Session) {
	s, ok := a.sessions.Get(of)
	if !ok {
		return
	}
	a.filesChanged = a.filesChanged || s.files > 0
	a.filePlans -= s.files
	delete(a.documents, s)
	delete(a.waiting, s)
	delete(a.awaited, s)
	s.call.end()
}

// finishOpening decides which plans of a session count, after all requests that open it have a
// response. If the agent accepted a load, the replayed plans count. Otherwise the plans from before
// count, and they are shown again.
func (a *Adapter) finishOpening(id string) {
	of, _ := a.c.Find(id)
	s, ok := a.sessions.Get(of)
	if !ok || s.replayed == nil {
		return
	}
	replayed := s.replayed
	s.replayed = nil
	if s.Loaded {
		s.now, a.filesChanged = replayed, true
	} else if replayed.shown != (entry.Digest{}) {
		s.now.shown, s.now.shownIsOurs = replayed.shown, true
	}
	if a.showAs() == AsPlan && a.isDue(s) {
		a.showLater(s)
	}
	a.notePending(s)
	a.count(s)
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	defer a.reportFiles()
	switch {
	case m.From == dispatch.Client && m.Kind == dispatch.Response:
		a.answered(m)
		return
	case m.From == dispatch.Client:
		a.initialize(m)
		return
	case m.Kind == dispatch.Response:
		a.response(m)
		return
	}
	switch {
	case m.Method == acp.SessionUpdate:
		a.update(m)
	case a.isToolMethod(m.Method):
		a.toolMessage(m)
	case m.Kind == dispatch.Request && !isForMachine(m.Method):
		a.ask(m)
	}
}

// Unread implements dispatch.UnreadHandler. An unread response can open a session, too, so the
// plans that wait for it are shown by the next Flush.
func (a *Adapter) Unread(m *dispatch.Message, err error) {
	if m.Request != nil && m.From == dispatch.Agent {
		a.flushDue = true
		a.filesChanged = a.filesChanged || a.filePlans > 0
		a.reportFiles()
	}
}

// Flush implements dispatch.Flusher. It shows the delayed plans, and at the end of the input the
// pending documents.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if m.From == dispatch.Client || !end && !a.flushDue {
		return
	}
	defer a.reportFiles()
	a.hasEnded = end
	m.Because(whyPause)
	for _, s := range a.allSessions() {
		if end && !a.isQuiet(s) {
			a.settle(s)
		}
	}
	lines := a.release("", atFlush)
	if end && len(lines) == 0 {
		lines = a.showAllDocuments(nil, atFlush)
	}
	m.After(lines)
}

// showBefore shows the waiting plans before a message. If documents is true, it also shows the
// pending documents of the session with that id, or of all sessions if the id is "".
func (a *Adapter) showBefore(m *dispatch.Message, id string, documents bool, at moment) {
	var files []readResult
	if documents {
		files = a.readFiles(id, at)
	}
	a.applyReads(files)
	s := a.find(id)
	for _, of := range a.allSessions() {
		if documents && (id == "" || of == s) {
			a.resume(of)
			a.settle(of)
		}
	}
	lines := a.releaseBefore(m, id, at)
	if documents && id == "" {
		lines = a.showAllDocuments(lines, at)
	} else if documents && s != nil {
		lines = a.showDocuments(lines, s, at)
	}
	m.Before(lines)
}

// response shows the plans and documents that waited for a response: those of the ended turn before
// it, and those of a session that it opens after it.
func (a *Adapter) response(m *dispatch.Message) {
	r := m.Request
	m.Because(whyTurnEnd)
	if r.Prompts() {
		a.turnLeaves(r.Session)
	}
	if !r.Creates() && !r.IsCancelled {
		a.showBefore(m, r.Session, r.Prompts() || r.Opens() && !m.IsRefusal(), atEnd)
	}
	if r.Creates() || r.Opens() {
		m.Because(whyOpened)
	}
	s := a.find(r.Session)
	switch {
	case r.Creates() && m.Opened() == "" && !a.c.Creating():
		a.removeWaiting()
	case s != nil && r.Opens():
		a.updateState(s)
	}
	if r.Opens() && !a.c.Opening(r.Session) {
		a.finishOpening(r.Session)
	}
	lines := a.release(r.Session, atEnd)
	if a.after(m, lines); r.Creates() || r.Opens() {
		a.planLine = m.Number
	}
}

// removeWaiting removes the sessions with waiting plans that the client does not know, because the
// agent has not created them.
func (a *Adapter) removeWaiting() {
	for s := range a.waiting {
		if !s.Known && !s.Named {
			a.c.Remove(s.Session)
		}
	}
}

// isToolMethod reports whether a todo tool has a method as its own.
func (a *Adapter) isToolMethod(method string) bool {
	return slices.ContainsFunc(a.tools, func(t *todo.Tool) bool { return t.Method() == method })
}
