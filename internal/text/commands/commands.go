// Package commands reads the flags and the names of acpshim's own commands. It knows which words
// are not agents, because somebody who types "acpshim show" means "acpshim log show".
package commands

import (
	"maps"
	"slices"
	"strings"

	"acpshim/internal/text/spelling"

	"github.com/spf13/cobra"
)

// Reserved lists the names of subcommands, and record, which is a flag. A run does not build the
// tree of commands, so they are written out. A test of cmd/acpshim compares the two.
const Reserved = "agent diff explain export init list open prune record replay show stats summary test validate watch"

// Names lists the subcommands of acpshim. It is written out for the same reason, and compared, too.
const Names = "check completion config connect demo doctor help log plan rules serve unwrap version wrap"

// IsName reports whether a word is one of Names.
func IsName(word string) bool { return slices.Contains(strings.Fields(Names), word) }

// IsReserved reports whether a word is one of Reserved.
func IsReserved(word string) bool { return slices.Contains(strings.Fields(Reserved), word) }

// Near returns the command lines below root, in quotes, whose last word is nearest to word, such as
// "acpshim log show". It returns "" if none is near.
func Near(root *cobra.Command, word string) string {
	lines := map[string][]string{"record": {root.Name() + " --record -- COMMAND"}}
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				lines[sub.Name()] = append(lines[sub.Name()], sub.CommandPath())
				add(sub)
			}
		}
	}
	add(root)
	near := spelling.Nearest(word, slices.Sorted(maps.Keys(lines)))
	if near == "" {
		return ""
	}
	return `"` + strings.Join(lines[near], `" or "`) + `"`
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
