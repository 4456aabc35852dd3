package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/commands"
	"acpshim/internal/config"
	"acpshim/internal/version"

	"github.com/spf13/cobra"
)

const usage = `acpshim translates between an editor (ACP client) and a coding agent that do not
understand each other. It turns the plans of new agents into the plan that old
editors show, works around other differences, and relays everything else unchanged.

Usage:
  acpshim [flags] [--] COMMAND [ARG...]

Run an agent:
  acpshim -- COMMAND               start an agent behind acpshim
  acpshim --start NAME             start an agent of your configuration, or registry:ID
  acpshim connect URL              use an agent on another machine
  acpshim serve -- COMMAND         serve an agent to other machines
  acpshim wrap EDITOR NAME         add acpshim to an editor's settings (undo: unwrap)
Find out what happens:
  acpshim doctor [-- COMMAND]      find out why an agent does not work
  acpshim log show|watch|open|...  read the messages that --record has recorded
  acpshim demo                     see a translation, nothing to install
  acpshim plan FILE                show a plan document as a checklist
Configure:
  acpshim config check|show|init   check, print or create the configuration
  acpshim rules test|explain       test rules, and see what they do
Other:
  acpshim completion SHELL         complete commands and flags in your shell
  acpshim version, help [COMMAND]  print the version, or help on a command

Example: in an editor's settings, where it said "npx -y some-agent",
  "command": "/abs/path/acpshim", "args": ["--", "npx", "-y", "some-agent"]

Flags, before COMMAND; everything after it belongs to the agent:
%s
Every other command accepts --config and --set, too.
acpshim reads acpshim/config.toml in your user configuration folder, if it exists.
The exit status is the agent's (128+n if signal n killed it), 2 for wrong usage,
78 bad configuration, 125 failure of acpshim, 126 not executable, 127 not found.
`

// newRoot returns the command line. Given its arguments, it has only the commands that
// these name: the others would be made for nothing at each start of an agent.
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
		filters := ""
		if strings.Contains(c.UseLine()+c.Long, "FILTER") {
			filters = "Filters:  acpshim help filters\n"
		}
		fmt.Fprintf(c.OutOrStdout(), "%s\n\nUsage:    %s\nExample:  %s\n%s\nFlags:\n%s", c.Long, c.UseLine(), c.Example, filters, c.Flags().FlagUsages())
	})
	root.CompletionOptions.DisableDefaultCmd = true // ours says more
	help := newHelp()
	root.SetHelpCommand(help)
	root.AddCommand(help)
	for name, command := range map[string]func() *cobra.Command{
		"config": newConfig, "rules": newRules, "demo": newDemo, "plan": newPlan, "log": newLogCommand,
		"wrap": newWrap, "unwrap": newUnwrap, "doctor": newDoctor, "connect": newConnect, "serve": newServe,
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

// addHelp lets a command and those below it have -h, behind their own flags, and an example.
func addHelp(c *cobra.Command) {
	c.Example = commands.Example(c.CommandPath())
	c.DisableFlagsInUseLine = true
	c.Flags().SortFlags = false
	c.Flags().BoolP("help", "h", false, "print this")
	for _, sub := range c.Commands() {
		addHelp(sub)
	}
}

// group is a command that only has others below it. Want says which.
func group(use, want, long string, commands ...*cobra.Command) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{
		Use:  use,
		Long: long,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			err := fmt.Errorf("%s: want %s", name, want)
			if len(args) > 0 {
				err = fmt.Errorf("%w, not %q", err, args[0])
			}
			return &exit{exitUsage, err, fmt.Sprintf("\"acpshim %s -h\" describes them; \"acpshim -- %s\" runs an agent of that name", name, name)}
		},
	}
	c.AddCommand(commands...)
	return c
}
