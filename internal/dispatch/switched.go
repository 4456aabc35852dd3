package dispatch

import "acpshim/internal/conversation"

// Switched is a Base for an adapter that is on only for some peers that speak version 1. A T says
// what the adapter does for two peers; its zero value is nothing.
type Switched[T comparable] struct {
	Base
	For    func(client, agent conversation.Implementation) T
	Wanted []Want // while there is something to do
	On     T      // since initialize was answered; protected by the conversation's lock
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
