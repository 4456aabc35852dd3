// Package commands knows how acpshim's own commands are written, and which words start no agent
// because who types them means such a command, as in "acpshim show" for "acpshim log show".
package commands

import (
	"maps"
	"slices"
	"strings"

	"acpshim/internal/spelling"

	"github.com/spf13/cobra"
)

// Reserved are the names of the commands below others, and record, which is a flag. It is written
// out because the tree of commands is not built when an agent is started; a test of cmd/acpshim
// compares the two.
const Reserved = "agent check explain export init list open prune record replay show stats summary test validate watch"

// IsReserved reports whether a word is one of Reserved.
func IsReserved(word string) bool { return slices.Contains(strings.Fields(Reserved), word) }

// Lines are the commands in full, such as "acpshim log show", by their last word.
type Lines map[string][]string

// LinesOf returns the lines of all commands below root that are not hidden.
func LinesOf(root *cobra.Command) Lines {
	lines := Lines{"record": {root.Name() + " --record -- COMMAND"}}
	lines.add(root)
	return lines
}

func (l Lines) add(c *cobra.Command) {
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			l[sub.Name()] = append(l[sub.Name()], sub.CommandPath())
			l.add(sub)
		}
	}
}

// Near returns the lines, in quotes, of the commands whose last word is nearest to word; "" if none
// is near.
func (l Lines) Near(word string) string {
	near := spelling.Nearest(word, slices.Sorted(maps.Keys(l)))
	if near == "" {
		return ""
	}
	return `"` + strings.Join(l[near], `" or "`) + `"`
}

// Complete returns the names of the commands that may follow words.
func Complete(c *cobra.Command, words []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if about, rest, err := c.Root().Find(words); err == nil && len(rest) == 0 {
		for _, sub := range about.Commands() {
			names = append(names, sub.Name())
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
