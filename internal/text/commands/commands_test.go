package commands

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	group := func(name string, names ...string) *cobra.Command {
		c := &cobra.Command{Use: name + " COMMAND", Run: run}
		for _, sub := range names {
			c.AddCommand(&cobra.Command{Use: strings.TrimSuffix(sub, "!") + " [FLAG]", Run: run, Hidden: strings.HasSuffix(sub, "!")})
		}
		return c
	}
	root := group("acpshim", "demo")
	root.AddCommand(group("log", "show", "list", "secret!"), group("config", "show"))
	return root
}

func TestNear(t *testing.T) {
	root := tree()
	for word, want := range map[string]string{
		"show":      `"acpshim config show" or "acpshim log show"`,
		"shwo":      `"acpshim config show" or "acpshim log show"`,
		"demmo":     `"acpshim demo"`,
		"list":      `"acpshim log list"`,
		"record":    `"acpshim --record -- COMMAND"`,
		"secret":    "",
		"codex-acp": "",
		"":          "",
	} {
		if got := Near(root, word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for words, want := range map[string]string{"": "config demo log", "log": "list secret show", "demo": "", "nothing": ""} {
		names, does := Complete(tree(), strings.Fields(words), "")
		if got := strings.Join(names, " "); got != want || does != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}
