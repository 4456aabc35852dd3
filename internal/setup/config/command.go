package config

import (
	"acpshim/filters/rule"
	"acpshim/internal/adapters/commands"
)

// A Command is a [[command]].
type Command struct {
	commands.Command        // no two of one Name for one Agent
	Agent            string // a rule.PeerPattern; "" is any agent
}

func (c *Command) keys() []key {
	return []key{
		{path: "name", need: `a name, such as name = "compact"`, setting: textOf(&c.Name, `a name without a slash in quotes, such as "compact"`, isCommandName, nil)},
		{path: "description", need: `a description, such as description = "Shorten the conversation"`, setting: text(&c.Description)},
		{path: "hint", setting: text(&c.Hint)},
		{path: "agent", setting: peerPattern(&c.Agent)},
	}
}

// isCommandName reports whether a client recognizes that name when a person types it.
func isCommandName(name string) bool {
	for _, r := range name {
		if r == '/' || r <= ' ' {
			return false
		}
	}
	return name != ""
}

func (c *Command) id() (path, name string, off bool) {
	return "command." + c.Name + " of " + c.Agent, c.Name, false
}

func (c *Command) check(map[string]bool) (errs, warnings []error) { return nil, nil }

// CommandsOf returns the commands to announce for an agent.
func (c Config) CommandsOf(agent rule.Peer) (of []commands.Command) {
	for _, command := range c.Commands {
		if agent.Matches(command.Agent) {
			of = append(of, command.Command)
		}
	}
	return of
}
