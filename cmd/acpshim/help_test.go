package main

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/commands"

	"github.com/spf13/cobra"
)

// The reserved words are the commands below others, and record. The list is written down because
// making the commands at each start of an agent takes time.
func TestReservedWordsAreTheCommandsBelowOthers(t *testing.T) {
	want := []string{"record"}
	var walk func(c *cobra.Command, depth int)
	walk = func(c *cobra.Command, depth int) {
		for _, sub := range c.Commands() {
			if depth > 0 && !sub.Hidden {
				want = append(want, sub.Name())
			}
			walk(sub, depth+1)
		}
	}
	root := newRoot()
	walk(root, 0)
	// A command of the first level is run: its name is never an agent's.
	want = slices.DeleteFunc(want, func(name string) bool {
		return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
	})
	slices.Sort(want)
	if got := strings.Join(slices.Compact(want), " "); got != commands.Reserved {
		t.Errorf("in internal/commands:\nconst Reserved = %q", got)
	}
}
