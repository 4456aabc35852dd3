package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// reserved are words that start an agent of that name only behind --: they are meant for the
// command below another one that has that name, or for a flag. A test holds the list to the
// commands, because these are not made when an agent is started.
const reserved = "check explain export grep init list path prune record replay report show stats tail test validate"

// reservedWord is the exit for an agent with a reserved name, or nil.
func reservedWord(word string) error {
	if !slices.Contains(strings.Fields(reserved), word) {
		return nil
	}
	return &exit{exitUsage, fmt.Errorf("%q is no agent", word),
		fmt.Sprintf("did you mean %s? \"acpshim -- %s\" runs an agent of that name", quoted(commandLines()[word]), word)}
}

// quoted puts command lines in quotes, one or the other.
func quoted(lines []string) string { return `"` + strings.Join(lines, `" or "`) + `"` }

// commandLines are the commands as they are written, by their last word.
func commandLines() map[string][]string {
	lines := map[string][]string{"record": {"acpshim --record -- COMMAND"}}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				lines[sub.Name()] = append(lines[sub.Name()], sub.CommandPath())
				walk(sub)
			}
		}
	}
	walk(newRoot())
	return lines
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:  "help [COMMAND]",
		Long: `Print what a command does, as "acpshim COMMAND -h" does: "acpshim help log show".`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, words []string) error {
			about, rest, err := c.Root().Find(words)
			if err == nil && len(rest) == 0 {
				return about.Help()
			}
			hint := `"acpshim -h" lists the commands`
			if near := nearSubcommand(words[len(words)-1]); near != "" {
				hint = fmt.Sprintf("did you mean %s? %s", near, hint)
			}
			return &exit{exitUsage, fmt.Errorf("help: no command %q", strings.Join(words, " ")), hint}
		},
		ValidArgsFunction: func(c *cobra.Command, words []string, typed string) (names []string, _ cobra.ShellCompDirective) {
			if about, rest, err := c.Root().Find(words); err == nil && len(rest) == 0 {
				for _, sub := range about.Commands() {
					names = append(names, sub.Name())
				}
			}
			return names, noFiles
		},
	}
}
