package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"acpshim/internal/manpage"

	"github.com/spf13/cobra"
)

// The manual pages in docs/man are what the commands say; -update writes them.
func TestManualPages(t *testing.T) {
	holds(t, "../../docs/man", manpage.Pages(newRoot(), usage))
}

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
