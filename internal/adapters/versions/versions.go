// Package versions translates between version 1 and version 2 of the protocol, for a client and an
// agent that have no version in common. All other packages see only version 1. An [Agent] is next
// to an agent of version 2, and a [Client] next to a client of version 2. [Early] keeps what the
// client sends before the version is known.
//
// Where to look:
//
//   - Which version both speak: negotiate.go, initialize.go, refusal.go, restart.go, early.go.
//   - An agent of version 2: agent.go, then agentprompt.go, update.go and turn.go, call.go and
//     terminal.go, subagent.go, newcomer.go and hidden.go, notice.go, message.go. The state is in
//     session.go.
//   - A client of version 2: client.go, then clientprompt.go, clientupdate.go, patch.go, report.go,
//     key.go, close.go. The state is a clientSession.
//   - Both, without state: block.go, content.go, lists.go, form.go, elicitation.go, permission.go,
//     shared.go, meta.go, object.go.
package versions

import (
	"acpshim/internal/chain/conversation"
)

// Options are the options of all adapters of this package.
type Options struct {
	Conversation *conversation.Conversation
	// IsOn reports whether to translate for a client. Agent is empty, because it is not known yet.
	IsOn func(client, agent conversation.Implementation) bool
	// FallsBack is IsOn for peers that need no translation: whether to send initialize again with
	// version 1 if the agent refuses a later one, and to correct the number of a version.
	FallsBack func(client, agent conversation.Implementation) bool
	// Restart ends the agent. When it has ended, the caller starts it again if [Agent.Restarts]
	// reports true, and calls [Agent.Restarted]. Restart must not block. If it is nil, agents are
	// never restarted.
	Restart func()
	// AsksOnce says that the agent accepts one initialize, so that it is restarted for the second.
	AsksOnce bool
	// Bridged is called with the versions of both peers. It may be nil.
	Bridged func(client, agent int)
}
