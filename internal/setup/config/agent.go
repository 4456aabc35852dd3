package config

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// An Agent is an [agents.NAME]: how an agent is started.
type Agent struct {
	Command []string          // its argv; not empty
	Env     map[string]string // added to the environment
	Cwd     string            // an absolute folder; "" is that of acpshim
}

func (a *Agent) keys() []key {
	return []key{
		{path: "command", need: `command, such as command = ["codex-acp"]`, setting: list(&a.Command, "a program and its arguments", checkArgument)},
		{path: "env", setting: environment(&a.Env)},
		{path: "cwd", setting: folder(&a.Cwd)},
	}
}

// agents reads the tables of one source into to. A known agent keeps the keys that the source does
// not set. From receives the place of each key.
func agents(to *map[string]Agent, from map[string]Place) func(string) row {
	return func(name string) row {
		a := (*to)[name]
		a.Env = maps.Clone(a.Env)
		return row{
			keys: a.keys(),
			add: func(s *section) (errs, _ []error) {
				for path, where := range s.set {
					from["agents."+name+"."+path] = where
				}
				if len(a.Command) > 0 && !s.faulty["command"] && a.Command[0] == "" {
					errs = append(errs, at("command", partErrors{{0, errors.New(`want a program, not ""`)}}))
				}
				if name == "" {
					errs = append(errs, errors.New("want a name"))
				}
				put(to, name, a)
				return errs, nil
			},
		}
	}
}

// environment reads a table of variables, and keeps the earlier ones.
func environment(to *map[string]string) setting {
	return table(to, `{ NAME = "value" }`, func(name string, v any, _ *node) error {
		text, err := inQuotes(v, "a text")
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return fmt.Errorf("want the name of a variable, not %q", name)
		case err != nil:
			return err
		}
		put(to, name, text)
		return checkArgument(text)
	})
}
