package versions

import (
	"bytes"
	"fmt"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A prompt is one of a client of version 2, who gets its response when the agent takes it in, and
// hears by an update that the turn has ended. Its fields are protected by the conversation's lock.
type prompt struct {
	id      []byte         // of the request, raw
	content []byte         // raw
	key     string         // its idempotencyKey
	held    *dispatch.Held // while another prompt of the session runs; else nil
	isTaken bool           // the client has its response
	isEnded bool           // and knows that its turn has ended
	timer   *time.Timer
}

// takenAfter is when a prompt counts as taken in if the agent has not said anything.
const takenAfter = 250 * time.Millisecond

// prompt sends a prompt to the agent, or holds it while another one of its session runs.
func (a *Client) prompt(m *dispatch.Message) {
	c := a.opts.Conversation
	r := c.Pending(dispatch.Client, m.ID)
	if r == nil {
		return
	}
	p := &prompt{id: bytes.Clone(m.ID), content: bytes.Clone(m.Params().Raw("prompt"))}
	p.key, _ = m.Params().Text("idempotencyKey")
	taken := ""
	c.Lock()
	if p.key != "" {
		a.with(r.Session, func(s *clientSession) { taken = s.keys[p.key] })
	}
	c.Unlock()
	if taken != "" {
		m.Because("a prompt with this idempotencyKey was sent before")
		m.Answer(wire.Result(m.ID, object(nil).text("messageId", taken).json()))
		return
	}
	c.Lock()
	runs := a.running(r.Session) != nil
	c.Unlock()
	if runs {
		m.Because("another prompt of the session runs")
		if p.held = m.HoldThroughCancel(); p.held == nil {
			m.Answer(wire.Refusal(m.ID, -32603, "a prompt of the session runs, and acpshim has no room for one that waits"))
			return
		}
	}
	c.Lock()
	defer c.Unlock()
	a.prompts.Put(r, p, len(p.id)+len(p.content))
	if p.held == nil {
		a.await(r, p)
	} else {
		a.next(r.Session) // the other one may have ended meanwhile
	}
}

// running is the prompt of a session that the agent has, or nil. The lock is held.
func (a *Client) running(session string) *conversation.Request {
	for r, p := range a.prompts.All() {
		if r.Session == session && p.held == nil {
			return r
		}
	}
	return nil
}

// next has the next prompt of a session go on when none runs. The lock is held.
func (a *Client) next(session string) {
	for r, p := range a.prompts.All() {
		if r.Session == session && a.running(session) == nil {
			held := p.held
			p.held = nil
			a.await(r, p)
			held.Because("the prompt before it ended").ContinueLocked(nil)
		}
	}
}

// await has a prompt count as taken in after a while. The lock is held.
func (a *Client) await(r *conversation.Request, p *prompt) {
	p.timer = time.AfterFunc(takenAfter, func() {
		a.Make("the agent has had the prompt for a while", func() []byte {
			c := a.opts.Conversation
			c.Lock()
			defer c.Unlock()
			return a.taken(r)
		})
	})
}

// taken returns the lines that tell the client that the agent has taken in a prompt, once. The lock
// is held.
func (a *Client) taken(r *conversation.Request) (lines []byte) {
	p, ok := a.prompts.Get(r)
	if !ok || p.isTaken || p.held != nil {
		return nil
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.isTaken = true
	id := a.newID()
	a.with(r.Session, func(s *clientSession) {
		s.chunk = ""
		s.note(p.key, id)
	})
	update := object(nil).text("sessionUpdate", "user_message").text("messageId", id).with("content", p.content).json()
	lines = wire.SessionUpdate(r.Session, update)
	lines = append(lines, wire.Result(p.id, object(nil).text("messageId", id).json())...)
	return append(lines, stateUpdate(r.Session, "running", nil)...)
}

// ended tells the client by an update that a turn has ended. A prompt that the agent refuses before
// it has said anything is refused.
func (a *Client) ended(m *dispatch.Message) {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	p, ok := a.prompts.Get(m.Request)
	if !ok && m.IsRefusal() {
		return
	}
	if !ok { // it was too long to be kept
		p = &prompt{id: m.ID, content: []byte("[]")}
		a.prompts.Put(m.Request, p, 0)
	}
	m.Because("the client speaks version 2")
	session := m.Request.Session
	isCancelled := m.IsRefusal() && m.Code() == "-32800"
	if p.isEnded = true; m.IsRefusal() && !p.isTaken {
		return
	}
	m.Before(a.taken(m.Request))
	with := object(nil)
	switch reason := present(m.Result().Raw("stopReason")); {
	case isCancelled:
		with = with.text("stopReason", "cancelled")
	case m.IsRefusal():
		with = with.text("stopReason", "error").with("error", m.Object.Raw("error"))
	case reason == nil:
		with = with.text("stopReason", "end_turn")
	default:
		with = with.with("stopReason", reason).with("usage", present(m.Result().Raw("usage"))).with("_meta", present(m.Result().Raw("_meta")))
	}
	a.with(session, func(s *clientSession) { s.chunk = "" })
	m.Replace(stateUpdate(session, "idle", with))
}

// Observe implements dispatch.Observer: whatever ended a prompt, the next one goes on.
func (a *Client) Observe(e conversation.Event) {
	if e.Kind != conversation.RequestEnded {
		return
	}
	if p, ok := a.prompts.Take(e.Request); ok {
		if p.timer != nil {
			p.timer.Stop()
		}
		if p.isTaken && !p.isEnded { // such as one whose id is used again
			a.Pass(dispatch.Client, stateUpdate(e.Request.Session, "idle", object(nil).text("stopReason", "end_turn")), "the prompt has ended without a response that can be read")
		}
		a.next(e.Request.Session)
	}
}

// cancelled refuses the prompts of a session that the agent has not got.
func (a *Client) cancelled(session string) {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	for r, p := range a.prompts.All() {
		if r.Session == session && p.held != nil {
			p.held.Because("it was cancelled while it waited").AnswerLocked(dispatch.Cancelled(p.id))
		}
	}
}

// withdrawn refuses a prompt that waits, whose request the client cancels, and reports whether
// there is one.
func (a *Client) withdrawn(rawID []byte) bool {
	c := a.opts.Conversation
	r := c.Pending(dispatch.Client, rawID)
	c.Lock()
	defer c.Unlock()
	p, ok := a.prompts.Get(r)
	return ok && p.held != nil && p.held.Because("it was cancelled while it waited").AnswerLocked(dispatch.Cancelled(p.id))
}

// stateUpdate returns the line that tells the client what an agent is doing, with more members.
func stateUpdate(session, state string, with object) []byte {
	update := object(nil).text("sessionUpdate", "state_update").text("state", state)
	if len(with) > 0 {
		update = append(append(update, ','), with[1:]...)
	}
	return wire.SessionUpdate(session, update.json())
}

// A clientSession is what is kept of a session with a client of version 2. Its fields are protected
// by the conversation's lock.
type clientSession struct {
	chunk     string            // the kind of the chunk that came last, "" if something else did
	id        string            // of its message, made here
	calls     calls             // without content
	terminals []*shown          // the one that began last at the end
	keys      map[string]string // the messages that prompts became, by idempotencyKey
	isSilent  bool              // it is loaded in place of being resumed: what is replayed is not shown
}

// note notes the id of the message that a prompt with that key became.
func (s *clientSession) note(key, id string) {
	if key == "" || len(key) > maxID {
		return
	}
	if s.keys == nil || len(s.keys) == maxKeys {
		s.keys = map[string]string{}
	}
	s.keys[key] = id
}

// maxKeys is how many keys of prompts are known of a session.
const maxKeys = 64

// newID returns an id for a message that has none. The lock is held.
func (a *Client) newID() string {
	a.made++
	return fmt.Sprintf("acpshim-message-%d", a.made)
}

// with calls f with what is kept of a session. The lock is held.
func (a *Client) with(id string, f func(*clientSession)) {
	c := a.opts.Conversation
	of, ok := c.FindNew(id)
	if !ok {
		of = c.Session(id)
	}
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &clientSession{}
	}
	f(s)
	a.sessions.Put(of, s, 256+s.calls.bytes+len(s.keys)*(maxID+64)+len(s.terminals)*(2*maxID+maxCommand))
}
