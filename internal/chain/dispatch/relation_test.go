package dispatch

import (
	"testing"

	"acpshim/internal/chain/wire"
)

// A line that acpshim adds says from which line it comes and to which request it responds.
func TestRelationsOfLines(t *testing.T) {
	first := wire.Origin{From: wire.Client, Number: 1}
	second := wire.Origin{From: wire.Client, Number: 2}
	refusal := wire.Origin{From: wire.Agent, Number: 1}
	for name, test := range map[string]struct {
		holds func(*Message) bool
		send  func(k *talk, a *actor, held *[]*Held)
		side  Side // whose direction has the added line
		want  wire.Addition
	}{
		"a request that goes on": {requests, func(k *talk, _ *actor, held *[]*Held) { (*held)[0].Continue(nil) }, Client, wire.Addition{From: first}},
		"a response to a held request": {requests, func(k *talk, _ *actor, held *[]*Held) {
			k.dispatcher.current = second
			(*held)[0].Answer([]byte(`{"id":1,"result":{}}`))
		}, Agent, wire.Addition{From: second, For: first}},
		"a response that goes on": {responses, func(k *talk, _ *actor, held *[]*Held) {
			k.send(Agent, refusesX)
			(*held)[0].Continue(nil)
		}, Agent, wire.Addition{From: refusal, For: first}},
		"a response to what its receiver has": {func(*Message) bool { return false }, func(k *talk, a *actor, _ *[]*Held) {
			k.respond(a, Client, "1", `{"id":1,"result":{}}`)
		}, Agent, wire.Addition{For: first}},
	} {
		a, held := holder("a", test.holds)
		k := converse(t, a)
		k.send(Client, asksX)
		test.send(k, a, held)
		_, by := k.from[test.side].Drain(nil)
		if len(by.Added) != 1 || by.Added[0].From != test.want.From || by.Added[0].For != test.want.For {
			t.Errorf("%s: added are %+v, want %+v", name, by.Added, test.want)
		}
	}
}
