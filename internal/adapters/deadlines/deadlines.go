// Package deadlines has the adapter that ends the wait for a peer that does not respond.
package deadlines

import (
	"fmt"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Settings are the times for two peers. 0 means no limit.
type Settings struct {
	Start   time.Duration // for the response to initialize
	Open    time.Duration // for the response that opens a session
	Silence time.Duration // in which the agent sends nothing in a turn
	Cancel  bool          // a silent turn is cancelled
	Vendor  time.Duration // for the client's response to a method that the protocol does not have
}

// Options of an Adapter. Conversation and Settings are required.
type Options struct {
	Conversation *conversation.Conversation
	Settings     func(client, agent conversation.Implementation) Settings

	// Command names the agent for people. LastLine returns the last line that it wrote to standard
	// error, and may be nil.
	Command  string
	LastLine func() string

	// Silent is called when the agent has sent nothing in a turn for some time. It may be nil.
	Silent func(session string, wait time.Duration, isCancelled bool)
}

// An Adapter responds to requests in place of a peer that does not. The peer's own response is then
// dropped. A silent turn is only logged, or cancelled.
//
//   - Settles: The client waits forever, without a message: the command is not an ACP agent, a new
//     session waits for a login, the model is silent, or an agent asks with a method of its own
//     that the client ignores.
//   - For: Clients that do not limit the wait themselves. Agents with methods of their own, such as
//     qwen-code before 0.18.
//   - Keys: deadline.start, deadline.open, deadline.silence, deadline.cancel, deadline.vendor
//   - Seen: opencode 1.18.33 with a model that sends nothing
//   - Read: openclaw/openclaw#152849, svkozak/pi-acp#46, QwenLM/qwen-code#4925
type Adapter struct {
	dispatch.Base
	o      Options
	on     Settings
	limits *conversation.Slot[*conversation.Request, *limit]
	turns  map[string]*turn // by session, while a prompt is pending
}

// A limit is the deadline of a request.
type limit struct {
	timer    *dispatch.Timer
	respond  func() // in place of the peer
	ends     time.Time
	left     time.Duration // while it is paused
	isPaused bool
}

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{o: o, limits: conversation.NewSlot[*conversation.Request, *limit](o.Conversation), turns: map[string]*turn{}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "deadline" }

// Wants implements dispatch.Adapter. The adapter only listens.
func (a *Adapter) Wants() (wants []dispatch.Want) {
	if a.on.Silence > 0 {
		wants = append(wants, dispatch.Want{From: dispatch.Agent, Updates: []string{"*"}, Sessions: true})
	}
	if a.on.Silence > 0 || a.on.Vendor > 0 {
		wants = append(wants, dispatch.Want{From: dispatch.Agent, Methods: []string{"*"}, Holds: true})
	}
	return wants
}

// Negotiated implements dispatch.Negotiator. Some clients send more requests before the response to
// initialize, and their time begins now.
func (a *Adapter) Negotiated(r *conversation.Request) {
	before := a.on
	a.on = a.o.Settings(r.Client.Implementation, r.Agent.Implementation)
	for _, early := range a.o.Conversation.AllPending(dispatch.Client) {
		if _, isLimited := a.limits.Get(early); !isLimited && early != r && (before.Silence == 0 || !early.IsPrompt()) {
			a.begin(early)
		}
	}
}

// Cares implements dispatch.Adapter. It notes that the agent is not silent.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	a.hear(string(h.SessionID))
	return dispatch.No
}

// Handle implements dispatch.Adapter. It is called for messages that another adapter holds.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.From == dispatch.Agent {
		a.hear(m.Session)
	}
}

// Observe implements dispatch.Observer: a deadline begins and ends with its request.
func (a *Adapter) Observe(e conversation.Event) {
	switch r := e.Request; e.Kind {
	case conversation.RequestBegan:
		a.begin(r)
	case conversation.RequestEnded:
		if l, ok := a.limits.Get(r); ok {
			l.timer.Stop()
		}
		if r.From == dispatch.Agent {
			a.hear(r.Session)
		} else if r.IsPrompt() {
			a.endTurn(r.Session)
		}
	}
}

// begin starts the deadline of a request.
func (a *Adapter) begin(r *conversation.Request) {
	switch {
	case r.From == dispatch.Agent && isVendor(r.Method):
		a.limit(r, a.on.Vendor, -32601, func() string {
			return fmt.Sprintf("Method not found: the client did not respond to %q within %v", r.Method, a.on.Vendor)
		}, whyVendor)
	case r.From == dispatch.Agent:
	case r.Method == acp.Initialize && r.Client != nil:
		start := a.o.Settings(r.Client.Implementation, conversation.Implementation{}).Start
		a.limit(r, start, -32603, a.late(r.Method, start), whyStart)
	case r.Creates() || r.Opens():
		a.limit(r, a.on.Open, -32603, a.late(r.Method, a.on.Open), whyOpen)
	case r.IsPrompt() && a.on.Silence > 0:
		a.beginTurn(r.Session)
	}
}

// late returns the sentence about an agent that does not respond.
func (a *Adapter) late(method string, wait time.Duration) func() string {
	return func() string {
		text := fmt.Sprintf("the agent %q did not respond to %s within %v", a.o.Command, method, wait)
		if a.o.LastLine != nil {
			if last := a.o.LastLine(); last != "" {
				text += ": " + last
			}
		}
		return text
	}
}

// limit responds to a request with an error after a time. Text is called while other adapters run.
func (a *Adapter) limit(r *conversation.Request, wait time.Duration, code int, text func() string, why wire.Reason) {
	if wait == 0 || r.ID == nil {
		return
	}
	l := &limit{}
	l.respond = func() {
		a.Begin(func() {
			response := wire.Refusal(r.ID, code, text())
			a.Do(func() {
				if !l.isPaused {
					a.Respond(r, response, why)
				}
			})
		})
	}
	if a.limits.Put(r, l, 128) {
		a.start(l, wait)
	}
}

func (a *Adapter) start(l *limit, wait time.Duration) {
	l.ends, l.timer = time.Now().Add(wait), a.After(wait, l.respond)
}

// Pause pauses the deadline of a request, or continues it. Another adapter calls it while it holds
// the response, for a time that is not the peer's.
func (a *Adapter) Pause(r *conversation.Request, isPaused bool) {
	l, ok := a.limits.Get(r)
	if !ok || l.isPaused == isPaused {
		return
	}
	if l.isPaused = isPaused; isPaused {
		l.timer.Stop()
		l.left = time.Until(l.ends)
	} else {
		a.start(l, l.left)
	}
}

// methods are the methods by which an agent asks a client, in both versions of the protocol.
var methods = map[string]bool{
	acp.SessionRequestPermission: true, acp.ElicitationCreate: true, acp.FSReadTextFile: true, acp.FSWriteTextFile: true,
	acp.TerminalCreate: true, acp.TerminalOutput: true, acp.TerminalWaitForExit: true, acp.TerminalKill: true, acp.TerminalRelease: true,
	acp.MCPConnect: true, acp.MCPMessage: true, acp.MCPDisconnect: true,
}

// isVendor reports whether the protocol does not have a method, and the user is not asked by it.
func isVendor(method string) bool {
	return !methods[method] && !strings.HasPrefix(method, "cursor/")
}
