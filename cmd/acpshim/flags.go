package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/setup/config"
	"acpshim/internal/text/spelling"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags holds the values of flags that several commands have. A zero value was not given.
type flags struct {
	config             string
	set                []string // KEY=VALUE
	record, countRules bool
	start              string // the name of an agent
	peers              peers
	logLevel, logFile  string
}

// peers says who the client and the agent are: NAME, "NAME VERSION", or "" if nobody said.
type peers struct{ client, agent string }

// add adds --client and --agent for a command in which the peers may name themselves.
func (p *peers) add(c *cobra.Command) {
	p.addFor(c, "until the client sends one", "until the agent sends one")
}

// addFor adds --client and --agent. Client and agent say when each counts.
func (p *peers) addFor(c *cobra.Command, client, agent string) {
	addOnce(c, &p.client, "client", "a name", "use `NAME` or \"NAME VERSION\" "+client)
	addOnce(c, &p.agent, "agent", "a name", "use `NAME` or \"NAME VERSION\" "+agent)
	completeNothing(c, "client", "agent")
}

// addStart adds --start.
func (f *flags) addStart(c *cobra.Command) {
	addOnce(c, &f.start, "start", "the name of an agent", "start the agent `NAME` of your config, or registry:ID")
	completeWith(c, "start", func(string) ([]string, cobra.ShellCompDirective) { return agentNames(*f), noFiles })
}

// addOnce adds a flag that must not be empty or repeated with another value. Want describes the
// value for people.
func addOnce(c *cobra.Command, to *string, name, want, usage string) {
	c.Flags().Var(&singleValue{to, want, nil}, name, usage)
}

// addChoice is addOnce for a flag whose value is one of a few words.
func addChoice(c *cobra.Command, to *string, name, usage string, words ...string) {
	c.Flags().Var(&singleValue{to, spelling.OneOf(words), words}, name, usage)
	completeWords(c, name, words...)
}

// A singleValue is the value of a flag that counts once. pflag alone would take the last value.
// Repeating the same value is allowed, because completion reads flags twice.
type singleValue struct {
	to    *string
	want  string
	words []string // the allowed values; nil if every text but "" is allowed
}

func (o *singleValue) String() string { return *o.to }

// Type implements pflag.Value.
func (o *singleValue) Type() string { return "once" }

// Set implements pflag.Value.
func (o *singleValue) Set(text string) error {
	switch {
	case text == "", o.words != nil && !slices.Contains(o.words, text):
		return fmt.Errorf("want %s, not %q", o.want, text)
	case *o.to != "" && text != *o.to:
		return fmt.Errorf("want one value, not %q and %q", *o.to, text)
	}
	*o.to = text
	return nil
}

// addLayers adds the flags that change the configuration. Only the help of a run lists them.
func (f *flags) addLayers(c *cobra.Command) {
	addOnce(c, &f.config, "config", "a file", "read `FILE`, which overrides your own configuration")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set `KEY=VALUE` in the configuration; repeatable")
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
	addChoice(c, &f.logLevel, "log-level", "log `LEVEL` and above: "+spelling.OneOf(config.LogLevels()), config.LogLevels()...)
	c.Flags().StringVar(&f.logFile, "log-file", "", "append the log to `FILE` instead of standard error")
}

// addRunHidden is addRun for a command whose help lists only its own flags.
func (f *flags) addRunHidden(c *cobra.Command) { addHidden(c, f.addRun) }

// addHidden adds flags that the help of a command does not list.
func addHidden(c *cobra.Command, add func(*cobra.Command)) {
	own := map[string]bool{}
	c.Flags().VisitAll(func(flag *pflag.Flag) { own[flag.Name] = true })
	add(c)
	c.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = flag.Hidden || !own[flag.Name] })
}

// load returns the configuration. The error is an exit if only the command line is wrong. Otherwise
// it has the mistakes of all sources.
func (f flags) load() (config.Config, error) { return f.loadLayers(false) }

// loadLayers is load, with noUser without the user's own file.
func (f flags) loadLayers(noUser bool) (config.Config, error) {
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

// readsStdin reports whether load would read standard input.
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
		hint := spelling.DidYouMean(f.start, names) + " the configuration has " + strings.Join(names, ", ")
		if len(names) == 0 {
			hint = "to add one, write [agents.NAME] with a command, such as command = [\"codex-acp\"]"
		}
		return agent, &exit{exitUsage, err, strings.TrimSpace(hint)}
	}
	if agent.Cwd != "" && !isFolder(agent.Cwd) {
		at := c.From("agents." + f.start + ".cwd")
		return agent, &exit{exitConfig, fmt.Errorf("agent %q: its cwd %q is not a folder (%s)", f.start, agent.Cwd, at), ""}
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
