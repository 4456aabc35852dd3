// Package plans shows an old client what the agent's plans say: plan updates, documents, plan files
// and the calls of todo tools become the legacy plan, or a message. It is one adapter because
// all of these share one state: what the client was shown, and what it is still to be shown. It
// opens no file and logs nothing; both go through [Options].
package plans

import (
	"errors"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// Options are what an Adapter is given. For is required; else the zero value cannot read file plans
// and reports to nobody.
type Options struct {
	// For returns the settings for two peers. It is called for the request to initialize, where
	// Advertise counts and agent is empty, and again for the response, where the others count. It
	// must not block.
	For func(client, agent conversation.Implementation) Settings

	// ReadFile returns the text of a file plan. Roots are the absolute folders that the client
	// opened the session with. It has to return at once: the agent's traffic waits for it. After
	// ErrLater the text is given to Adapter.FileRead. After context.DeadlineExceeded the other
	// files that are due at this moment are not read now, but given to FileRead, too.
	ReadFile func(uri string, roots []string) (string, error)

	// AwaitWrites is called before the plan files are read that are shown before a request or
	// response. It may wait a moment for those that are being written. It may be nil.
	AwaitWrites func(files []File)

	// FilesChanged is called when what Adapter.Files returns may have changed, from any goroutine
	// and perhaps with the conversation's lock held, so it must neither block nor call Files. It
	// may be nil.
	FilesChanged func()

	Events Events
}

// Settings say how plans are translated. The zero value translates what arrives by the default
// policy, advertises nothing and drops prose.
type Settings struct {
	Advertise bool             // announce plan support to the agent for an old client
	Policy    translate.Policy // "" is translate.Checklists
	ShowAs    ShowAs           // "" is AsPlan
	PolicyBy  string           // the profile that set Policy, for records; "" if none did
	ShowAsBy  string           // likewise, ShowAs
	Prose     bool             // show the text of documents that say more than their entries

	// Tools are the todo tools whose calls become a legacy plan, for every client. The first one
	// that recognises a call reads it.
	Tools []*todo.Tool
}

// Events report what a person who debugs wants to know; each may be nil. They are called from any
// goroutine and perhaps with the conversation's lock held, so they must not block.
type Events struct {
	Negotiated func(Negotiation)
	FileRead   func(f FileText)                // a file plan was read
	Unreadable func(session string, err error) // a file plan could not be read; the error names it
	Flawed     func(session string, err error) // a document in JSON is not as its format has it; it is shown as far as it can be
	Dropped    func(session string, err error) // a plan update made no sense and the client would refuse it
}

// An Adapter translates the plans of one connection.
//
//   - Settles: An agent sends plan updates with entries, documents and files, or only calls of a
//     todo tool; an old client knows one legacy plan.
//   - For: Clients that do not announce plan support. Plans of todo tools: every client.
//   - Keys: plan.advertise, plan.policy, plan.show_as, plan.prose, plan.tools, plan.file
//   - Seen: acpx 0.19.1, Toad 0.6.20, agent-shell 0.74.3, codex-acp 2.6.0, opencode 1.18.33
//   - Read: agentclientprotocol/codex-acp#237, zed-industries/zed#51204, zed-industries/zed#63741
type Adapter struct {
	dispatch.Base
	c    *conversation.Conversation
	opts Options

	// The fields below are protected by the conversation's lock.
	negotiated  bool
	translating bool         // as the last handshake settled it
	tools       []*todo.Tool // those of set that serve the agent
	set         Settings
	sessions    *conversation.Slot[*conversation.Session, *session]
	documents   map[*session]bool     // those with pending documents
	waiting     map[*session]envelope // of plans that changed, and that the client was not sent yet
	awaited     map[*session]bool     // those whose next update is to be seen: see await
	wantsAll    bool                  // all updates are asked about, for these
	filed       int                   // file plans of all sessions
	placed      int64                 // the number of the last line that a plan stands in, or that opened a session
	behind      int64                 // the number of the last batch behind which plans were put
	due         bool                  // the next Flush has something to show
	changed     bool                  // FilesChanged is to be called when the lock is released
}

// New returns an Adapter for a new connection.
func New(c *conversation.Conversation, o Options) *Adapter {
	if o.ReadFile == nil {
		o.ReadFile = func(string, []string) (string, error) { return "", errors.New("reading files is off") }
	}
	return &Adapter{
		c: c, opts: o, sessions: conversation.NewSlot[*conversation.Session, *session](c),
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
		conversation.Prompt, "session/new", "session/fork", "session/load", "session/resume", "session/close", "session/delete",
	}}
	if a.translating || len(a.tools) > 0 {
		w.Methods, w.Updates = []string{"*"}, []string{"plan", "plan_update", "plan_removed"}
	}
	if len(a.tools) > 0 {
		w.Updates = append(w.Updates, "tool_call", "tool_call_update")
	}
	if a.wantsAll {
		w.Updates = append(w.Updates, "*")
	}
	return []dispatch.Want{w, {
		From: dispatch.Agent, Updates: []string{userMessage}, While: []string{"session/load", "session/resume"},
	}}
}

