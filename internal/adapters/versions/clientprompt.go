package versions

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A prompt is the state of a prompt of a client of version 2. The client gets the response when the
// agent accepts the prompt, and an update at the end of the turn.
type prompt struct {
	id         []byte         // of the request, raw
	content    []byte         // raw
	key        string         // its idempotencyKey
	again      []repeated     // the prompts with the same key, which get the same response
	held       *dispatch.Held // while another prompt of the session runs; else nil
	isAccepted bool           // the client got its response
	isEnded    bool           // the client got the end of its turn
	timer      *dispatch.Timer
	isClosing  bool      // the client closes its session
	closings   []closing // what waits for its end
	limit      *dispatch.Timer
	left       *clientSession // the state of its session, if that was closed
}

// acceptAfter is the time after which a prompt counts as accepted if the agent sends nothing.
const acceptAfter = 250 * time.Millisecond

// prompt forwards a prompt, or holds it while another prompt of its session runs.
func (a *Client) prompt(m *dispatch.Message) {
	r := a.c.Pending(dispatch.Client, m.ID)
	if r == nil {
		return
	}
	if skill, ok := referredSkill(m.Params().Raw("prompt")); ok {
		m.Answer(wire.Refusal(m.ID, -32602, fmt.Sprintf("Invalid params: the agent speaks version 1, which has no skills: send /%s as text", skill)))
		return
	}
	p := &prompt{id: bytes.Clone(m.ID), content: bytes.Clone(m.Params().Raw("prompt"))}
	p.key, _ = m.Params().Text("idempotencyKey")
	if a.isRepeated(m, r, p.key) {
		return
	}
	if a.running(r.Session) != nil {
		m.Because(whyPromptRuns)
		if p.held = m.HoldThroughCancel(dispatch.Unlimited); p.held == nil {
			m.Answer(wire.Refusal(m.ID, -32603, "a prompt of the session runs, and acpshim has no room for one that waits"))
			return
		}
	}
	a.prompts.Put(r, p, len(p.id)+len(p.content))
	if p.held == nil {
		if line := promptTo1(m.Line); line != nil {
			m.Replace(line)
		}
		a.await(r, p)
	}
}

// first returns the first prompt of a session that has not ended, or nil. Only the first one can
// run, because held prompts continue in their order.
func (a *Client) first(session string) (*conversation.Request, *prompt) {
	for _, r := range a.c.Prompts(session) {
		if p, ok := a.prompts.Get(r); ok {
			return r, p
		}
	}
	return nil, nil
}

// running returns the prompt of a session that the agent has, or nil.
func (a *Client) running(session string) *conversation.Request {
	if r, p := a.first(session); p != nil && p.held == nil {
		return r
	}
	return nil
}

// next continues the next held prompt of a session if none runs.
func (a *Client) next(session string) {
	if r, p := a.first(session); p != nil && p.held != nil {
		a.release(r, p, whyPromptEnded)
	}
}

// Flush implements dispatch.Flusher: it sends the waiting prompts when the client has ended.
func (a *Client) Flush(m *dispatch.Message, end bool) {
	if !end || m.From != dispatch.Client {
		return
	}
	for r, p := range a.prompts.All() {
		if p.held != nil {
			a.release(r, p, whyClientEnded)
		}
	}
}

// release sends a held prompt to the agent.
func (a *Client) release(r *conversation.Request, p *prompt, why wire.Reason) {
	held := p.held
	p.held = nil
	a.await(r, p)
	held.Because(why).Continue(promptTo1(held.Line()))
}

// await accepts a prompt after acceptAfter.
func (a *Client) await(r *conversation.Request, p *prompt) {
	p.timer = a.After(acceptAfter, func() {
		a.Make(whyAcceptedByTime, func() []byte {
			return a.accept(r)
		})
	})
}

