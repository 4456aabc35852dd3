package doctor

import (
	"encoding/json"
	"fmt"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
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

// toAgent returns what the agent receives for the editor's initialize with these params.
func (ch *chain) toAgent(params map[string]any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		panic(err) // it has strings, numbers and objects
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"method":%q,"params":%s}`+"\n", acp.Initialize, text)
	out, _ := wire.Apply(ch.relay.Options().FromClient, nil, line)
	return out
}

// fromAgent passes the agent's result of initialize to the chain.
func (ch *chain) fromAgent(result []byte) {
	wire.Apply(ch.relay.Options().FromAgent, nil, wire.Result([]byte("0"), result))
}
