package dispatch

import "acpshim/internal/chain/conversation"

// Switched is a Base for an adapter that is on only for some peers of version 1. A T has the
// settings of the adapter for two peers. Its zero value is off.
type Switched[T comparable] struct {
	Base
	For    func(client, agent conversation.Implementation) T
	Wanted []Want // the wants while the adapter is on
	On     T      // set by the response to initialize
}

// Wants implements Adapter.
func (s *Switched[T]) Wants() []Want {
	var off T
	if s.On == off {
		return nil
	}
	return s.Wanted
}

// Negotiated implements Negotiator.
func (s *Switched[T]) Negotiated(r *conversation.Request) {
	var off T
	if s.On = off; r.Agent.Version == 1 {
		s.On = s.For(r.Client.Implementation, r.Agent.Implementation)
	}
}
