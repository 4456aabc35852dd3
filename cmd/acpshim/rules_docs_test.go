package main

import (
	"os"
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

// Each recipe of docs/rules.md is the configuration of a conversation in testdata/rules, which
// TestTranscripts plays. Every rule in it applies to a message, and none is warned of.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipes, _ := strings.Cut(string(text), "\n## Recipes\n")
	recipes, _, _ = strings.Cut(recipes, "\n## ")
	n := 0
	recipes, more, _ := strings.Cut(recipes, "\n### More recipes\n")
	for _, name := range regexp.MustCompile(`recipe_\w+\.txtar`).FindAllString(more, -1) {
		n++
		t.Run(name, func(t *testing.T) { applies(t, "../../testdata/rules/"+name) })
	}
	for _, recipe := range strings.Split(recipes, "\n### ")[1:] {
		n++
		title, _, _ := strings.Cut(recipe, "\n")
		t.Run(title, func(t *testing.T) {
			name := regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(title), "_")
			file := "../../testdata/rules/recipe_" + strings.Trim(name, "_") + ".txtar"
			conversation, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if toml := block(t, recipe, "toml"); !strings.Contains(string(conversation), "\n-- config.toml --\n"+toml+"-- ") {
				t.Errorf("%s has another configuration than\n%s", file, toml)
			}
			applies(t, file)
		})
	}
	if n < 15 {
		t.Errorf("there are %d recipes", n)
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
