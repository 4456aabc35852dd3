// Package dispatch passes the messages of a connection to adapters. A [Dispatcher] reads the head
// of a line once and asks the adapters that want such messages. If an adapter needs the line, the
// Dispatcher parses it once, updates the conversation, calls the adapters, and joins their output.
package dispatch

import (
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A Side is a peer, or the direction of the lines that this peer sends.
type Side = conversation.Side

// The sides.
const (
	Client = conversation.Client
	Agent  = conversation.Agent
)

// An Adapter settles one kind of disagreement between the peers. Embed [Base] to leave out methods.
// An Adapter may also be a [Negotiator], [Observer], [Flusher], [UnreadHandler], [Corrector],
// [Translator] or [LineReader].
//
// The dispatcher calls all adapters one at a time, so their state and the conversation need no
// lock. In turn an adapter must not wait in a call, except in [Port.Await]. Bytes passed to an
// adapter are valid only during the call. An adapter that panics is never called again, and the
// message is forwarded.
type Adapter interface {
	// Name is the adapter's name in records, next to the lines that it changed.
	Name() string

	// Wants returns the messages that Handle gets. It is called at the start, after Negotiated,
	// when more is known about the peers, when a request named in a While begins or ends, and after
	// Conversation.ChangeWants.
	Wants() []Want

	// Cares decides by the head of a wanted message whether Handle needs it. r is the request of a
	// response, and nil for other messages.
	Cares(from Side, h wire.Head, r *conversation.Request) Care

	// Handle gets a wanted message as the adapters before it left it. The conversation is already
	// updated. The request of a response is m.Request, and stays pending until all adapters have
	// handled the response.
	Handle(m *Message)
}

// A Negotiator is an Adapter that depends on the peers. Negotiated is called after the response to
// initialize; the Request has both peers.
type Negotiator interface {
	Negotiated(initialize *conversation.Request)
}

// An Observer is an Adapter that gets the other changes of the conversation.
type Observer interface {
	Observe(conversation.Event)
}

// A Flusher is an Adapter that delays lines. Flush passes m.After the lines to forward now, as in
// wire.Interceptor.Flush. m is not a message.
type Flusher interface {
	Flush(m *Message, end bool)
}

// An UnreadHandler is an Adapter that learns of messages that pass because they are ambiguous or
// not JSON; err is nil if one is too long. m has only the request of a response. Unread may only
// call m.After.
type UnreadHandler interface {
	Unread(m *Message, err error)
}

// A Corrector is an Adapter that corrects the messages of a side before they update the
// conversation. It has to be the first adapter in that direction.
type Corrector interface {
	Corrects(from Side) bool
}

// A Translator is an Adapter that changes the version of the protocol. It also gets what acpshim
// sends itself, see [Port.Send], and the responses. Their Request is not pending and has no slots.
type Translator interface {
	Translates()
}

// A LineReader is an Adapter that looks at each line if a Want has Lines, as
// wire.Interceptor.Inspect does. Awaits reports whether it needs the requests of that side and
// method when their responses come.
type LineReader interface {
	Look(from Side, line []byte, whole bool) wire.Verdict
	Awaits(from Side, method string) bool
}

// A Want lists messages of a side that an adapter handles.
type Want struct {
	From      Side
	Methods   []string // requests and notifications; "*" is any but session/update
	Updates   []string // session/update of these kinds; "*" is any
	Responses []string // responses to requests of these methods
	Lines     bool     // lines that a LineReader holds; of held lines all responses and batches

	// Holds says that Handle may hold requests of Methods. They then count as pending.
	Holds bool

	// Contents makes the head of Updates include params.update.content.type, so that Cares can use
	// it.
	Contents bool

	// Messages makes the head of Updates include params.update.messageId, so that Cares can use it.
	// Without that member the head is the whole line.
	Messages bool

	// Statuses makes the head of Updates include params.update.status, so that Cares can use it. If
	// the first wire.HeadSize bytes do not have it, Cares gets a head without it that is not whole.
	Statuses bool

	// Text limits Updates to lines with this text in their first wire.HeadSize bytes. Other lines
	// pass without a call of Cares.
	Text string

	// While limits the Want to times when the client has a pending request of one of these methods.
	// At other times the messages pass without a call of Cares. It works for Methods, Updates and
	// Responses of the agent.
	While []string

	// Sessions makes the conversation know the sessions, the session of each prompt, and whether
	// the client has cancelled it. To that end, requests that open or close sessions, their
	// responses, and cancels of the client are parsed, whatever From is.
	Sessions bool

	// Calls makes the conversation know the tool calls of the agent, as the first adapter with
	// Calls gets them: see conversation.Call. To that end all updates about calls and all
	// permission requests are read, whatever Updates are. With Text, only a tool_call that has it
	// is read; then only what the conversation knows counts, and not what it lacks.
	Calls bool
}

// Care says whether Handle needs a message.
type Care int

const (
	No    Care = iota // it passes
	Yes               // it is held
	Never             // it passes, and so do all that begin like it, until Message.Forget
)

// Base is an Adapter that wants nothing, for others to embed. [New] sets its Port.
type Base struct{ *Port }

func (b *Base) attach(p *Port) { b.Port = p }

// Wants implements Adapter.
func (Base) Wants() []Want { return nil }

// Cares implements Adapter.
func (Base) Cares(Side, wire.Head, *conversation.Request) Care { return Yes }

// Handle implements Adapter.
func (Base) Handle(*Message) {}