// follows reports whether plans and sessions are tracked: nothing is negotiated yet, or plans have
// to be made for the client.
func (a *Adapter) follows() bool { return !a.negotiated || a.translating || len(a.tools) > 0 }

// Cares implements dispatch.Adapter.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	a.c.Lock()
	defer a.c.Unlock()
	due := a.due || len(a.documents) > 0
	switch {
	case r != nil && r.Prompts() && !due && len(a.waiting) == 0 && a.filed == 0:
		return dispatch.No // nothing has to go before it
	case r != nil:
		return dispatch.Yes
	case h.SessionUpdate != nil:
		return a.caresForUpdate(h)
	case due && !isForMachine(string(h.Method)), a.isToolMethod(string(h.Method)), a.translating && string(h.Method) == permission:
		return dispatch.Yes
	}
	return dispatch.No
}

// lock takes the conversation's lock. The returned function releases it.
func (a *Adapter) lock() (unlock func()) {
	a.c.Lock()
	return a.unlock
}

func (a *Adapter) unlock() {
	a.reportFiles()
	a.c.Unlock()
}

// reportFiles calls FilesChanged if it is to be called. The lock is held.
func (a *Adapter) reportFiles() {
	if a.changed && a.opts.FilesChanged != nil {
		a.opts.FilesChanged()
	}
	a.changed = false
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	switch r := e.Request; {
	case e.Kind == conversation.SessionRemoved:
		a.sessionRemoved(e.Session)
	case e.Kind == conversation.PeersChanged || r.From == conversation.Agent || !a.follows():
		return
	case e.Kind == conversation.RequestBegan && r.Method == "session/load":
		s := a.session(r.Session)
		if s.replayed == nil {
			s.replayed = &plans{} // all there will be, if the agent does load it
		}
		s.isPaused = false
		a.notePending(s)
		a.weigh(s)
	case e.Kind == conversation.RequestBegan && a.c.BeginsTurn(r):
		a.turnBegan(r)
	case e.Kind == conversation.RequestEnded && r.Prompts():
		a.turnEnded(r)
	case e.Kind == conversation.RequestEnded && r.Opens() && !a.c.Opening(r.Session):
		a.opened(r.Session)
	}
	if r := e.Request; r != nil && (r.Prompts() || r.Creates() || r.Opens()) {
		a.changed = a.changed || a.filed > 0
	}
	a.reportFiles()
}

// sessionRemoved drops the plans of a session that the conversation has removed.
func (a *Adapter) sessionRemoved(of *conversation.Session) {
	s, ok := a.sessions.Get(of)
	if !ok {
		return
	}
	a.changed = a.changed || s.files > 0
	a.filed -= s.files
	delete(a.documents, s)
	delete(a.waiting, s)
	delete(a.awaited, s)
}

