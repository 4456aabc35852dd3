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
// have nothing to do.
//
// Each direction calls it from one goroutine at a time, and the two directions do so at the same
// time: state that both use is protected by the conversation's lock. The lock is not held by the
// caller unless a method says so. The bytes that an adapter is given are valid during the call
// only. An adapter that panics is not called again, and the message goes on.
type Adapter interface {
	// Name is by what records name the adapter where it changed a line.
	Name() string

	// Wants says which messages Handle is given. It is called at the start, after Observe when more
	// is known of the peers, or a request that a While names began or ended, and when somebody
	// calls Conversation.ChangeWants. The lock is held.
	Wants() []Want

	// Observe is called for each change of the conversation. The lock is held.
	Observe(conversation.Event)

	// Corrects reports whether the conversation is to take in the messages from a side as this
	// adapter leaves them. It then is the first one in that direction.
	Corrects(from Side) bool

	// Awaits reports whether requests of a side and of that method are to be kept until their
	// responses come. Those whose responses a Want names are kept anyway.
	Awaits(from Side, method string) bool

	// Look is called for each line if a Want has Lines, as wire.Interceptor.Inspect is.
	Look(from Side, line []byte, whole bool) wire.Verdict

	// Cares decides by the head of a message that Wants names whether Handle needs it. R is the
	// request that a response answers, else nil.
	Cares(from Side, h wire.Head, r *conversation.Request) Care

	// Answering is given a wanted response before the conversation takes it in: its request is
	// still pending. It may only call m.Before.
	Answering(m *Message)

	// Handle is given a wanted message as the adapters before it left it. The conversation has
	// taken it in: the request that a response answers is in m.Request, and pending no longer. What
	// the adapter keeps of that request in a conversation.Slot is still there.
	Handle(m *Message)

	// Unread is called for a message that passes because it is ambiguous or no JSON; err is nil if
	// it is too long. M has the request of a response, and nothing else. It may only call m.After.
	Unread(m *Message, err error)

	// Flush gives m.After lines that earlier calls kept back, as wire.Interceptor.Flush appends
	// them. M is no message.
	Flush(m *Message, end bool)
}

// A Want says which messages of a side an adapter handles: those in any of its lists.
type Want struct {
	From      Side
	Methods   []string // requests and notifications; "*" is any but session/update
	Updates   []string // session/update of these kinds; "*" is any
	Responses []string // responses to requests of these methods
	Lines     bool     // lines that Look holds; of held lines all responses and batches

	// Contents has the heads of Updates read up to params.update.content.type, for Cares to decide
	// by it.
	Contents bool

	// Text limits Updates to lines with this text in their first wire.HeadSize bytes. The others
	// pass without the adapter being asked, and are not held. All Wants of an adapter for a side
	// have the same.
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

// Observe implements Adapter.
func (Base) Observe(conversation.Event) {}

// Corrects implements Adapter.
func (Base) Corrects(Side) bool { return false }

// Awaits implements Adapter.
func (Base) Awaits(Side, string) bool { return false }

// Look implements Adapter.
func (Base) Look(Side, []byte, bool) wire.Verdict { return wire.Pass }

// Cares implements Adapter.
func (Base) Cares(Side, wire.Head, *conversation.Request) Care { return Yes }

// Answering implements Adapter.
func (Base) Answering(*Message) {}

// Handle implements Adapter.
func (Base) Handle(*Message) {}

// Unread implements Adapter.
func (Base) Unread(*Message, error) {}

// Flush implements Adapter.
func (Base) Flush(*Message, bool) {}
