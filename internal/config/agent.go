package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
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
		{path: "command", setting: list(&a.Command, "a program and its arguments", checkArgument)},
		{path: "env", setting: environment(&a.Env)},
		{path: "cwd", setting: folder(&a.Cwd)},
	}
}

// agents reads the tables of one source into to, where an agent keeps the keys that the source does
// not set. Where a key was set is put into from.
func agents(to *map[string]Agent, from map[string]Place) func(string) row {
	return func(name string) row {
		a := (*to)[name]
		a.Env = maps.Clone(a.Env) // not that of the source below
		return row{
			keys:   a.keys(),
			placed: func(path string, at Place) { from[agentPath(name, path)] = at },
			add: func(faulty map[string]bool) (errs, _ []error) {
				if len(a.Command) == 0 && !faulty["command"] {
					errs = append(errs, errors.New(`want command, such as command = ["codex-acp"]`))
				} else if !faulty["command"] && a.Command[0] == "" {
					errs = append(errs, inside{{"command", inside{{0, errors.New(`want a program, not ""`)}}}})
				}
				if name == "" {
					errs = append(errs, errors.New("want a name"))
				}
				if *to == nil {
					*to = map[string]Agent{}
				}
				(*to)[name] = a
				return errs, nil
			},
		}
	}
}

// agentPath is the path of an agent's key in [Config.from].
func agentPath(name, path string) string { return "agents." + name + "." + path }

func checkArgument(text string) error {
	if strings.ContainsRune(text, 0) {
		return errors.New("want no NUL in it")
	}
	return nil
}

func folder(to *string) setting {
	return typed(to, "an absolute folder in quotes", func(path string) (bool, error) {
		return filepath.IsAbs(path) && checkArgument(path) == nil, nil
	})
}

// environment reads a table of variables over those that there are.
func environment(to *map[string]string) setting {
	return mapping(to, `{ NAME = "value" }`, func(name string, v any, _ *node) (string, error) {
		text, ok := v.(string)
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return "", fmt.Errorf("want the name of a variable, not %q", name)
		case !ok:
			return "", fmt.Errorf("want a text in quotes, not %s", describe(v))
		}
		return text, checkArgument(text)
	})
}
