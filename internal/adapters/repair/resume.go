package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Resume is an adapter that drops the conversation that an agent replays during session/resume.
// Updates that report a state, such as a plan, the mode or the commands, are forwarded.
//
//   - Settles: The conversation appears twice after a session is resumed: the agent replays it, but
//     only session/load should do that.
//   - For: Clients that keep the history of a session themselves.
//   - Keys: repair.resume
//   - Seen: opencode 1.17.0
//   - Read: anomalyco/opencode#30756, NousResearch/hermes-agent#32201
type Resume struct {
	repair
	conversation *conversation.Conversation
	opening      *conversation.Slot[*conversation.Request, bool] // true for session/resume
}

// NewResume returns a Resume adapter.
func NewResume(c *conversation.Conversation, isOn IsOn) *Resume {
	return &Resume{
		conversation: c, opening: conversation.NewSlot[*conversation.Request, bool](c),
		repair: newRepair(isOn, dispatch.Want{
			From: dispatch.Agent, While: []string{acp.SessionResume}, Sessions: true,
			Updates: replayed}),
	}
}

// Observe implements dispatch.Observer.
func (a *Resume) Observe(e conversation.Event) {
	if r := e.Request; e.Kind == conversation.RequestBegan && a.On && r.From == conversation.Client && r.Opens() {
		a.opening.Put(r, r.Method == acp.SessionResume, 0)
	}
}

// Cares implements dispatch.Adapter. It returns No, not Never, because the result changes when a
// request ends.
func (a *Resume) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r == nil && h.SessionID != nil && !a.replays(string(h.SessionID)) {
		return dispatch.No
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *Resume) Handle(m *dispatch.Message) {
	if m.From == dispatch.Agent && m.Update != "" && a.replays(m.Session) {
		m.Because(whyResumeReplay)
		m.Drop()
	}
}

// replays reports whether updates of a session are a replay to drop: the session is being resumed,
// is not loaded at the same time, and has no pending prompt.
func (a *Resume) replays(session string) (is bool) {
	for r, resumes := range a.opening.All() {
		if r.Session == session && !resumes {
			return false
		}
		is = is || r.Session == session
	}
	return is && !a.conversation.Prompting(session)
}
