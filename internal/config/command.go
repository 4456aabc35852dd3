package config

import (
	"errors"

	"acpshim/filters/rule"
	"acpshim/translate/commands"
)

// A Command is a [[command]].
type Command struct {
	commands.Command        // no two of one Name for one Agent
	Agent            string // a rule.PeerPattern; "" is any agent
}

func (c *Command) keys() []key {
	return []key{
		{path: "name", setting: textOf(&c.Name, `a name without a slash in quotes, such as "compact"`, isCommandName, nil)},
		{path: "description", setting: text(&c.Description)},
		{path: "hint", setting: text(&c.Hint)},
		{path: "agent", setting: peerPattern(&c.Agent)},
	}
}

// isCommandName reports whether a client finds a command of that name in what a person types.
func isCommandName(name string) bool {
	for _, r := range name {
		if r == '/' || r <= ' ' {
			return false
		}
	}
	return name != ""
}

// commandRows reads the rows of one source. A row takes the place of one in to that has its name
// and agent. From gets the place of each.
func commandRows(to *[]Command, from map[string]Place) func(Place) row {
	read := map[string]names{}
	return func(where Place) row {
		var c Command
		return row{keys: c.keys(), add: func(s *section) (errs, warnings []error) {
			errs = c.missing(s.faulty)
			if read[c.Agent] == nil {
				read[c.Agent] = names{}
			}
			errs = append(errs, read[c.Agent].again(c.Name)...)
			from[commandPath(c)] = where
			for i, other := range *to {
				if other.Name == c.Name && other.Agent == c.Agent {
					(*to)[i] = c
					return errs, nil
				}
			}
			*to = append(*to, c)
			return errs, nil
		}}
	}
}

// commandPath is what the place of a row is kept by.
func commandPath(c Command) string { return "command." + c.Name + " of " + c.Agent }

// missing returns an error for each key that a row lacks, but for faulty ones.
func (c *Command) missing(faulty map[string]bool) (errs []error) {
	if c.Name == "" && !faulty["name"] {
		errs = append(errs, errors.New(`want a name, such as name = "compact"`))
	}
	if c.Description == "" && !faulty["description"] {
		errs = append(errs, errors.New(`want a description, such as description = "Shorten the conversation"`))
	}
	return errs
}

// CommandsOf are the commands to announce for an agent.
func (c Config) CommandsOf(agent rule.Peer) (of []commands.Command) {
	for _, command := range c.Commands {
		if agent.Matches(command.Agent) {
			of = append(of, command.Command)
		}
	}
	return of
}
