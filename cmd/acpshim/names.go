package main

import "github.com/spf13/cobra"

// names are what the command line calls the two peers until they name themselves;
// either may be empty.
type names struct{ client, agent string }

// add adds the flags that tell them.
func (n *names) add(c *cobra.Command) {
	addOnce(c.Flags(), &n.client, "client-name", "a name", "`NAME` of the client, for profiles and rules, if it tells none")
	addOnce(c.Flags(), &n.agent, "agent-name", "a name", "`NAME` of the agent, for profiles and rules, until it tells one")
	completeNothing(c, "client-name", "agent-name")
}
