package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/config"
	"acpshim/internal/layers"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags are the command line's own settings; an empty one was not given.
type flags struct {
	config            string
	set               []string // KEY=VALUE
	record, stats     bool
	agent             string
	names             names
	logLevel, logFile string
}

// names are what the command line calls the two peers until they name themselves; either may be
// empty.
type names struct{ client, agent string }

// add adds the flags with the names.
func (n *names) add(c *cobra.Command) {
	addOnce(c.Flags(), &n.client, "client-name", "a name", "`NAME` of the client, if it sends none")
	addOnce(c.Flags(), &n.agent, "agent-name", "a name", "`NAME` of the agent, until it sends one")
	completeNothing(c, "client-name", "agent-name")
}

// addOnce adds a flag with a text that is not empty: another one behind it is an error, where pflag
// would take the last. The same is none, as completion reads flags twice. Want is what is wanted,
// for people.
func addOnce(flags *pflag.FlagSet, to *string, name, want, usage string) {
	flags.Var(&once{to, want}, name, usage)
}

// A once is the value of a flag of addOnce.
type once struct {
	to   *string
	want string
}

func (o *once) String() string { return *o.to }

func (o *once) Type() string { return "text" }

func (o *once) Set(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("want %s", o.want)
	case *o.to != "" && text != *o.to:
		return fmt.Errorf("want one, there is %q before it", *o.to)
	}
	*o.to = text
	return nil
}

// addLayers adds the flags that are layers of the configuration.
func (f *flags) addLayers(c *cobra.Command) {
	addOnce(c.Flags(), &f.config, "config", "a file", "read `FILE` over your own configuration")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set a key, as `KEY=VALUE`; may be given again")
	completeWith(c, "set", completeSetting)
}

// addRun adds the flags of a run, but for its agent.
func (f *flags) addRun(c *cobra.Command) {
	f.names.add(c)
	f.addLayers(c)
	c.Flags().BoolVar(&f.stats, "stats", false, "say at the end how often each rule matched")
	c.Flags().BoolVar(&f.record, "record", false, "record what passes, for \"acpshim log\"")
	c.Flags().StringVar(&f.logLevel, "log-level", "", "`LEVEL` of the log: debug, info, warn, error, off")
	c.Flags().StringVar(&f.logFile, "log-file", "", "append the log to `FILE`, not to standard error")
	completeWith(c, "log-level", func(string) ([]string, cobra.ShellCompDirective) { return config.LogLevels(), noFiles })
}

// addRunHidden is addRun for a command with flags of its own, whose help has no room for them.
func (f *flags) addRunHidden(c *cobra.Command) {
	own := map[string]bool{}
	c.Flags().VisitAll(func(flag *pflag.Flag) { own[flag.Name] = true })
	f.addRun(c)
	c.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = !own[flag.Name] })
}

// load returns the configuration that counts. The error is an exit if only the command line is
// wrong, and else has the mistakes of all layers.
func (f flags) load() (config.Config, error) { return f.loadLayers(false) }

// loadNamed is load without the user's own configuration.
func (f flags) loadNamed() (config.Config, error) { return f.loadLayers(true) }

func (f flags) loadLayers(noUser bool) (config.Config, error) {
	if f.logLevel != "" && !slices.Contains(config.LogLevels(), f.logLevel) {
		return config.Config{}, &exit{exitUsage, fmt.Errorf("--log-level: want debug, info, warn, error or off, not %q", f.logLevel), ""}
	}
	l := layers.Layers{NoUser: noUser, File: f.config}
	assign := func(flag, assignment string) {
		l.Assignments = append(l.Assignments, layers.Assignment{Flag: flag, Text: assignment})
	}
	for _, assignment := range f.set {
		assign("--set", assignment)
	}
	if f.record {
		assign("--record", "record.enabled=true")
	}
	if f.logFile != "" {
		path, err := filepath.Abs(f.logFile)
		if err != nil {
			return config.Config{}, err
		}
		assign("--log-file", "log.file="+path)
	}
	if f.logLevel != "" {
		assign("--log-level", "log.level="+f.logLevel)
	}
	c, err := l.Load()
	if wrong := (layers.WrongFlags{}); errors.As(err, &wrong) {
		err = &exit{exitUsage, wrong.Problems, ""}
	}
	return c, err
}

// readsStdin reports whether load would read what is on standard input.
func (f flags) readsStdin() bool { return layers.Layers{File: f.config}.ReadsStdin() }

// chosen returns the agent that is to run: args, or with --agent the one of that
// name with args behind its own.
func (f flags) chosen(c config.Config, args []string) (config.Agent, error) {
	if f.agent == "" {
		return config.Agent{Command: args}, nil
	}
	agent, ok := c.Agents[f.agent]
	if id, of := strings.CutPrefix(f.agent, registryPrefix); of && !ok {
		return registered(c, id, args)
	}
	if !ok {
		names := slices.Sorted(maps.Keys(c.Agents))
		err := fmt.Errorf("--agent: the configuration has no agent %q", f.agent)
		hint := fmt.Sprintf("it has %s", strings.Join(names, ", "))
		near := config.Nearest(f.agent, names)
		switch {
		case len(names) == 0:
			hint = "an agent is [agents.NAME] with a command, such as command = [\"codex-acp\"]; it has none"
		case near != "":
			hint = fmt.Sprintf("did you mean %s? %s", near, hint)
		}
		return agent, &exit{exitUsage, err, hint}
	}
	if agent.Cwd != "" && !isFolder(agent.Cwd) {
		at := c.From("agents." + f.agent + ".cwd")
		return agent, &exit{exitConfig, fmt.Errorf("agent %q: %s is no folder to start it in (cwd, %s)", f.agent, agent.Cwd, at), ""}
	}
	agent.Command = append(slices.Clone(agent.Command), args...)
	return agent, nil
}

// environ is what an agent gets besides this process's environment.
func environ(agent config.Agent) []string {
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(agent.Env)) {
		variables = append(variables, name+"="+agent.Env[name])
	}
	return variables
}
