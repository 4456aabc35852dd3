// Package terminals has the adapter that runs the commands of an agent for a client without
// terminals. It starts nothing itself: [Options].Start does.
package terminals

import (
	"slices"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// IsOn reports whether commands are run for a client. Of the agent nothing is known then.
	IsOn func(client conversation.Implementation) bool

	// Start starts a command and returns at once. If it is nil, each command is refused.
	Start func(Command, Events)

	// Prefix begins the ids of terminals. Another run has another one, so that what an agent
	// remembers of that is not taken for what is here.
	Prefix string
}

// A Command is what an agent wants to be run.
type Command struct {
	Session string
	Name    string
	Args    []string
	Env     []string // NAME=VALUE, added to the environment; a later one counts
	Dir     string   // where it starts, as the agent or the client named it
	Keep    int      // how many bytes of its output are kept
}

// Events are what becomes of a command. They are called one after the other and may wait.
type Events struct {
	Started func(Process, error) // once; nothing follows an error
	Grown   func()               // there is more output
	Ended   func(Exit)           // once, when all output is there
}

// A Process is a command that was started. Its methods do not wait, and may be called from any
// goroutine.
type Process interface {
	// Output returns the last bytes of what is kept of the output, at most n of them, as whole
	// characters, and whether others before them were left out.
	Output(n int) (text string, truncated bool)

	// End has the command end with all that it started.
	End()
}

// An Exit is how a command ended.
type Exit struct {
	Code   int
	Signal string // such as SIGTERM; Code does not count then
}

// An Adapter announces terminals to the agent for a client that has none, runs the commands, and
// shows what they print as the text of the tool calls that name their terminals.
//
//   - Settles: An agent runs its commands in terminals of the client, and the client has none.
//   - For: Those who set services.terminal.
//   - Keys: services.terminal
//   - Seen: agents with the TypeScript SDK 2.4
//   - Read: multica-ai/multica#7289, getpaseo/paseo#3812, carlos-algms/agentic.nvim#317,
//     MoonshotAI/kimi-cli#2609, MoonshotAI/kimi-code#3188
type Adapter struct {
	dispatch.Base
	opts     Options
	sessions *conversation.Slot[*conversation.Session, *session]
	waits    *conversation.Slot[*conversation.Request, wait]

	// The fields below are protected by the conversation's lock.
	on       bool // since initialize was answered
	last     int  // the number of the last terminal
	open     int  // terminals that are not over
	starting int  // bytes of the requests for commands that are being started
}

// A session is what is kept of a session that has terminals.
type session struct {
	of        *conversation.Session
	terminals []*terminal // the oldest first
	calls     map[string]*call
	size      int         // about how many bytes that is
	due       *time.Timer // until its calls are shown anew; nil if none is stale
}

// A terminal is a command and its output. It is over when it is released and the command has ended.
type terminal struct {
	id       string
	session  *conversation.Session
	command  string  // as it is shown
	limit    int     // how many bytes of output the agent wants
	process  Process // nil before it has started, and when it is over
	exit     *Exit   // nil before it has ended
	released bool    // or its session is gone
	text     string  // what is shown of one that is over
}

// A wait is a request that is held until a command has started, or has ended.
type wait struct {
	terminal *terminal
	held     *dispatch.Held
}

// Bounds on what is kept. A request over them is refused.
const (
	maxOpen      = 32 // terminals
	maxOfSession = 16
	maxOver      = 64       // terminals of a session
	maxStarting  = 16 << 20 // bytes

	defaultKeep = 256 << 10 // bytes of output
	maxKeep     = 1 << 20   // one that asks for more gets this
)

// What was printed takes at most growth times the bytes of the line that it is told with, and
// maxMade. What stands in its place where there is no room takes less than that.
const (
	growth  = 8
	maxMade = 1 << 20
)

// Methods.
const (
	create      = "terminal/create"
	output      = "terminal/output"
	waitForExit = "terminal/wait_for_exit"
	kill        = "terminal/kill"
	release     = "terminal/release"
	permission  = "session/request_permission"
)

