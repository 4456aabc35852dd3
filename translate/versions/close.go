package versions

import (
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// In version 2, a session is idle before the response that closes it, and nothing of it follows. An
// agent of version 1 may end the turn later.

// close closes a session. If the agent has no method for it, close only cancels the turn.
func (a *Client) close(m *dispatch.Message) {
	a.cancelPrompts(m.Session)
	a.cancelQuestions(m.Session)
	if a.has("sessionCapabilities", "close") {
		return
	}
	m.Because(whyNoClose)
	a.Pass(dispatch.Agent, cancelOf(m.Session), whyClosed)
	if lines := a.ended(m.Session); lines != nil {
		a.Pass(dispatch.Client, lines, whyClosed)
	}
	m.Answer(wire.Result(m.ID, []byte("{}")))
}

// ended returns the lines that end the turn of a session that is closed now. What the agent still
// sends about the session is dropped.
func (a *Client) ended(session string) (lines []byte) {
	for _, r := range a.c.Prompts(session) {
		if p, ok := a.prompts.Get(r); ok && p.held == nil && !p.isEnded {
			lines = append(lines, a.accept(r)...)
			lines = append(lines, stateUpdate(session, "idle", object(nil).text("stopReason", "cancelled"))...)
			p.isEnded = true
		}
	}
	a.with(session, func(s *clientSession) { s.isClosed = true })
	return lines
}
