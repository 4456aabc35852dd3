package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/config"
	"acpshim/internal/spelling"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags holds the values of flags that several commands have; an empty one was not given.
type flags struct {
	config             string
	set                []string // KEY=VALUE
	record, countRules bool
	start              string // the name of an agent
	peers              peers
	logLevel, logFile  string
}

// peers says who the client and the agent are until they name themselves: NAME or "NAME VERSION",
// or "" if nothing is known.
type peers struct{ client, agent string }

// add adds the flags --client and --agent.
func (p *peers) add(c *cobra.Command) {
	addOnce(c.Flags(), &p.client, "client", "a name", "the client is `NAME` or \"NAME VERSION\" by default")
	addOnce(c.Flags(), &p.agent, "agent", "a name", "the agent is `NAME` or \"NAME VERSION\" by default")
	completeNothing(c, "client", "agent")
}

// addStart adds the flag --start.
func (f *flags) addStart(c *cobra.Command) {
	addOnce(c.Flags(), &f.start, "start", "the name of an agent", "start the agent `NAME` of your config, or registry:ID")
	completeWith(c, "start", func(string) ([]string, cobra.ShellCompDirective) { return agentNames(*f), noFiles })
}

// addOnce adds a flag that must not be empty or repeated with another value. pflag would take the
// last value. Repeating the same value is allowed, because completion reads flags twice. want
// describes the value for people.
func addOnce(flags *pflag.FlagSet, to *string, name, want, usage string) {
	flags.Var(&once{to, want}, name, usage)
}

// A once is the pflag.Value of addOnce.
type once struct {
	to   *string
	want string
}

func (o *once) String() string { return *o.to }

func (o *once) Type() string { return "text" }

func (o *once) Set(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("it needs %s", o.want)
	case *o.to != "" && text != *o.to:
		return fmt.Errorf("it is already %q", *o.to)
	}
	*o.to = text
	return nil
}

// addLayers adds the flags that change the configuration. Only the help of a run lists them.
func (f *flags) addLayers(c *cobra.Command) {
	addOnce(c.Flags(), &f.config, "config", "a file", "read `FILE` after your own configuration")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set a key of the configuration, as `KEY=VALUE`; repeatable")
	completeWith(c, "set", completeSetting)
	for _, name := range []string{"config", "set"} {
		c.Flags().Lookup(name).Hidden = c.HasParent() || c.Name() != "acpshim"
	}
}

// addRun adds the flags of a run, except for --start.
func (f *flags) addRun(c *cobra.Command) {
	c.Flags().BoolVar(&f.record, "record", false, "record all messages, for \"acpshim log\"")
	f.peers.add(c)
	f.addLayers(c)
	c.Flags().BoolVar(&f.countRules, "count-rules", false, "print at the end how often each rule matched")
	c.Flags().StringVar(&f.logLevel, "log-level", "", "log at `LEVEL` and above: debug, info, warn, error, off")
	c.Flags().StringVar(&f.logFile, "log-file", "", "append the log to `FILE` instead of standard error")
	completeWith(c, "log-level", func(string) ([]string, cobra.ShellCompDirective) { return config.LogLevels(), noFiles })
}

// addRunHidden is addRun for a command whose help lists only its own flags.
func (f *flags) addRunHidden(c *cobra.Command) {
	own := map[string]bool{}
	c.Flags().VisitAll(func(flag *pflag.Flag) { own[flag.Name] = true })
	f.addRun(c)
	c.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = !own[flag.Name] })
}

// load returns the configuration from all config. The error is an exit if only the command line is
// wrong; otherwise it has the mistakes of all config.
func (f flags) load() (config.Config, error) { return f.loadLayers(false) }

// loadNamed is load without the user's own configuration.
func (f flags) loadNamed() (config.Config, error) { return f.loadLayers(true) }

func (f flags) loadLayers(noUser bool) (config.Config, error) {
	if f.logLevel != "" && !slices.Contains(config.LogLevels(), f.logLevel) {
		return config.Config{}, &exit{exitUsage, fmt.Errorf("--log-level: want debug, info, warn, error or off, not %q", f.logLevel), ""}
	}
	l := config.Sources{NoUser: noUser, File: f.config}
	assign := func(flag, assignment string) {
		l.Assignments = append(l.Assignments, config.Assignment{Flag: flag, Text: assignment})
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
	if wrong := (config.WrongFlags{}); errors.As(err, &wrong) {
		err = &exit{exitUsage, wrong.Problems, ""}
	}
	return c, err
}

// readsStdin reports whether load would read what is on standard input.
func (f flags) readsStdin() bool { return config.Sources{File: f.config}.ReadsStdin() }

// chosen returns the agent to start: the command args, or with --start the agent of that name with
// args added.
func (f flags) chosen(c config.Config, args []string) (config.Agent, error) {
	if f.start == "" {
		return config.Agent{Command: args}, nil
	}
	agent, ok := c.Agents[f.start]
	if id, of := strings.CutPrefix(f.start, registryPrefix); of && !ok {
		return registered(c, id, args)
	}
	if !ok {
		names := slices.Sorted(maps.Keys(c.Agents))
		err := fmt.Errorf("--start: the configuration has no agent %q", f.start)
		hint := fmt.Sprintf("it has %s", strings.Join(names, ", "))
		near := spelling.Nearest(f.start, names)
		switch {
		case len(names) == 0:
			hint = "it has no agents; to add one, write [agents.NAME] with a command, such as command = [\"codex-acp\"]"
		case near != "":
			hint = fmt.Sprintf("did you mean %s? %s", near, hint)
		}
		return agent, &exit{exitUsage, err, hint}
	}
	if agent.Cwd != "" && !isFolder(agent.Cwd) {
		at := c.From("agents." + f.start + ".cwd")
		return agent, &exit{exitConfig, fmt.Errorf("agent %q: its cwd %s is not a folder (%s)", f.start, agent.Cwd, at), ""}
	}
	agent.Command = append(slices.Clone(agent.Command), args...)
	return agent, nil
}

// environ returns the variables that an agent gets in addition to this process's environment.
func environ(agent config.Agent) []string {
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(agent.Env)) {
		variables = append(variables, name+"="+agent.Env[name])
	}
	return variables
}
