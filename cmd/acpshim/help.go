package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"acpshim/internal/log/query"
	"acpshim/internal/text/commands"

	"github.com/spf13/cobra"
)

// reservedWord returns the exit for an agent with the name of a command.
func reservedWord(word string) error {
	return &exit{exitUsage, fmt.Errorf("%q is not an agent", word),
		fmt.Sprintf("did you mean %s? \"acpshim -- %s\" runs an agent of that name", nearSubcommand(word), word)}
}

// nearSubcommand returns the commands, in quotes, that a word names or misspells, or "".
func nearSubcommand(word string) string {
	if strings.ContainsRune(word, os.PathSeparator) {
		return ""
	}
	return commands.Near(newRoot(), word)
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | filters]",
		Example: "acpshim help log show",
		Long: `Print the help of a command, as "acpshim COMMAND -h" does. "acpshim help
filters" explains the FILTERs of "acpshim log".`,
		ValidArgsFunction: commands.Complete,
		RunE: func(c *cobra.Command, words []string) error {
			if slices.Equal(words, []string{"filters"}) {
				_, err := io.WriteString(stdout(), query.Help)
				return failed(err)
			}
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
	}
}
