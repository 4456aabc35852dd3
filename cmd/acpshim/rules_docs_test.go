package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
	"golang.org/x/tools/txtar"
)

// "acpshim rules test" plays each recipe of docs/rules.md as it stands there, every rule in it
// applies to a message, and none is warned of. With -update the conversations are written as they
// went.
func TestRecipes(t *testing.T) {
	const path = "../../docs/rules.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, recipes, _ := strings.Cut(string(text), "\n## Recipes\n")
	recipes, _, _ = strings.Cut(recipes, "\n## ")
	n := 0
	for _, recipe := range strings.Split(recipes, "\n### ")[1:] {
		n++
		title, _, _ := strings.Cut(recipe, "\n")
		t.Run(title, func(t *testing.T) {
			toml, talk := block(t, recipe, "toml"), block(t, recipe, "txtar")
			file := filepath.Join(t.TempDir(), "recipe")
			head := "-- config.toml --\n" + toml
			if err := os.WriteFile(file, []byte(head+talk), 0o600); err != nil {
				t.Fatal(err)
			}
			var differences bytes.Buffer
			if same, err := testFile(&differences, flags{}, file, *update); err != nil || !same {
				t.Errorf("%v; it went otherwise:\n%s", err, differences.String())
			}
			applies(t, file)
			if went, _ := os.ReadFile(file); *update {
				now := strings.Replace(recipe, talk, strings.TrimPrefix(string(went), head), 1)
				text = bytes.Replace(text, []byte(recipe), []byte(now), 1)
			}
		})
	}
	if n < 15 {
		t.Errorf("there are %d recipes", n)
	}
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// block returns the one block of code of that language in a text.
func block(t *testing.T, text, language string) string {
	t.Helper()
	blocks := regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllStringSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("there are %d blocks of %s, want one", len(blocks), language)
	}
	return blocks[0][1]
}

// applies checks that each rule of a conversation is carried out on one of its messages.
func applies(t *testing.T, file string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := transcriptConfig(config.Default(), file, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range c.Warnings() {
		t.Error(warning)
	}
	applied := map[string]bool{}
	step := func(s rule.Step) {
		applied[s.Rule] = applied[s.Rule] || s.Matched
		if s.Err != nil {
			t.Errorf("rule %q: %v", s.Rule, s.Err)
		}
	}
	if _, err := transcript.Play(a, transcriptChain(c, zerolog.Nop(), func(e *relay.Events) { e.Rules.Step = step })); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Rules {
		if !r.Off && !applied[r.Name] {
			t.Errorf("rule %q matches no message", r.Name)
		}
	}
}
