package turns

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Late is an adapter for clients that accept parts of a conversation only while a prompt is
// pending. It handles parts that come after the end of a turn: "hold" keeps them until the next
// prompt, "drop" discards them.
//
// Updates that report a state, such as the commands, are always forwarded. So are permission
// requests and their tool calls. A request may come after its call, so "drop" keeps tool calls
// until the next prompt.
//
//   - Settles: After the end of a turn the client reports an error, or output is missing: the agent
//     goes on, for example with background commands or subagents.
//   - For: agent-shell before 0.61, CodeCompanion.
//   - Keys: turns.late
//   - Seen: claude-agent-acp 0.101.0
//   - Read: agentclientprotocol/codex-acp#365, xenodium/agent-shell#678,
//     agentclientprotocol/claude-agent-acp#824
type Late struct {
	dispatch.Switched[string] // hold or drop; anything else does nothing
	conversation              *conversation.Conversation
	sessions                  *conversation.Slot[*conversation.Session, *afterTurn]
}

// An afterTurn is what a session has received since the end of its last turn.
type afterTurn struct {
	// opening is the number of requests to load or resume the session. It is zero only after the
	// lines that adapters add to the last response.
	opening int

	lines []lateLine
	size  int             // bytes
	asked map[string]bool // ids of tool calls with a permission request
}

type lateLine struct {
	number int64  // see dispatch.Message.Number
	call   string // the id of its tool call; may be empty
	text   []byte // with its line end
}

// Limits of a session. If its lines take more than maxLate, all of them are sent.
const (
	maxLate  = 1 << 20 // bytes
	maxAsked = 64
)

// lateKinds are the updates that are parts of a conversation.
var lateKinds = []string{acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.ToolCall, acp.ToolCallUpdate, acp.Plan}

// NewLate returns a Late adapter. How returns the value of turns.late for two peers.
func NewLate(c *conversation.Conversation, how func(client, agent conversation.Implementation) string) *Late {
	return &Late{
		conversation: c, sessions: conversation.NewSlot[*conversation.Session, *afterTurn](c),
		Switched: dispatch.Switched[string]{For: how},
	}
}

// Name implements dispatch.Adapter.
func (*Late) Name() string { return "turns" }

// Wants implements dispatch.Adapter.
func (a *Late) Wants() []dispatch.Want {
	if a.On != "hold" && a.On != "drop" {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Agent, Updates: lateKinds, Methods: []string{acp.SessionRequestPermission}, Sessions: true},
	}
}

// Observe implements dispatch.Observer.
func (a *Late) Observe(e conversation.Event) {
	r := e.Request
	switch {
	case e.Kind == conversation.RequestBegan && r.From == dispatch.Client && (r.IsPrompt() || r.Opens() || r.Closes()):
		for s, of := range a.sessions.All() {
			if r.Session == "" || r.Session == s.ID {
				a.release(of, whyNextTurn)
				switch {
				case r.IsPrompt():
					a.sessions.Delete(s)
				case r.Opens():
					of.opening++
				}
			}
		}
	case e.Kind == conversation.RequestEnded && r.From == dispatch.Client && r.Opens():
		s, _ := a.conversation.Find(r.Session)
		if of, ok := a.sessions.Get(s); ok && s.Loaded {
			a.sessions.Delete(s)
		} else if ok { // a refused load changes nothing
			of.opening = max(of.opening-1, 0)
		}
	case e.Kind == conversation.RequestEnded && e.Request.From == dispatch.Client && e.Request.IsPrompt() && a.On != "":
		if s, ok := a.conversation.Find(e.Request.Session); ok {
			if _, isKept := a.sessions.Get(s); !isKept {
				a.sessions.Put(s, &afterTurn{}, 0)
			}
		}
	case e.Kind == conversation.SessionRemoved:
		if of, ok := a.sessions.Get(e.Session); ok {
			a.release(of, whyRemoved)
		}
	}
}

// Cares implements dispatch.Adapter. It returns No, not Never, because the result changes with each
// turn.
func (a *Late) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if h.SessionUpdate == nil || h.SessionID == nil {
		return dispatch.Yes
	}
	if a.late(string(h.SessionID)) == nil {
		return dispatch.No
	}
	return dispatch.Yes
}

// late returns what a session has received after its turn. It returns nil while a turn runs, before
// the first turn, and while the session is replayed.
func (a *Late) late(session string) *afterTurn {
	s, _ := a.conversation.Find(session)
	of, ok := a.sessions.Get(s)
	if !ok || a.conversation.Prompting(session) || of.opening > 0 || a.conversation.Opening(session) {
		return nil
	}
	return of
}

// Handle implements dispatch.Adapter.
func (a *Late) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.SessionRequestPermission:
		a.ask(m)
	case slices.Contains(lateKinds, m.Update) && m.Kind == dispatch.Notification:
		a.wait(m)
	}
}

// ask sends the held lines of a permission request's tool call before the request.
func (a *Late) ask(m *dispatch.Message) {
	of := a.late(m.Session)
	call, _ := wire.Parse(m.Params().Raw("toolCall"))
	id, ok := call.Text("toolCallId")
	if of == nil || !ok {
		return
	}
	if of.asked == nil || len(of.asked) == maxAsked {
		of.asked = map[string]bool{}
	}
	of.asked[id] = true
	of.lines = slices.DeleteFunc(of.lines, func(l lateLine) bool {
		if l.call != id {
			return false
		}
		m.Because(whyAsked)
		m.BeforeHeld(l.number, l.text)
		of.size -= len(l.text)
		return true
	})
	if !a.keep(m.Session, of) {
		a.release(of, whyNoRoom)
	}
}

// wait holds or drops an update.
func (a *Late) wait(m *dispatch.Message) {
	of := a.late(m.Session)
	id, _ := m.Params().Open("update").Text("toolCallId")
	switch {
	case of == nil || id != "" && of.asked[id]:
	case a.On == "drop" && id == "":
		m.Because(whyDropped)
		m.Drop()
	default:
		line := lateLine{m.Number, id, wire.EndLine(bytes.Clone(m.Line))}
		if a.On == "drop" {
			m.Because(whyHeldCall)
		} else {
			m.Because(whyHeld)
		}
		m.Drop()
		of.lines = append(of.lines, line)
		if of.size += len(line.text); of.size > maxLate || !a.keep(m.Session, of) {
			a.release(of, whyNoRoom) // does nothing if the session was evicted: Observe has released it
		}
	}
}

// keep stores what a session has received, and reports whether there was room.
func (a *Late) keep(session string, of *afterTurn) bool {
	s, _ := a.conversation.Find(session)
	size := of.size
	for id := range of.asked {
		size += 64 + len(id)
	}
	return a.sessions.Put(s, of, size+64*len(of.lines))
}

// release sends the held lines, or discards them with "drop".
func (a *Late) release(of *afterTurn, why wire.Reason) {
	for _, l := range of.lines {
		if a.On != "drop" {
			a.GoOn(dispatch.Agent, l.number, l.text, why)
		}
	}
	of.lines, of.size = nil, 0
}

// Flush implements dispatch.Flusher: it sends the held lines when the agent has ended.
func (a *Late) Flush(m *dispatch.Message, end bool) {
	if !end || m.From != dispatch.Agent || a.On == "drop" {
		return
	}
	for _, of := range a.sessions.All() {
		for _, l := range of.lines {
			m.Because(whyAgentEnded)
			m.AfterHeld(l.number, l.text)
		}
		of.lines, of.size = nil, 0
	}
}
