package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"acpshim/internal/log/query"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// The manual pages in docs/man are what the commands say; -update writes them.
func TestManualPages(t *testing.T) {
	root := newRoot()
	description, _, _ := strings.Cut(usage, "\n\n")
	root.Long = description + "\n\n" + strings.TrimSpace(strings.Split(usage, "%s")[1])
	root.Short = "make editors and coding agents understand each other"
	pages := map[string][]byte{}
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		if c.HasParent() {
			c.Short = strings.ToLower(c.Long[:1]) + c.Long[1:strings.IndexAny(c.Long, ".:;")]
		}
		c.Long = indented.ReplaceAllStringFunc(c.Long, func(table string) string { // markdown for a block of code
			return strings.ReplaceAll("\n"+table, "\n  ", "\n      ") + "\n"
		})
		c.DisableAutoGenTag = true
		var b bytes.Buffer
		if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "acpshim", Date: &time.Time{}}, &b); err != nil {
			t.Fatal(err)
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		pages[name] = bytes.Replace(b.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(root)
	holds(t, "../../docs/man", pages)
}

// indented matches a table in the help of a command.
var indented = regexp.MustCompile(`(?m)(^  .+\n)+`)

// The completions in docs/completions are what "acpshim completion" prints; -update writes them.
func TestCompletionScripts(t *testing.T) {
	root := newRoot()
	scripts := map[string][]byte{}
	for name, generate := range map[string]func(*cobra.Command, *bytes.Buffer) error{
		"acpshim.bash": func(c *cobra.Command, b *bytes.Buffer) error { return c.GenBashCompletionV2(b, true) },
		"_acpshim":     func(c *cobra.Command, b *bytes.Buffer) error { return c.GenZshCompletion(b) },
		"acpshim.fish": func(c *cobra.Command, b *bytes.Buffer) error { return c.GenFishCompletion(b, true) },
		"acpshim.ps1":  func(c *cobra.Command, b *bytes.Buffer) error { return c.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := generate(root, &b); err != nil {
			t.Fatal(err)
		}
		scripts[name] = b.Bytes()
	}
	holds(t, "../../docs/completions", scripts)
}

// holds fails if a folder does not hold these files, and no others. With -update it makes it so.
func holds(t *testing.T, folder string, want map[string][]byte) {
	there, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range there {
		if _, ok := want[filepath.Base(path)]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s is of no command", path)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range want {
		path := filepath.Join(folder, name)
		if *update {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not as the commands have it (%v): run this test with -update", path, err)
		}
	}
}

// docs/commands.md has the help of each command.
func TestCommandsPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("<!-- Generated from the commands by \"go test ./cmd/acpshim -run TestCommandsPage -update\". -->\n\n" +
		"# Commands\n\nThis page is what `acpshim COMMAND -h` prints, for every command.\n")
	root := newRoot()
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n", c.CommandPath())
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		b.WriteString("```\n")
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(root)
	fmt.Fprintf(&b, "\n## Filters\n\n```text\n%s```\n", query.Help)
	const path = "../../docs/commands.md"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not as the commands are (%v): run this test with -update", path, err)
	}
}
