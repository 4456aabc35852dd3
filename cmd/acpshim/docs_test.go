package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/transcript"

	"golang.org/x/tools/txtar"
)

// The README draws a conversation; it is the one of the transcript.
func TestTheREADMEDrawsATranscript(t *testing.T) {
	a, err := txtar.ParseFile("../../testdata/transcripts/codex_two_sources.txtar")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if drawn := strings.TrimRight(columns(a), "\n"); !strings.Contains(string(readme), drawn+"\n```") {
		t.Errorf("the README draws it otherwise; this is what happens:\n%s", drawn)
	}
}

// columns draws what the agent sends in a transcript, and beside it what the client
// gets of it.
func columns(a *txtar.Archive) string {
	messages := func(lines []byte) (drawn []string) {
		for line := range bytes.Lines(lines) {
			drawn = append(drawn, transcript.Message(line)...)
		}
		return drawn
	}
	var b strings.Builder
	var sent []string
	for i, f := range a.Files {
		switch f.Name {
		case "agent":
			sent = messages(f.Data)
			if i+1 == len(a.Files) || a.Files[i+1].Name != "to client" {
				b.WriteString(transcript.Beside(sent, nil) + "\n")
			}
		case "to client":
			if got := messages(f.Data); len(sent)+len(got) > 0 {
				b.WriteString(transcript.Beside(sent, got) + "\n")
			}
		}
	}
	return b.String()
}

// A document that names a test names one that there is.
func TestDocumentsNameTestsThatThereAre(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"../../*/*_test.go", "../../*/*/*_test.go", "../../*/*/*/*_test.go", "../../*/*/*/*/*_test.go"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(b)
		}
	}
	documents, _ := filepath.Glob("../../docs/*.md")
	for _, path := range append(documents, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w+`).FindAllString(string(text), -1) {
			if !strings.Contains(source.String(), "func "+name+"(") {
				t.Errorf("%s names %s, which is nowhere", filepath.Base(path), name)
			}
		}
		for _, name := range regexp.MustCompile(`\b\w+\.txtar\b`).FindAllString(string(text), -1) {
			scripts, _ := filepath.Glob("testdata/script/" + name)
			transcripts, _ := filepath.Glob("../../testdata/transcripts/" + name)
			rules, _ := filepath.Glob("../../testdata/rules/" + name)
			if len(scripts)+len(transcripts)+len(rules) == 0 {
				t.Errorf("%s names %s, which is nowhere", filepath.Base(path), name)
			}
		}
	}
}