// accept returns the lines that tell the client that the agent has accepted a prompt, or nil if the
// client has them.
func (a *Client) accept(r *conversation.Request) (lines []byte) {
	p, ok := a.prompts.Get(r)
	if !ok || p.isAccepted || p.held != nil {
		return nil
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.isAccepted = true
	id := a.newID()
	a.with(r.Session, func(s *clientSession) {
		s.chunk, s.isClosed = "", false
		s.keys.add(p.key, id)
	})
	a.endRepeated(p, func(of []byte) []byte { return wire.Result(of, object(nil).text("messageId", id).json()) })
	update := object(nil).text("sessionUpdate", acp.UserMessage).text("messageId", id).with("content", p.content).json()
	lines = wire.SessionUpdate(r.Session, update)
	lines = append(lines, wire.Result(p.id, object(nil).text("messageId", id).json())...)
	return append(lines, stateUpdate(r.Session, acp.StateRunning, nil)...)
}

// promptResponse translates the end of a turn to an update. If the agent refuses a prompt before it
// counts as accepted, the refusal is the response.
func (a *Client) promptResponse(m *dispatch.Message) {
	p, ok := a.prompts.Get(m.Request)
	if !ok && m.IsRefusal() {
		return
	}
	if !ok { // there was no room for it
		p = &prompt{id: m.ID, content: []byte("[]")}
		a.prompts.Put(m.Request, p, 0)
	}
	m.Because(whyClient2)
	if p.isEnded {
		m.Because(whyAfterClose)
		m.Drop()
		return
	}
	session := m.Request.Session
	isCancelled := m.IsRefusal() && (m.Code() == "-32800" || p.isClosing)
	if p.isEnded = true; m.IsRefusal() && !p.isAccepted {
		failure := m.Object.Raw("error")
		a.endRepeated(p, func(of []byte) []byte { return refusal(of, failure) })
		return
	}
	m.Before(a.accept(m.Request))
	with := object(nil)
	switch reason := present(m.Result().Raw("stopReason")); {
	case isCancelled:
		with = with.text("stopReason", acp.StopCancelled)
	case m.IsRefusal():
		with = with.text("stopReason", "error").with("error", m.Object.Raw("error"))
	case reason == nil:
		with = with.text("stopReason", acp.StopEndTurn)
	default:
		with = with.with("stopReason", reason).with("usage", present(m.Result().Raw("usage"))).with("_meta", present(m.Result().Raw("_meta")))
	}
	a.with(session, func(s *clientSession) { s.chunk = "" })
	m.Replace(stateUpdate(session, acp.StateIdle, with))
}

// Observe implements dispatch.Observer. After a prompt, the next one continues.
func (a *Client) Observe(e conversation.Event) {
	switch {
	case e.Kind == conversation.SessionRemoved && e.Session.IsOver:
		a.cancelPrompts(e.Session.ID)
		if p, ok := a.prompts.Get(a.running(e.Session.ID)); ok {
			p.left, _ = a.sessions.Get(e.Session)
		}
		return
	case e.Kind != conversation.RequestEnded:
		return
	}
	if p, ok := a.prompts.Take(e.Request); ok {
		if p.timer != nil {
			p.timer.Stop()
		}
		a.endRepeated(p, func(of []byte) []byte {
			return wire.Refusal(of, -32603, "the first prompt with this idempotencyKey has ended without a response")
		})
		if p.isAccepted && !p.isEnded { // for example, its id was used again
			a.Pass(dispatch.Agent, stateUpdate(e.Request.Session, acp.StateIdle, object(nil).text("stopReason", acp.StopEndTurn)), whyNoResponse)
		}
		a.endClosings(e.Request.Session, p, whyTurnClosed)
		a.next(e.Request.Session)
	}
}

func (a *Client) cancelPrompts(session string) {
	for _, r := range slices.Clone(a.c.Prompts(session)) {
		if p, ok := a.prompts.Get(r); ok {
			a.cancelHeld(p)
		}
	}
}

// cancelHeld refuses a prompt if it is held, and reports whether it is.
func (a *Client) cancelHeld(p *prompt) bool {
	if p.held == nil || !p.held.Because(whyCancelledWaiting).Answer(dispatch.Cancelled(p.id)) {
		return false
	}
	a.endRepeated(p, dispatch.Cancelled)
	return true
}

// cancelRequest refuses a held prompt, and reports whether there is one with that id.
func (a *Client) cancelRequest(rawID []byte) bool {
	r := a.c.Pending(dispatch.Client, rawID)
	if p, ok := a.prompts.Get(r); ok {
		return a.cancelHeld(p)
	}
	return r != nil && r.IsPrompt() && a.cancelRepeated(r)
}

// stateUpdate returns the line of a state_update with the members of with.
func stateUpdate(session, state string, with object) []byte {
	update := object(nil).text("sessionUpdate", acp.StateUpdate).text("state", state)
	if len(with) > 0 {
		update = append(append(update, ','), with[1:]...)
	}
	return wire.SessionUpdate(session, update.json())
}

// A clientSession is the state of a session with a client of version 2.
type clientSession struct {
	charge    func(bytes int) bool // see [dispatch.Port.Charge]
	chunk     string               // the kind of the last chunk, or "" after another update
	id        string               // the id that its message got
	calls     calls                // without content
	terminals []*reportedTerminal  // the newest at the end
	keys      keys
	isClosed  bool // nothing of the session follows
	isSilent  bool // session/load replaces session/resume, so the replay is dropped
}

// newID returns an id for a message.
func (a *Client) newID() string {
	a.made++
	return fmt.Sprintf("acpshim-message-%d", a.made)
}

// with calls f with the state of a session.
func (a *Client) with(id string, f func(*clientSession)) {
	of, ok := a.c.FindNew(id)
	if !ok {
		of = a.c.Session(id)
	}
	s, ok := a.sessions.Get(of)
	if p, _ := a.prompts.Get(a.running(id)); !ok && p != nil {
		s, p.left = p.left, nil
	}
	if s == nil {
		s = &clientSession{charge: func(bytes int) bool { return a.Charge(dispatch.Agent, bytes) }}
	}
	f(s)
	a.sessions.Put(of, s, 256+s.calls.bytes+len(s.keys)*(maxID+64)+len(s.terminals)*(2*maxID+maxCommand))
}
