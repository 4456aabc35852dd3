// Package terminals has the adapter that runs the commands of an agent for a client without
// terminals. It starts nothing itself: [Options].Start does.
package terminals

import (
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

	// Send is called by the agent's direction, and Answer by all other goroutines: it sends a line
	// to the agent, past all adapters, and waits for it.
	Send   dispatch.Send
	Answer func(line []byte)

	// Inject has the lines that produce returns sent to the client, while the agent's direction
	// handles no line. It may wait, and produce is not called if the direction has ended.
	Inject func(produce func() []byte)
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
	opts Options

	// The fields below are protected by the conversation's lock.
	on        bool // since initialize was answered
	last      int  // the number of the last terminal
	terminals map[string]*terminal
	gone      []*terminal // of these, those that are released and have ended; the oldest first
	calls     map[callID]*call
}

// A terminal is a command and its output.
type terminal struct {
	id      string
	session *conversation.Session
	limit   int // how many bytes of output the agent wants
	command Command
	process Process  // nil before it has started
	exit    *Exit    // nil before it has ended
	waits   [][]byte // the raw ids of requests that wait for its exit
	told    bool     // they have been answered
	removed bool     // released, or its session is gone
	text    string   // what is shown of one that is gone
	due     *time.Timer
}

// Bounds on what is kept. A request over them is refused.
const (
	maxTerminals = 32 // that are not gone
	maxOfSession = 16
	maxGone      = 64
	maxWaits     = 16      // for one terminal
	maxID        = 1 << 10 // bytes of the id of a request that waits

	defaultKeep = 256 << 10 // bytes of output
	maxKeep     = 1 << 20   // one that asks for more gets this
)

// Methods.
const (
	create        = "terminal/create"
	output        = "terminal/output"
	waitForExit   = "terminal/wait_for_exit"
	kill          = "terminal/kill"
	release       = "terminal/release"
	permission    = "session/request_permission"
	cancelRequest = "$/cancel_request"
)

// WhyServed is what records say of requests, and of their responses.
const WhyServed = "acpshim runs the commands of the agent (services.terminal)"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, terminals: map[string]*terminal{}, calls: map[callID]*call{}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "terminals" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if !a.on {
		return nil
	}
	return []dispatch.Want{{
		From:     dispatch.Agent,
		Methods:  []string{create, output, waitForExit, kill, release, permission, cancelRequest},
		Updates:  []string{"tool_call", "tool_call_update"},
		Sessions: true,
	}}
}

// Cares implements dispatch.Adapter: without terminals, nothing can name one.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if len(h.SessionUpdate) == 0 && string(h.Method) != permission && string(h.Method) != cancelRequest {
		return dispatch.Yes
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	for _, t := range a.terminals {
		if h.SessionID == nil || string(h.SessionID) == t.session.ID {
			return dispatch.Yes
		}
	}
	return dispatch.No
}

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.Negotiated:
		a.on = e.Request.Agent.Version == 1 && a.serves(e.Request.Client)
	case conversation.SessionRemoved:
		for _, t := range a.terminals {
			if t.session == e.Session {
				a.remove(t)
			}
		}
		for id, c := range a.calls {
			if c.session == e.Session {
				delete(a.calls, id)
			}
		}
	}
}

// serves reports whether commands are run for a client.
func (a *Adapter) serves(client *conversation.Peer) bool {
	return client.Version == 1 && string(client.Capability("terminal")) != "true" &&
		(wire.IsObject(client.Capabilities) || wire.IsAbsent(client.Capabilities)) && a.opts.IsOn(client.Implementation)
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(WhyServed)
	switch {
	case m.Method == "initialize" && m.Kind == dispatch.Request:
		a.announce(m)
	case m.Update != "":
		a.show(m, m.Params().Open("update"))
	case m.Method == permission:
		a.showAsked(m)
	case m.Method == cancelRequest:
		a.cancel(m)
	case m.Kind == dispatch.Request && wire.ID(m.ID) != "":
		a.answer(m)
	}
}

// announce announces terminals to the agent for a client that has none.
func (a *Adapter) announce(m *dispatch.Message) {
	params := m.Params()
	if !a.serves(conversation.ReadClient(params)) {
		return
	}
	m.Because("terminals are announced for a client without them (services.terminal)")
	if capabilities := params.Open("clientCapabilities"); capabilities != nil {
		m.Edit(capabilities.Set(wire.Setting{Name: "terminal", Value: []byte("true")})...)
		return
	}
	m.Edit(params.Set(wire.Setting{Name: "clientCapabilities", Value: []byte(`{"terminal":true}`)})...)
}

// remove ends a terminal that no request can name any more. The lock is held.
func (a *Adapter) remove(t *terminal) {
	if t.removed {
		return
	}
	t.removed = true
	if t.process != nil {
		t.process.End()
	}
	if t.told {
		a.bury(t)
	}
}

// bury keeps no more of a terminal that is released and has ended than what is shown of it. The
// lock is held.
func (a *Adapter) bury(t *terminal) {
	t.text, t.process = t.render(), nil
	a.gone = append(a.gone, t)
	if len(a.gone) > maxGone {
		delete(a.terminals, a.gone[0].id)
		a.gone = a.gone[1:]
	}
}
