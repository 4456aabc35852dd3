package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acpshim/filters/rule"
)

// A run begins only with the texts that the configuration names.
func TestInstructions(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("AppData", dir)
	user, err := UserFile()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(user)
	for name, text := range map[string]string{
		"all.md": "Be brief.\n\n", "zed.md": "Be \"kind\".", "empty.md": " \n", "binary.md": "a\x00b", "latin.md": "\xe9", "large.md": strings.Repeat("x", maxInstructions+1),
		"largest.md": strings.Repeat("x", maxInstructions),
	} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func(source string) (Config, error) {
		if err := os.WriteFile(user, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		return Sources{}.Load()
	}
	c, err := load("prompt.instructions = \"all.md\"\n[[profile]]\nclient = \"zed\"\nprompt.instructions = '" + filepath.Join(folder, "zed.md") + "'\n[[profile]]\nclient = \"toad\"\nprompt.instructions = \"\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{"acpx": "Be brief.", "zed": "Be \"kind\".", "toad": ""} {
		if got := c.For(rule.Peer{Name: client}, rule.Peer{}).Instructions(); got != want {
			t.Errorf("%s: %q, want %q", client, got, want)
		}
	}
	other := t.TempDir()
	for name, text := range map[string]string{"c.toml": `prompt.instructions = "style.md"`, "style.md": "Of another folder."} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := (Sources{NoUser: true, File: filepath.Join(other, "c.toml")}).Load(); err != nil || c.Instructions() != "Of another folder." {
		t.Errorf("a file of --config: %q, %v", c.Instructions(), err)
	}
	if c, err := (Sources{NoUser: true, Assignments: []Assignment{{"--set", "prompt.instructions=all.md"}}}).Load(); err != nil || c.Instructions() != "Be brief." {
		t.Errorf("a flag: %q, %v", c.Instructions(), err)
	}
	if c, err := load(`prompt.instructions = "largest.md"`); err != nil || len(c.Instructions()) != maxInstructions {
		t.Errorf("the largest file: %v", err)
	}
	for source, want := range map[string]string{
		`prompt.instructions = "missing.md"`:                               "missing.md: no such file",
		"\n[[profile]]\nclient = \"a\"\nprompt.instructions = \"no.md\"\n": ":4: prompt.instructions: ",
		`prompt.instructions = "large.md"`:                                 "large.md is larger than 64 KiB",
		`prompt.instructions = "empty.md"`:                                 "empty.md is empty",
		`prompt.instructions = "binary.md"`:                                "binary.md is not text in UTF-8",
		`prompt.instructions = "latin.md"`:                                 "latin.md is not text in UTF-8",
		`prompt.instructions = "."`:                                        "is not a regular file",
		`prompt.instructions = "../x.md"`:                                  "want a file in quotes: an absolute path, or one below the folder of your configuration",
	} {
		if _, err := load(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}
