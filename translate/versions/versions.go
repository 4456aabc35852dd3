// Package versions lets a client and an agent understand each other of which one speaks version 1
// of the protocol, and the other one only version 2. To everything else in acpshim both speak
// version 1: an [Agent] stands beside an agent of version 2, and a [Client] beside a client of
// version 2.
//
// What the versions spell otherwise is in the files initialize.go, lists.go and content.go, which
// keep nothing; what needs to be remembered is in a session.
package versions

import (
	"acpshim/internal/conversation"
)

// Options are those of both adapters.
type Options struct {
	Conversation *conversation.Conversation
	// IsOn reports whether the bridge is wanted between two peers; that of the agent is not known
	// yet.
	IsOn func(client, agent conversation.Implementation) bool
	// Restart has the agent ended, for [Agent.Restarted] to be called when it has been started
	// afresh, unless [Agent.Restarts] reports false then. It must not wait; nil: an agent is never
	// started afresh.
	Restart func()
	// Bridged is told that the two speak these versions. The lock is held. It may be nil.
	Bridged func(client, agent int)
}
