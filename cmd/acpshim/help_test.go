package main

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/query"
	"acpshim/internal/text/commands"
	"acpshim/internal/text/terminal"

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
		t.Errorf("in internal/text/commands:\nconst Reserved = %q", got)
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != commands.Names {
		t.Errorf("in internal/text/commands:\nconst Names = %q", got)
	}
}

// The help of each command below acpshim fits a terminal of 24 lines and 80 columns, and has an
// example, which is a line for that command. What a filter is, one topic tells.
func TestHelpFitsATerminal(t *testing.T) {
	root := newRoot()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		var b strings.Builder
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(b.String()) {
			lines += max(1, (terminal.Width(strings.TrimSuffix(line, "\n"))+79)/80)
		}
		if lines > 24 {
			t.Errorf("%s -h has %d lines:\n%s", c.CommandPath(), lines, b.String())
		}
		example := c.Example
		if found, _, err := root.Find(strings.Fields(example + " x")[1:]); err != nil || !strings.HasPrefix(found.CommandPath(), c.CommandPath()) {
			t.Errorf("%s has the example %q", c.CommandPath(), example)
		}
		if !strings.Contains(b.String(), "\nExample:  "+example+"\n") || strings.Contains(b.String(), "session:2") {
			t.Errorf("%s -h has no example, or all filters:\n%s", c.CommandPath(), b.String())
		}
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub)
			}
		}
	}
	for _, c := range root.Commands() {
		walk(c)
	}
	for _, name := range query.Names {
		if !strings.Contains(query.Help, " "+name+":") {
			t.Errorf("the help on filters has no %s:", name)
		}
	}
}