// opened decides which plans of a session count, when nothing opens it any more: those that were
// replayed if a load was accepted, else those that were there, which are shown again.
func (a *Adapter) opened(id string) {
	of, _ := a.c.Find(id)
	s, ok := a.sessions.Get(of)
	if !ok || s.replayed == nil {
		return
	}
	replayed := s.replayed
	s.replayed = nil
	if s.Loaded {
		s.now, a.changed = replayed, true
	} else if replayed.shown != (entry.Digest{}) {
		s.now.shown, s.now.shownIsMade = replayed.shown, true
	}
	if a.showAs() == AsPlan && a.isDue(s) {
		a.showLater(s)
	}
	a.notePending(s)
	a.count(s)
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client:
		a.initialize(m)
		return
	case m.Kind == dispatch.Response:
		a.answered(m)
		return
	}
	switch {
	case m.Method == "session/update":
		a.update(m)
	case a.isToolMethod(m.Method):
		a.toolMessage(m)
	case m.Kind == dispatch.Request && !isForMachine(m.Method):
		a.question(m)
	}
}

// Unread implements dispatch.UnreadHandler: an unread response opens its session all the same, so
// what waited for that is shown with the next Flush.
func (a *Adapter) Unread(m *dispatch.Message, err error) {
	if m.Request != nil && m.From == dispatch.Agent {
		defer a.lock()()
		a.due = true
		a.changed = a.changed || a.filed > 0
	}
}

// Flush implements dispatch.Flusher: it shows the plans that were put off until no more lines are
// there, and at the end of the input the pending documents.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	defer a.lock()()
	if m.From == dispatch.Client || !end && !a.due {
		return
	}
	m.Because("acpshim held the plan until no more updates came")
	for _, s := range a.all() {
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

// question shows what is pending before a request that needs the reader.
func (a *Adapter) question(m *dispatch.Message) {
	m.Because("acpshim held the text until the agent's next question")
	if m.Method == permission && a.translating {
		a.askAbout(m)
	}
	a.showBefore(m, m.Session, true, atQuestion)
}

// showBefore shows before a message the plans that wait and, if documents are wanted, those of a
// session, of all if its id is "".
func (a *Adapter) showBefore(m *dispatch.Message, id string, documents bool, at moment) {
	var files []reading
	if documents {
		files = a.readFiles(id, at)
	}
	defer a.lock()()
	a.takeReadings(files)
	s := a.use(id)
	for _, of := range a.all() {
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

// answered shows what waited for a response: before it what the turn leaves, behind it what is of a
// session that it opens.
func (a *Adapter) answered(m *dispatch.Message) {
	r := m.Request
	m.Because("acpshim held the text until the end of the turn")
	unlock := a.lock()
	isCancelled := r.IsCancelled
	if unlock(); !r.Creates() && !isCancelled {
		a.showBefore(m, r.Session, r.Prompts() || r.Opens() && !m.IsRefusal(), atEnd)
	}
	if r.Creates() || r.Opens() {
		m.Because("acpshim held the plan until the session was open")
	}
	defer a.lock()()
	s := a.use(r.Session)
	switch {
	case r.Creates() && m.Opened() == "" && !a.c.Creating():
		a.removeWaiting() // what came for it has no session
	case s != nil && r.Opens():
		a.applied(s)
	}
	if r.Opens() && !a.c.Opening(r.Session) {
		a.opened(r.Session)
	}
	lines := a.release(r.Session, atEnd)
	if a.after(m, lines); r.Creates() || r.Opens() {
		a.placed = m.Number
	}
}

// removeWaiting removes the sessions whose plans waited until the client knows them, which it never
// will. One that the client opens it has named itself.
func (a *Adapter) removeWaiting() {
	for s := range a.waiting {
		if !s.Known && !s.Named {
			a.c.Remove(s.Session)
		}
	}
}

// isToolMethod reports whether messages of the method are a todo tool's.
func (a *Adapter) isToolMethod(method string) bool {
	return slices.ContainsFunc(a.tools, func(t *todo.Tool) bool { return t.Method() == method })
}
