package doctor

import (
	"fmt"

	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/relay"
	"acpshim/internal/wire"
	"acpshim/translate/plans"
)

// A chain has the adapters that a run would have for an editor that does not announce plan support.
// It is connected to no process: the messages of initialize are given to it.
type chain struct {
	relay  *relay.Relay
	agreed *plans.Negotiation // nil before initialize was answered
	failed any                // with what an adapter panicked, or nil
}

func newChain(c config.Config, client rule.Peer) *chain {
	ch := &chain{}
	ch.relay = relay.New(c, relay.Options{
		ClientName: client.Name,
		ReadFile:   func(string, []string) (string, error) { return "", nil },
		Events: relay.Events{
			Plans:    plans.Events{Negotiated: func(n plans.Negotiation) { ch.agreed = &n }},
			Panicked: func(reason any, _ []byte) { ch.failed = reason },
		},
	})
	return ch
}

// toAgent is what the agent gets for the initialize of the editor.
func (ch *chain) toAgent(line []byte) []byte {
	out, _ := wire.Apply(ch.relay.Options().FromClient, nil, append(line, '\n'))
	return out
}

// answered tells the chain the agent's result.
func (ch *chain) answered(result []byte) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"result":%s}`+"\n", result)
	wire.Apply(ch.relay.Options().FromAgent, nil, line)
}
