package doctor

import (
	"acpshim/filters/rule"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/translate/plans"
)

// A chain holds the adapters that a run has for an editor without plan support. It has no process:
// the doctor passes it the messages of initialize.
type chain struct {
	relay  *relay.Relay
	agreed *plans.Negotiation // nil before the response to initialize
	failed any                // the reason of a panic of an adapter, or nil
}

func newChain(c config.Config, client, agent rule.Peer) *chain {
	ch := &chain{}
	ch.relay = relay.New(c, relay.Options{
		Client:   client,
		Agent:    agent,
		ReadFile: func(string, []string) (string, error) { return "", nil },
		Events: relay.Events{
			Plans:    plans.Events{Negotiated: func(n plans.Negotiation) { ch.agreed = &n }},
			Panicked: func(reason any, _ []byte) { ch.failed = reason },
		},
	})
	return ch
}

// toAgent returns what the agent receives for the editor's initialize.
func (ch *chain) toAgent(line []byte) []byte {
	out, _ := wire.Apply(ch.relay.Options().FromClient, nil, append(line, '\n'))
	return out
}

// fromAgent passes the agent's result of initialize to the chain.
func (ch *chain) fromAgent(result []byte) {
	wire.Apply(ch.relay.Options().FromAgent, nil, wire.Result([]byte("0"), result))
}
