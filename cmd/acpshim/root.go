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

const usage = `acpshim stands between an editor (ACP client) and a coding agent that do not
understand each other. It turns the plans of new agents into the one plan that
old clients show, settles what else they disagree on (modes and models, questions,
paths), and relays everything else untouched.

Usage:
  acpshim [flags] [--] COMMAND [ARG...]   run an agent behind acpshim
  acpshim [flags] --agent NAME [-- ARG..] run one that configuration or registry name
  acpshim connect URL                     run an agent that is served elsewhere
  acpshim serve -- COMMAND [ARG...]       serve an agent to clients elsewhere
  acpshim wrap|unwrap EDITOR NAME         change an editor's settings so, or back
  acpshim config check|show|path|init     see, check and begin the configuration
  acpshim doctor [-- COMMAND]             find out why it does not work
  acpshim rules test|explain              try rules, and see what they do
  acpshim log list|show|tail|grep|...     read what --record has recorded
  acpshim demo [--client plan]            see it work, nothing to install
  acpshim plan FILE                       show a plan document as a checklist
  acpshim completion SHELL                complete flags and keys in your shell
  acpshim help [COMMAND]                  print what a command does
  acpshim version [--json]                print what this acpshim was built from

Example: in an editor's settings, where it said "npx -y some-agent",
  "command": "/abs/path/acpshim", "args": ["--", "npx", "-y", "some-agent"]

Flags, before COMMAND; everything after it is the agent's:
%s
acpshim/config.toml in your user configuration folder is read if it is there.
On a terminal the agent runs as if acpshim were not there.
The exit status is the agent's (128+n if signal n killed it), or 2 wrong usage,
78 bad configuration, 125 own failure, 126 not executable, 127 not found.
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
			if f.agent == "" && (len(args) == 0 || args[0] == "") {
				return &exit{exitUsage, errors.New("no agent command given"),
					`try "acpshim -- codex-acp" in place of "codex-acp", or "acpshim demo"`}
			}
			if f.agent == "" && c.ArgsLenAtDash() != 0 && commands.IsReserved(args[0]) {
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
	addOnce(root.Flags(), &f.agent, "agent", "the name of an agent", "run the agent that [agents.`NAME`] of the configuration is, or registry:ID")
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
	completeWith(root, "agent", func(string) ([]string, cobra.ShellCompDirective) { return agentNames(f), noFiles })
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
			return &exit{exitUsage, err, fmt.Sprintf("\"acpshim %s -h\" says what they do; \"acpshim -- %s\" runs an agent of that name", name, name)}
		},
	}
	c.AddCommand(commands...)
	return c
}
