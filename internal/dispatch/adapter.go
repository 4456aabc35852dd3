// Package dispatch hands the messages of a connection to adapters. A [Dispatcher] reads the head of
// a line once, asks those adapters that want such messages, parses what is held once, has the one
// conversation take it in, and puts together what the adapters make of it.
package dispatch

import (
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Side is a peer, and a direction by where its lines come from.
type Side = conversation.Side

// The two sides.
const (
	Client = conversation.Client
	Agent  = conversation.Agent
)

// An Adapter changes one kind of disagreement between the peers. What one has no use for it gets
// from [Base].
//
// Each direction calls it from one goroutine, and the two may do so at the same time: what both use
// is protected by the conversation's lock, which is not held unless a method says so. An adapter
// keeps no bytes that it is given. One that panics is switched off, and the message goes on.
type Adapter interface {
	// Name is what records call it that changed a line.
	Name() string

	// Wants says which messages Handle is to get, for the peers as they are known. The lock is
	// held. It is asked again when more is known of them.
	Wants() []Want

	// Observe is told of all changes of the conversation, with the lock held.
	Observe(conversation.Event)

	// Corrects reports whether it stands before the others in the direction from a side, and what
	// it makes of its messages is what counts of these.
	Corrects(from Side) bool

	// Awaits reports whether the response to a request of a side is wanted, besides those that
	// Wants names.
	Awaits(from Side, method string) bool

	// Look is shown each line, if a Want asks for that, as wire.Interceptor.Inspect is.
	Look(from Side, line []byte, whole bool) wire.Verdict

	// Cares decides by its head whether a message that Wants names is needed as a whole. R is the
	// request that a response answers.
	Cares(from Side, h wire.Head, r *conversation.Request) Care

	// Answering is shown a wanted response before the conversation takes it in. It may only put
	// lines before it.
	Answering(m *Message)

	// Handle is given a wanted message as the adapters before it left it.
	Handle(m *Message)

	// Unread is told of a message that passes unread, as it is ambiguous or no JSON; the error is
	// nil if it is too long. Of a response m has the request, else nothing. It may only put lines
	// behind it.
	Unread(m *Message, err error)

	// Flush puts lines behind m, which is none, that were kept back for longer than a message: see
	// wire.Interceptor.
	Flush(m *Message, end bool)
}

// A Want is a kind of messages. Its lists are alternatives.
type Want struct {
	From      Side
	Methods   []string // of requests and notifications; "*" is any but session/update
	Updates   []string // kinds of session update
	Responses []string // to requests of these methods
	Lines     bool     // all lines are to be looked at
	Sessions  bool     // what opens and closes sessions is to be read, and the session of a prompt
}

// Initialize and its response are handed to all adapters.
const initialize = "initialize"

// Care says whether a message is needed as a whole.
type Care int

const (
	No    Care = iota // not this one
	Yes               // this one
	Never             // no line that begins like this one
)

// Base is an adapter that wants nothing, for others to embed.
type Base struct{}

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
