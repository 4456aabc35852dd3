// Package turns has the adapter that keeps the turns of a session in order: one prompt at a time,
// and an end for each that is cancelled.
package turns

import (
	"bytes"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Settings are how turns are handled for two peers. The zero value does nothing.
type Settings struct {
	Queue       int           // how many prompts of a session are kept while one runs; 0: none
	CancelGrace time.Duration // for a turn to end after session/cancel; 0: for ever
}

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// For returns the settings for two peers.
	For func(client, agent conversation.Implementation) Settings

	Send dispatch.Send

	// Inject has the lines that produce returns sent to the client, while the agent's direction
	// handles no line. It may wait, and produce is not called if the direction has ended.
	Inject func(produce func() []byte)
}

// An Adapter keeps the prompts that a client sends while another one of the session runs, and sends
// one after the other. One that does not fit is refused, as it would overtake those that wait. A
// turn that does not end within a grace after session/cancel is answered, and the agent's own
// answer is dropped when it comes.
//
//   - Settles: An agent refuses a prompt while another one runs, or never ends a turn that was
//     cancelled.
//   - For: Those who set turns.queue or turns.cancel_grace.
//   - Keys: turns.queue, turns.cancel_grace
//   - Read: vercel-labs/fx#993, can1357/oh-my-pi#10707, shindgew/agy-acp#50,
//     agent-of-empires/agent-of-empires#1196, anomalyco/opencode#30146
type Adapter struct {
	dispatch.Switched[Settings]
	opts Options

	// The fields below are protected by the conversation's lock.
	turns  map[*conversation.Request]*turn // by the prompt, which is pending
	queues map[string][]*turn              // by session
	size   int                             // bytes of all lines in queues
}

// A turn is a prompt of the client.
type turn struct {
	request *conversation.Request
	id      []byte                // raw
	line    []byte                // the prompt with its end while it is queued, else nil
	weighed *conversation.Session // whose size the line counts in; nil if it is not known
	grace   *time.Timer           // runs once it is cancelled
}

// maxQueued bounds the prompts that are queued, in bytes. Those over it are refused.
const maxQueued = 16 << 20

const (
	prompt = "session/prompt"

	// abandoned stands in place of prompt for a request that was answered in the agent's place.
	abandoned = "session/prompt, answered"

	full = "as many prompts of the session wait as turns.queue allows, or 16 MiB of all: want one of them answered first"
)

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		opts: o, turns: map[*conversation.Request]*turn{}, queues: map[string][]*turn{},
		Switched: dispatch.Switched[Settings]{For: o.For, Wanted: []dispatch.Want{
			{From: dispatch.Client, Methods: []string{prompt, "session/cancel", "$/cancel_request"}},
			{From: dispatch.Agent, Responses: []string{prompt, abandoned}, Sessions: true},
		}},
	}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "turns" }

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	a.Switched.Observe(e)
	if e.Kind == conversation.RequestEnded {
		if t := a.turns[e.Request]; t != nil && t.grace != nil {
			t.grace.Stop()
		}
		delete(a.turns, e.Request) // if it was evicted while queued, the queue still has it
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(whyQueued)
	switch {
	case m.Method == prompt:
		a.begin(m)
	case m.Method == "session/cancel":
		a.cancel(m.Session)
	case m.Method == "$/cancel_request":
		a.cancelOne(m)
	case m.Request != nil && m.Request.Method == abandoned:
		m.Because("the turn was cancelled, and the client was told its end")
		m.Drop()
	default:
		a.ended(m)
	}
}

// whyQueued is what records say of a prompt that waits.
const whyQueued = "held until the turn before it has ended (turns.queue)"

// Unread implements dispatch.Adapter.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	m.Because(whyQueued)
	a.ended(m)
}

// Flush implements dispatch.Adapter: when the client has said all, nothing is kept from the agent.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if !end || m.From != dispatch.Client {
		return
	}
	m.Because(whyQueued)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	for session := range a.queues {
		for t := a.next(session); t != nil; t = a.next(session) {
			m.After(a.take(t))
		}
	}
}

// begin notes a prompt, and queues it if another one of its session runs.
func (a *Adapter) begin(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	if r == nil || r.Session == "" {
		return
	}
	a.resume(m, r.Session)
	if a.isFull(r.Session, len(m.Line)) && a.opts.Send(dispatch.Client, wire.Refusal(m.ID, -32603, full)) {
		a.opts.Conversation.Forget(dispatch.Client, m.ID)
		m.Because("refused, as there is no room to wait (turns.queue)")
		m.Replace() // by nothing
		return
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	t := &turn{request: r, id: bytes.Clone(m.ID)}
	if a.queue(t, m.Line) {
		m.Replace() // by nothing
	}
	a.turns[r] = t
}

// resume sends the first prompt that waits if the one that ran is known no longer, as it was
// evicted, or its id was used again: nothing else would send it.
func (a *Adapter) resume(m *dispatch.Message, session string) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if next := a.next(session); next != nil && !a.runs(session) {
		m.Before(a.take(next))
	}
}

// ended sends the next prompt of a session when the one before it has been answered. What cannot be
// sent is answered, too.
func (a *Adapter) ended(m *dispatch.Message) {
	if m.From == dispatch.Agent && m.Request != nil && m.Request.Prompts() {
		m.After(a.release(m.Request.Session))
	}
}

// cancel answers the prompts of a session that are queued, and has the one that runs end in time.
func (a *Adapter) cancel(session string) {
	for t := a.dequeue(session, nil); t != nil; t = a.dequeue(session, nil) {
		a.opts.Conversation.Forget(dispatch.Client, t.id)
		a.opts.Send(dispatch.Client, t.cancelled())
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	for _, t := range a.turns {
		if t.request.Session == session && t.grace == nil && a.On.CancelGrace > 0 {
			t.grace = time.AfterFunc(a.On.CancelGrace, func() {
				a.opts.Inject(func() []byte { return a.abandon(t) })
			})
		}
	}
}

// abandon answers a turn in the agent's place, unless it has ended. The agent's direction handles
// no line meanwhile.
func (a *Adapter) abandon(t *turn) []byte {
	a.opts.Conversation.Lock()
	is := a.turns[t.request] == t
	a.opts.Conversation.Unlock()
	if !is {
		return nil
	}
	session := t.request.Session
	a.opts.Conversation.Note(t.id, conversation.Request{From: dispatch.Client, Method: abandoned, Session: session})
	return append(t.cancelled(), a.release(session)...)
}

// cancelled returns the response to a prompt that was cancelled.
func (t *turn) cancelled() []byte { return wire.Result(t.id, []byte(`{"stopReason":"cancelled"}`)) }

// cancelOne answers a queued prompt that the client cancels by its id.
func (a *Adapter) cancelOne(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.Params().Raw("requestId"))
	if r == nil {
		return
	}
	if t := a.dequeue(r.Session, r); t != nil {
		a.opts.Conversation.Forget(dispatch.Client, t.id)
		a.opts.Send(dispatch.Client, wire.Refusal(t.id, -32800, "Request cancelled"))
		m.Because("the prompt that it cancels waited, and never ran")
		m.Drop()
	}
}
