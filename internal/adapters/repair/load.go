package repair

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Load is an adapter for clients that load a session to reconnect, and still show its conversation.
// "resume" sends session/resume, which does not replay, if the agent offers it. "swallow" drops the
// replay if this run has opened the session before. It drops until the session's next prompt,
// because some agents replay after the response. Updates that report a state, such as a plan, the
// mode or the commands, are forwarded.
//
//   - Settles: The conversation appears twice after a reconnect: the client loads the session
//     again, and shows what the agent replays.
//   - For: Clients that still show the session that they load.
//   - Keys: repair.load
//   - Read: egoist/waku#17, egoist/waku#29, openclaw/acpx#332, managoat/fountain#703
type Load struct {
	dispatch.Switched[string] // resume or swallow; anything else does nothing
	conversation              *conversation.Conversation
	replays                   *conversation.Slot[*conversation.Session, replay]
	resumes                   bool // the agent offers session/resume
}

// A replay is the loads of a session that the client shows, since its last prompt.
type replay struct {
	pending  []*conversation.Request
	isLoaded bool // one was accepted
}

// replayed are the updates that are parts of a conversation.
var replayed = []string{acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.ToolCall, acp.ToolCallUpdate}

// NewLoad returns a Load adapter. How returns the value of repair.load for two peers.
func NewLoad(c *conversation.Conversation, how func(client, agent conversation.Implementation) string) *Load {
	return &Load{
		conversation: c, replays: conversation.NewSlot[*conversation.Session, replay](c),
		Switched: dispatch.Switched[string]{For: how},
	}
}

// Name implements dispatch.Adapter.
func (*Load) Name() string { return "repair" }

// Negotiated implements dispatch.Negotiator.
func (a *Load) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.resumes = wire.IsObject(r.Agent.Capability(acp.SessionCapabilities, "resume"))
}

// Wants implements dispatch.Adapter.
func (a *Load) Wants() []dispatch.Want {
	switch a.On {
	case "resume":
		return []dispatch.Want{{From: dispatch.Client, Methods: []string{acp.SessionLoad}}}
	case "swallow":
		return []dispatch.Want{{From: dispatch.Agent, Updates: replayed, Sessions: true}}
	}
	return nil
}

// Observe implements dispatch.Observer. A refused load replays nothing.
func (a *Load) Observe(e conversation.Event) {
	r := e.Request
	if r == nil || r.From != dispatch.Client || a.On != "swallow" {
		return
	}
	s, isKept := a.conversation.Find(r.Session)
	of, _ := a.replays.Get(s)
	switch {
	case e.Kind == conversation.RequestBegan && r.IsPrompt():
		a.replays.Delete(s)
	case e.Kind == conversation.RequestBegan && r.Method == acp.SessionLoad && isKept && s.Known:
		of.pending = append(of.pending, r)
		a.replays.Put(s, of, 8*len(of.pending))
	case e.Kind == conversation.RequestEnded && slices.Contains(of.pending, r):
		of.pending = slices.DeleteFunc(of.pending, func(p *conversation.Request) bool { return p == r })
		of.isLoaded = of.isLoaded || s.Loaded
		a.replays.Put(s, of, 8*len(of.pending))
	}
}

// Cares implements dispatch.Adapter. It returns No, not Never, because the result changes with the
// next prompt.
func (a *Load) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if h.SessionUpdate != nil && h.SessionID != nil && !a.isReplayed(string(h.SessionID)) {
		return dispatch.No
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *Load) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client && m.Method == acp.SessionLoad:
		resumes := a.resumes && a.On == "resume"
		if method := m.Object.Get("method"); resumes {
			m.Because(whyResumes)
			m.Edit(wire.Edit{Span: method.Value, With: []byte(`"session/resume"`)})
		}
	case m.From == dispatch.Agent && slices.Contains(replayed, m.Update) && a.isReplayed(m.Session):
		m.Because(whyReplay)
		m.Drop()
	}
}

// isReplayed reports whether updates of a session are a replay to drop.
func (a *Load) isReplayed(session string) bool {
	s, _ := a.conversation.Find(session)
	of, _ := a.replays.Get(s)
	return (of.isLoaded || len(of.pending) > 0) && !a.conversation.Prompting(session)
}
