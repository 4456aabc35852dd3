package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Terminals is an adapter that removes references to terminals that the client does not have from
// tool calls. The content may become an empty list: the agent replaces the content by that.
//
//   - Settles: An update of a tool call is lost: it shows a terminal that the client never created,
//     for example from an earlier run.
//   - For: Clients without terminals. Zed with Kimi.
//   - Keys: repair.terminals
//   - Read: zed-industries/zed#64538, MoonshotAI/kimi-code#3959
type Terminals struct {
	repair
	ids[struct{}] // of terminals that the client created
	policy        func(client, agent conversation.Implementation) string
	asked         *conversation.Slot[*conversation.Request, bool] // by each terminal/create that was sent to the client
}

// Policies of Terminals. Anything else removes nothing.
const (
	Unsupported = "unsupported" // remove for clients without terminals
	Unmade      = "unmade"      // remove for all clients
)

// NewTerminals returns a Terminals adapter. Policy returns the policy for two peers.
func NewTerminals(c *conversation.Conversation, policy func(client, agent conversation.Implementation) string) *Terminals {
	asked := conversation.NewSlot[*conversation.Request, bool](c)
	return &Terminals{ids: newIDs[struct{}](c), policy: policy, asked: asked, repair: newRepair(nil,
		dispatch.Want{From: dispatch.Agent, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Text: `"terminalId"`, Sessions: true},
		dispatch.Want{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission, acp.TerminalCreate}},
		dispatch.Want{From: dispatch.Client, Responses: []string{acp.TerminalCreate}},
	)}
}

// Observe implements dispatch.Observer.
func (a *Terminals) Observe(e conversation.Event) {
	if e.Kind != conversation.RequestEnded {
		return
	}
	if _, ok := a.asked.Get(e.Request); ok {
		a.lose(e.Request.Session) // the response could not be read
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Terminals) Negotiated(r *conversation.Request) {
	policy := a.policy(r.Client.Implementation, r.Agent.Implementation)
	a.On = r.Agent.Version == 1 && (policy == Unmade || policy == Unsupported && !hasTerminals(r.Client))
}

// hasTerminals reports whether a client announces terminals, or the extension in _meta by which
// agents report terminals of their own.
func hasTerminals(client *conversation.Peer) bool {
	for _, path := range [][]string{{"terminal"}, {"_meta", "terminal_output"}, {"_meta", "terminal_output_delta"}} {
		if raw := client.Capability(path...); !wire.IsAbsent(raw) && string(raw) != "false" {
			return true
		}
	}
	return false
}

// Handle implements dispatch.Adapter.
func (a *Terminals) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client:
		a.created(m)
	case m.Method == acp.TerminalCreate:
		r := a.conversation.Pending(dispatch.Agent, m.ID)
		a.asked.Put(r, true, 0)
	default:
		m.Because(whyTerminal)
		m.Edit(a.withoutTerminals(m.Session, callOf(m))...)
	}
}

// created records the terminal that a response of the client names.
func (a *Terminals) created(m *dispatch.Message) {
	if m.Request == nil || m.Request.Method != acp.TerminalCreate {
		return
	}
	id, _ := m.Result().Text("terminalId")
	a.asked.Delete(m.Request)
	a.add(m.Request.Session, id, true)
	if m.Request.Session == "" {
		a.lose("")
	}
}

// Unread implements dispatch.UnreadHandler.
func (a *Terminals) Unread(m *dispatch.Message, _ error) {
	if m.Request != nil && m.Request.Method == acp.TerminalCreate {
		a.lose(m.Request.Session)
	}
}

// withoutTerminals returns the edits that remove unknown terminals from a tool call.
func (a *Terminals) withoutTerminals(session string, call *wire.Object) []wire.Edit {
	content := wire.MapElements(call.Raw("content"), func(element []byte) []byte {
		if o, err := wire.Parse(element); err == nil && a.isUnknown(session, call, o) {
			return nil
		}
		return element
	})
	if content == nil {
		return nil
	}
	return call.Set(wire.Setting{Name: "content", Value: content})
}

// isUnknown reports whether an element of a tool call's content is a terminal that the client does
// not have. Agents may run terminals of their own and show them even to clients that did not
// announce that. Such a terminal has the id of the call, or the call has terminal_info in _meta.
func (a *Terminals) isUnknown(session string, call, element *wire.Object) bool {
	kind, _ := element.Text("type")
	id, ok := element.Text("terminalId")
	if of, _ := call.Text("toolCallId"); kind != acp.ContentTerminal || !ok || id == of {
		return false
	}
	if (wire.Pointer{"terminal_info"}).Raw(call.Raw("_meta")) != nil {
		return false
	}
	return a.lacks(session, id)
}