// whyServed is what records say of requests, and of their responses.
const whyServed = "acpshim runs the agent's commands (services.terminal)"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		opts:     o,
		sessions: conversation.NewSlot[*conversation.Session, *session](o.Conversation),
		waits:    conversation.NewSlot[*conversation.Request, wait](o.Conversation),
	}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "terminals" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if !a.on {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Agent, Methods: []string{create, waitForExit}, Holds: true, Sessions: true},
		{
			From:    dispatch.Agent,
			Methods: []string{output, kill, release, permission},
			Updates: []string{"tool_call", "tool_call_update"},
		},
	}
}

// Cares implements dispatch.Adapter: without terminals, nothing can name one.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if len(h.SessionUpdate) == 0 && string(h.Method) != permission {
		return dispatch.Yes
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	has := h.SessionID != nil && a.find(string(h.SessionID)) != nil
	if h.SessionID == nil {
		for range a.sessions.All() {
			has = true
		}
	}
	if has {
		return dispatch.Yes
	}
	return dispatch.No
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	if s, ok := a.sessions.Get(e.Session); ok && e.Kind == conversation.SessionRemoved {
		a.end(s)
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.on = r.Agent.Version == 1 && a.serves(r.Client)
}

// serves reports whether commands are run for a client.
func (a *Adapter) serves(client *conversation.Peer) bool {
	return client.Version == 1 && string(client.Capability("terminal")) != "true" &&
		(wire.IsObject(client.Capabilities) || wire.IsAbsent(client.Capabilities)) && a.opts.IsOn(client.Implementation)
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == "initialize" && m.Kind == dispatch.Request:
		a.announce(m)
	case m.Update != "":
		a.show(m, m.Params().Open("update"))
	case m.Method == permission:
		a.showAsked(m)
	case m.Kind == dispatch.Request && wire.ID(m.ID) != "":
		m.Because(whyServed)
		a.request(m)
	}
}

// announce announces terminals to the agent for a client that has none.
func (a *Adapter) announce(m *dispatch.Message) {
	if a.serves(conversation.ReadClient(m.Params())) {
		m.Because("acpshim announces terminals in place of the client (services.terminal)")
		m.Offer(wire.Setting{Name: "terminal", Value: []byte("true")})
	}
}

// find returns what is kept of a session, or nil. The lock is held.
func (a *Adapter) find(id string) *session {
	of, _ := a.opts.Conversation.Find(id)
	s, _ := a.sessions.Get(of)
	return s
}

// keep keeps a session that takes more bytes than before, or ends its terminals if there is no
// room. The lock is held.
func (a *Adapter) keep(s *session, more int) {
	if s.size += more; !a.sessions.Put(s.of, s, s.size) {
		a.end(s)
	}
}

// end releases the terminals of a session. The lock is held.
func (a *Adapter) end(s *session) {
	for _, t := range slices.Clone(s.terminals) {
		a.release(t)
	}
}

// release ends a terminal that no request can name any more. The lock is held.
func (a *Adapter) release(t *terminal) {
	if t.released {
		return
	}
	t.released = true
	if t.process != nil {
		t.process.End()
	}
	if t.exit != nil {
		a.over(t)
	}
}

// terminalSize is about how many bytes a terminal takes, without its output.
const terminalSize = 256 + maxCommand

// over keeps no more of a terminal that is over than what is shown of it. The lock is held.
func (a *Adapter) over(t *terminal) {
	a.open--
	t.text, t.process = t.render(), nil
	s, ok := a.sessions.Get(t.session)
	if !ok || t.session.Evicted {
		return
	}
	more, n := len(t.text), 0
	for _, other := range slices.Backward(s.terminals) {
		if other.text == "" {
			continue
		}
		if n++; n > maxOver {
			more -= terminalSize + len(other.text)
			s.remove(other)
		}
	}
	a.keep(s, more)
}

// remove removes a terminal from its session.
func (s *session) remove(t *terminal) {
	s.terminals = slices.DeleteFunc(s.terminals, func(other *terminal) bool { return other == t })
}
