// Package dispatch hands the messages of a connection to adapters. A [Dispatcher] reads the head of
// a line once and asks the adapters that want such messages. If one needs the line, it parses it
// once, updates the conversation, calls the adapters, and puts together what they made of it.
package dispatch

import (
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Side is a peer, and a direction by where its lines come from.
type Side = conversation.Side

// The sides.
const (
	Client = conversation.Client
	Agent  = conversation.Agent
)

// An Adapter settles one kind of disagreement between the peers. Embed [Base] for the methods that
// have nothing to do. It may be a [Negotiator], [Observer], [Flusher], [UnreadHandler], [Corrector]
// or [LineReader], too.
//
// Each direction calls it from one goroutine at a time, and the two directions do so at the same
// time: state that both use is protected by the conversation's lock. The lock is not held by the
// caller unless a method says so. The bytes that an adapter is given are valid during the call
// only. An adapter that panics is not called again, and the message goes on.
type Adapter interface {
	// Name is by what records name the adapter where it changed a line.
	Name() string

	// Wants says which messages Handle is given. It is called at the start, after Negotiated and
	// when more is known of the peers, when a request that a While names began or ended, and when
	// somebody calls Conversation.ChangeWants. The lock is held.
	Wants() []Want

	// Cares decides by the head of a message that Wants names whether Handle needs it. R is the
	// request that a response answers, else nil.
	Cares(from Side, h wire.Head, r *conversation.Request) Care

	// Handle is given a wanted message as the adapters before it left it. The conversation has
	// taken it in: the request that a response answers is in m.Request, and pending until all
	// adapters have handled the response.
	Handle(m *Message)
}

// A Negotiator is an Adapter that depends on the peers. Negotiated is called when the agent has
// answered initialize: the Request has both peers. The lock is held.
type Negotiator interface {
	Negotiated(initialize *conversation.Request)
}

// An Observer is an Adapter that is told the other changes of the conversation. The lock is held.
type Observer interface {
	Observe(conversation.Event)
}

// A Flusher is an Adapter that keeps lines back. Flush gives m.After those that may go now, as
// wire.Interceptor.Flush appends them. M is no message.
type Flusher interface {
	Flush(m *Message, end bool)
}

// An UnreadHandler is an Adapter that is told of messages that pass because they are ambiguous or
// no JSON; err is nil if one is too long. M has the request of a response, and nothing else. It may
// only call m.After.
type UnreadHandler interface {
	Unread(m *Message, err error)
}

// A Corrector is an Adapter that corrects what a side says: the conversation takes in the side's
// messages as it leaves them. It then is the first one in that direction.
type Corrector interface {
	Corrects(from Side) bool
}

// A LineReader is an Adapter that looks at each line if a Want has Lines, as
// wire.Interceptor.Inspect does. Awaits reports whether it needs to know the request that a
// response answers, for requests of a side and of that method.
type LineReader interface {
	Look(from Side, line []byte, whole bool) wire.Verdict
	Awaits(from Side, method string) bool
}

// A Want says which messages of a side an adapter handles: those in any of its lists.
type Want struct {
	From      Side
	Methods   []string // requests and notifications; "*" is any but session/update
	Updates   []string // session/update of these kinds; "*" is any
	Responses []string // responses to requests of these methods
	Lines     bool     // lines that a LineReader holds; of held lines all responses and batches

	// Holds says that Handle may hold requests of Methods: they are kept as pending, as those are
	// whose responses a Want names.
	Holds bool

	// Contents has the heads of Updates read up to params.update.content.type, for Cares to decide
	// by it.
	Contents bool

	// Text limits Updates to lines with this text in their first wire.HeadSize bytes. The others
	// pass without the adapter being asked, and are not held.
	Text string

	// While limits the Want to the time in which a request of the client of one of these methods is
	// pending: else its messages pass, and a stream of them is not asked about. It is for Methods,
	// Updates and Responses of the agent.
	While []string

	// Sessions has the conversation know sessions, of which session a prompt is, and whether the
	// client has cancelled it: then requests that open and close sessions, their responses, and
	// cancels of the client are held to be read, whatever From is.
	Sessions bool
}

// initialize of the client is wanted of all adapters, and so is the response to it. Of the agent it
// is a method like others.
const initialize = "initialize"

// Care says whether Handle needs a message.
type Care int

const (
	No    Care = iota // it passes
	Yes               // it is held
	Never             // it passes, and all that begin like it until Message.Forget is called
)

// Base is an Adapter without a name that wants nothing, for others to embed. Its Port is there from
// [New] on.
type Base struct{ *Port }

func (b *Base) attach(p *Port) { b.Port = p }

// Wants implements Adapter.
func (Base) Wants() []Want { return nil }

// Cares implements Adapter.
func (Base) Cares(Side, wire.Head, *conversation.Request) Care { return Yes }

// Handle implements Adapter.
func (Base) Handle(*Message) {}
