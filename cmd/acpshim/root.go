package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/setup/config"
	"acpshim/internal/system/version"
	"acpshim/internal/text/commands"

	"github.com/spf13/cobra"
)

const usage = `acpshim translates between an editor (the client) and a coding agent that speak
ACP, the Agent Client Protocol, but do not understand each other. It turns plan
updates into the one plan that most editors show, works around other
differences, and relays the rest unchanged.

Usage:
  acpshim [flags] [--] COMMAND [ARG...]

Run an agent:
  acpshim -- COMMAND               start an agent behind acpshim
  acpshim --start NAME             start an agent from your configuration
  acpshim connect URL              use an agent on another machine
  acpshim serve -- COMMAND         serve an agent to other machines
  acpshim wrap|unwrap EDITOR NAME  change an editor's settings, or undo that
Find out what happens:
  acpshim doctor [-- COMMAND]      find out why an agent does not work
  acpshim check -- COMMAND         check an agent by the rules of the protocol
  acpshim log show|watch|open|...  read the messages that --record has recorded
  acpshim demo                     show a translation, without agent and editor
  acpshim plan FILE                show a plan document as a checklist
Configure:
  acpshim config check|show|init   check, print or create the configuration
  acpshim rules test|explain       test rules, and show what they do
Other:
  acpshim completion SHELL         complete commands and flags in your shell
  acpshim version, help [COMMAND]  print the version, or help on a command

Example: in an editor's settings, where it said "npx -y some-agent",
  "command": "/abs/path/acpshim", "args": ["--", "npx", "-y", "some-agent"]

Flags go before COMMAND; everything after it belongs to the agent:
%s
--config and --set go with connect, serve, doctor, check, log, config and rules.
"acpshim config show --files" prints the path of your own configuration.
Exit status: that of the agent (128+n if signal n killed it); 2 wrong usage;
78 bad configuration; 125 acpshim failed; 126 not executable; 127 not found.
`

// newRoot returns the command line. If args are given, it has only the commands that they name,
// because building all of them would slow down each start of an agent.
func newRoot(args ...string) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "acpshim [flags] [--] COMMAND [ARG...]",
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version.Read().Short(),
		RunE: func(c *cobra.Command, args []string) error {
			if f.start == "" && (len(args) == 0 || args[0] == "") {
				return &exit{exitUsage, errors.New("no agent command given"),
					`try "acpshim -- codex-acp", or "acpshim demo"`}
			}
			if f.start == "" && c.ArgsLenAtDash() != 0 && commands.IsReserved(args[0]) {
				return reservedWord(args[0])
			}
			return run(f, func(c config.Config) (target, error) {
				agent, err := f.chosen(c, args)
				return target{Agent: agent}, err
			})
		},
	}
	root.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	root.Flags().SortFlags = false
	f.addStart(root)
	f.addRun(root)
	root.Flags().Bool("version", false, "print the version")
	root.Flags().BoolP("help", "h", false, "print this")
	root.SetVersionTemplate("acpshim {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == root {
			fmt.Fprintf(c.OutOrStdout(), usage, root.Flags().FlagUsages())
			return
		}
		more := ""
		switch {
		case strings.Contains(c.Use, "COMMAND") && c.HasSubCommands():
			more = "More:     " + c.CommandPath() + " COMMAND -h\n"
		case strings.Contains(c.Use+c.Long, "FILTER"):
			more = "Filters:  acpshim help filters\n"
		}
		fmt.Fprintf(c.OutOrStdout(), "%s\n\nUsage:    %s\nExample:  %s\n%s\nFlags:\n%s", c.Long, c.UseLine(), c.Example, more, c.Flags().FlagUsages())
	})
	root.CompletionOptions.DisableDefaultCmd = true // ours says more
	help := newHelp()
	root.SetHelpCommand(help)
	root.AddCommand(help)
	for name, command := range map[string]func() *cobra.Command{
		"config": newConfig, "rules": newRules, "demo": newDemo, "plan": newPlan, "log": newLog,
		"wrap": newWrap, "unwrap": newUnwrap, "doctor": newDoctor, "check": newCheck, "connect": newConnect, "serve": newServe,
		"completion": newCompletion, "version": newVersion,
	} {
		if len(args) == 0 || slices.Contains(args, name) {
			root.AddCommand(command())
		}
	}
	for _, c := range root.Commands() {
		addHelp(c)
	}
	return root
}

// addHelp adds -h to a command and those below it, after their own flags.
func addHelp(c *cobra.Command) {
	c.DisableFlagsInUseLine = true
	c.Flags().SortFlags = false
	c.Flags().BoolP("help", "h", false, "print this")
	for _, sub := range c.Commands() {
		addHelp(sub)
	}
}

// group returns a command that only has others below it.
func group(name, long, example string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:                        name + " COMMAND",
		Long:                       long,
		Example:                    example,
		Args:                       cobra.ArbitraryArgs,
		SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, args []string) error {
			err, hint := errors.New(name+": want a command"), fmt.Sprintf("%q lists them; %q runs an agent of that name", c.CommandPath()+" -h", "acpshim -- "+name)
			if len(args) > 0 {
				err = fmt.Errorf("%s: no command %q", name, args[0])
				if near := c.SuggestionsFor(args[0]); len(near) > 0 {
					hint = fmt.Sprintf("did you mean %q? %s", c.CommandPath()+" "+near[0], hint)
				}
			}
			return &exit{exitUsage, err, hint}
		},
	}
	// pflag has read the arguments before the wrong flag. If one of them is not a command, the flag
	// may be right for the one that was meant.
	c.SetFlagErrorFunc(func(of *cobra.Command, err error) error {
		if of == c && c.Flags().NArg() > 0 {
			return c.RunE(c, c.Flags().Args())
		}
		return wrongFlag(of, err)
	})
	c.AddCommand(subcommands...)
	return c
}
