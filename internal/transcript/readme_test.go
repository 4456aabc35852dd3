package transcript

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"acpshim/internal/terminal"

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

// columns draws what the agent sends in a transcript, and beside it what the
// client gets of it.
func columns(a *txtar.Archive) string {
	var b strings.Builder
	var sent []string
	for i, f := range a.Files {
		switch f.Name {
		case agent:
			sent = messages(f.Data)
			if i+1 == len(a.Files) || a.Files[i+1].Name != toClient {
				b.WriteString(terminal.Beside(sent, nil) + "\n")
			}
		case toClient:
			if got := messages(f.Data); len(sent)+len(got) > 0 {
				b.WriteString(terminal.Beside(sent, got) + "\n")
			}
		}
	}
	return b.String()
}

func messages(lines []byte) (drawn []string) {
	for line := range bytes.Lines(lines) {
		drawn = append(drawn, Message(line)...)
	}
	return drawn
}
