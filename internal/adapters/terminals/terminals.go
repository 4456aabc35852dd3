// Package terminals has the adapter that runs an agent's commands for a client without terminals.
// It starts no process itself: [Options].Start does.
package terminals

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// IsOn reports whether commands are run for a client. The agent is not known yet.
	IsOn func(client conversation.Implementation) bool

	// Start starts a command and returns at once. If it is nil, every command is refused.
	Start func(Command, Events)

	// Prefix begins the ids of terminals. It must be different in every run, so that an id from an
	// earlier run matches nothing.
	Prefix string
}

// A Command is a command that an agent wants to run.
type Command struct {
	Session string
	Name    string
	Args    []string
	Env     []string // NAME=VALUE, added to the environment; the last value of a name counts
	Dir     string   // the working directory, as the agent or the client spells it
	Keep    int      // bytes of its output to keep
}

// Events report what happens to a command. They are called one after the other and may block.
type Events struct {
	Started func(Process, error) // once; nothing follows an error
	Grown   func()               // there is more output
	Ended   func(Exit)           // once, after all output
}

// A Process is a started command. Its methods do not block, and may be called from any goroutine.
type Process interface {
	// Output returns at most the last n bytes of the kept output, as whole characters, and whether
	// output before them is missing.
	Output(n int) (text string, truncated bool)

	// End ends the command and everything that it started.
	End()
}

// An Exit says how a command ended.
type Exit struct {
	Code   int
	Signal string // such as SIGTERM; if it is set, Code does not count
}

// An Adapter announces terminals for a client that has none, and runs the agent's commands. It adds
// their output as text to the tool calls that show the terminals.
//
//   - Settles: The agent cannot run commands: it runs them in terminals of the client, and the
//     client has none.
//   - For: Clients without terminals.
//   - Keys: services.terminal
//   - Seen: agents with the TypeScript SDK 2.4
//   - Read: multica-ai/multica#7289, getpaseo/paseo#3812, carlos-algms/agentic.nvim#317,
//     MoonshotAI/kimi-cli#2609, MoonshotAI/kimi-code#3188
type Adapter struct {
	dispatch.Base
	opts     Options
	sessions *conversation.Slot[*conversation.Session, *session]
	waits    *conversation.Slot[*conversation.Request, wait]

	on       bool // since the response to initialize
	last     int  // the number of the last terminal
	open     int  // terminals that are not closed
	starting int  // bytes of the requests whose commands are being started
}

// A session is the terminals of a session.
type session struct {
	of        *conversation.Session
	terminals []*terminal // oldest first
	calls     map[string]*call
	size      int             // about how many bytes it takes
	due       *dispatch.Timer // sends the stale calls; nil if there are none
}

// A terminal is a command and its output. It is closed when it is released and the command has
// ended.
type terminal struct {
	id       string
	session  *conversation.Session
	command  string  // for people
	limit    int     // bytes of output that the agent wants
	process  Process // nil before it has started, and when the terminal is closed
	exit     *Exit   // nil before it has ended
	released bool    // by the agent, or because its session is gone
	text     string  // what a closed terminal shows
}

// A wait is a request that is held until its command has started or ended.
type wait struct {
	terminal *terminal
	held     *dispatch.Held
}

// Limits. A request beyond them is refused.
const (
	maxOpen      = 32 // terminals
	maxOfSession = 16
	maxClosed    = 64       // closed terminals of a session; older ones are forgotten
	maxStarting  = 16 << 20 // bytes

	defaultKeep = 256 << 10 // bytes of output
	maxKeep     = 1 << 20   // the agent cannot get more
)

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
		{From: dispatch.Agent, Methods: []string{acp.TerminalCreate, acp.TerminalWaitForExit}, Holds: true, Sessions: true},
		{
			From:    dispatch.Agent,
			Methods: []string{acp.TerminalOutput, acp.TerminalKill, acp.TerminalRelease, acp.SessionRequestPermission},
			Updates: []string{acp.ToolCall, acp.ToolCallUpdate},
		},
	}
}

// Cares implements dispatch.Adapter: in a session without terminals, no call can show one.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if len(h.SessionUpdate) == 0 && string(h.Method) != acp.SessionRequestPermission {
		return dispatch.Yes
	}
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

// serves reports whether commands are run for a client: it speaks version 1 and has no terminals.
func (a *Adapter) serves(client *conversation.Peer) bool {
	return client.Version == 1 && string(client.Capability("terminal")) != "true" &&
		(wire.IsObject(client.Capabilities) || wire.IsAbsent(client.Capabilities)) && a.opts.IsOn(client.Implementation)
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.Initialize && m.Kind == dispatch.Request:
		a.announce(m)
	case m.Update != "":
		a.show(m, m.Params().Open("update"))
	case m.Method == acp.SessionRequestPermission:
		request, _ := wire.Parse(m.Line, "params", "params.toolCall")
		a.show(m, request.Open("params").Open("toolCall"))
	case m.Kind == dispatch.Request && wire.ID(m.ID) != "":
		m.Because(whyServed)
		a.request(m)
	}
}

// announce announces terminals to the agent.
func (a *Adapter) announce(m *dispatch.Message) {
	if a.serves(conversation.ReadClient(m.Params())) {
		m.Because(whyAnnounced)
		m.Offer(wire.Setting{Name: "terminal", Value: []byte("true")})
	}
}

// find returns the terminals of a session, or nil.
func (a *Adapter) find(id string) *session {
	of, _ := a.opts.Conversation.Find(id)
	s, _ := a.sessions.Get(of)
	return s
}

// keep stores a session that has grown by so many bytes. If there is no room, it ends the session's
// terminals.
func (a *Adapter) keep(s *session, more int) {
	if s.size += more; !a.sessions.Put(s.of, s, s.size) {
		a.end(s)
	}
}

// end releases the terminals of a session.
func (a *Adapter) end(s *session) {
	for _, t := range slices.Clone(s.terminals) {
		a.release(t)
	}
}

// release ends a terminal that no request can use any more.
func (a *Adapter) release(t *terminal) {
	if t.released {
		return
	}
	t.released = true
	if t.process != nil {
		t.process.End()
	}
	if t.exit != nil {
		a.close(t)
	}
}

// terminalSize is about how many bytes a terminal takes, without its text.
const terminalSize = 256 + maxCommand

// close keeps only the text of a terminal that is released and has ended.
func (a *Adapter) close(t *terminal) {
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
		if n++; n > maxClosed {
			more -= terminalSize + len(other.text)
			s.remove(other)
		}
	}
	a.keep(s, more)
}

func (s *session) remove(t *terminal) {
	s.terminals = slices.DeleteFunc(s.terminals, func(other *terminal) bool { return other == t })
}
