// Package turns has the adapters for the order of turns: one prompt at a time, an end for each
// cancelled turn, and no updates between turns.
package turns

import (
	"bytes"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Settings are how turns are handled for two peers. The zero value does nothing.
type Settings struct {
	Queue       int           // how many prompts of a session may wait for the running one
	CancelGrace time.Duration // how long a turn may take to end after session/cancel; 0: no limit
}

// An Adapter sends the prompts of a session one after the other. A prompt that finds the queue full
// is refused: if it were forwarded, it would overtake the waiting ones.
//
// After session/cancel, a turn has CancelGrace to end. Then the adapter responds to its prompt, and
// the agent's own response is dropped.
//
//   - Settles: A prompt is refused because another one runs, or a cancelled turn never ends.
//   - For: Agents that refuse a second prompt, or never end a cancelled turn.
//   - Keys: turns.queue, turns.cancel_grace
//   - Seen: kimi-code 2.1.0, which refuses a second prompt
//   - Read: vercel-labs/fx#993, can1357/oh-my-pi#10707, shindgew/agy-acp#50,
//     agent-of-empires/agent-of-empires#1196, anomalyco/opencode#30146
type Adapter struct {
	dispatch.Switched[Settings]
	conversation *conversation.Conversation
	turns        *conversation.Slot[*conversation.Request, turn] // by pending prompt
	waiting      map[string]int                                  // the number of waiting prompts, by session
	size         int                                             // bytes of the waiting prompts
}

// A turn is a prompt of the client.
type turn struct {
	id    []byte          // raw
	held  *dispatch.Held  // the prompt while it waits; nil when it was sent
	grace *dispatch.Timer // set once the turn is cancelled
}

const (
	full = "as many prompts of the session wait as turns.queue allows, or 16 MiB of all: want one of them answered first"

	maxQueued = 16 << 20 // bytes of waiting prompts
)

// New returns an Adapter. Settings returns the settings for two peers.
func New(c *conversation.Conversation, settings func(client, agent conversation.Implementation) Settings) *Adapter {
	return &Adapter{
		conversation: c, turns: conversation.NewSlot[*conversation.Request, turn](c), waiting: map[string]int{},
		Switched: dispatch.Switched[Settings]{For: settings, Wanted: []dispatch.Want{
			{From: dispatch.Client, Methods: []string{acp.SessionPrompt, acp.SessionCancel}},
			{From: dispatch.Agent, Sessions: true},
		}},
	}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "turns" }

// Observe implements dispatch.Observer: the end of a turn starts the next one.
func (a *Adapter) Observe(e conversation.Event) {
	if e.Kind != conversation.RequestEnded {
		return
	}
	if t, ok := a.turns.Take(e.Request); ok {
		t.stop()
		a.count(e.Request.Session, t, -1)
		a.next(e.Request.Session)
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	if a.Switched.Negotiated(r); a.On.Queue == 0 {
		a.releaseAll()
	}
}

func (t turn) stop() {
	if t.grace != nil {
		t.grace.Stop()
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.Method == acp.SessionPrompt && m.Kind == dispatch.Request {
		a.begin(m)
	} else if m.Method == acp.SessionCancel {
		a.cancel(m.Session)
	}
}

// Flush implements dispatch.Flusher: it sends the waiting prompts when the client has ended.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if end && m.From == dispatch.Client {
		a.releaseAll()
	}
}

// begin records a prompt. It holds the prompt while another one of its session runs or waits.
func (a *Adapter) begin(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Client, m.ID)
	if r == nil || r.Session == "" {
		return
	}
	if _, isAgain := a.turns.Get(r); isAgain { // an adapter sends it again
		return
	}
	t := turn{id: bytes.Clone(m.ID)}
	if first, _ := a.first(r.Session); a.On.Queue > 0 && first != nil {
		m.Because(whyQueued)
		if a.waiting[r.Session] < a.On.Queue && a.size+len(m.Line) <= maxQueued {
			t.held = m.Hold(dispatch.Unlimited)
		}
		if t.held == nil {
			m.Because(whyFull)
			m.Answer(wire.Refusal(m.ID, -32603, full))
			return
		}
	}
	if a.turns.Put(r, t, len(t.id)) {
		a.count(r.Session, t, 1)
	}
}

// count adds a turn to those of its session that wait, or removes it; n is 1 or -1.
func (a *Adapter) count(session string, t turn, n int) {
	if t.held == nil {
		return
	}
	a.size += n * len(t.held.Line())
	if a.waiting[session] += n; a.waiting[session] == 0 {
		delete(a.waiting, session)
	}
}

// first returns the first turn of a session, or nil. If that one waits, none runs.
func (a *Adapter) first(session string) (*conversation.Request, turn) {
	for _, r := range a.conversation.Prompts(session) {
		if t, ok := a.turns.Get(r); ok {
			return r, t
		}
	}
	return nil, turn{}
}

// next sends the first waiting prompt of a session, if none runs.
func (a *Adapter) next(session string) {
	if r, t := a.first(session); t.held != nil {
		a.release(r, t)
	}
}

// release sends a waiting prompt.
func (a *Adapter) release(r *conversation.Request, t turn) {
	a.count(r.Session, t, -1)
	h := t.held
	t.held = nil
	a.turns.Put(r, t, len(t.id))
	h.Because(whyNext).Continue(nil)
}

func (a *Adapter) releaseAll() {
	for r, t := range a.turns.All() {
		if t.held != nil {
			a.release(r, t)
		}
	}
}

// cancel starts the grace of a session's running turn. The dispatcher responds to waiting prompts.
func (a *Adapter) cancel(session string) {
	for _, r := range a.conversation.Prompts(session) {
		if t, ok := a.turns.Get(r); ok && r.IsCancelled && t.grace == nil && t.held == nil && a.On.CancelGrace > 0 {
			t.grace = a.After(a.On.CancelGrace, func() {
				a.Respond(r, wire.Result(t.id, []byte(`{"stopReason":"cancelled"}`)), whyAbandoned) // unless it has ended
			})
			a.turns.Put(r, t, len(t.id))
		}
	}
}
