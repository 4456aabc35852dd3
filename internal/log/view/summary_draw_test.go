package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/validate"
	"acpshim/internal/record"
	"acpshim/internal/text/terminal"
)

// One sentence has what the agent sent of the plans and what the client got.
func TestPlansAreOneSentence(t *testing.T) {
	got := planLines([]Plan{
		{Session: 1, ID: "work", Sent: 4, Last: 30, Removed: true}, {Session: 2, Sent: 1, Last: 9, Why: "r: drops it"},
		{Session: 1, Shown: 6, Last: 31}, {Session: 1, ID: "next", Sent: 1, Last: 28}, {Session: 3, Shown: 1, Last: 50},
		{Session: 4, ID: "a", Sent: 2, Last: 60, Got: 61, GotAs: "plan"}, {Session: 4, ID: "b", Sent: 1, Last: 62, Got: 63, GotAs: "agent_message_chunk"},
		{Session: 4, ID: "c", Sent: 1, Last: 64, Why: "r: drops it"}, {Session: 4, Shown: 1, Last: 61},
	})
	want := []string{
		`#31: the client got 6 plan updates; the agent sent "work" 4 times (removed), "next" 1 time`,
		`#9: none reached the client (r: drops it); the agent sent the plan 1 time`,
		`#50: the client got 1 plan update; the agent sent none`,
		`#64: the client did not get "c" (r: drops it); it got "a" (#61), "b" as a message (#63); the agent sent "a" 2 times, "b" 1 time, "c" 1 time`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("they are\n%s", strings.Join(got, "\n"))
	}
}

// Changes are grouped by the adapter or rule that made them.
func TestChangesAreGroupedByName(t *testing.T) {
	got := changeLines([]Change{
		{"rule", "kept", 5, []uint64{40, 41, 42}}, {"plan", "shown", 4, []uint64{7, 9, 50}}, {"plan", "held", 2, []uint64{8, 51}}, {"old", "", 1, []uint64{3}},
	})
	want := []string{
		"plan: 6 messages (#7, #8, #9, 3 more): shown (4 of them; 1 other reason)",
		"rule: 5 messages (#40, #41, #42, 2 more): kept", "old: 1 message (#3)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("they are\n%s", strings.Join(got, "\n"))
	}
}

// However much happened, the summary fits on a screen, and says that the record is not whole.
func TestASummaryFitsAScreen(t *testing.T) {
	long := strings.Repeat("long ", 40)
	peer := Peer{Name: "a", Capabilities: strings.Fields(long), Added: strings.Fields(long), Hidden: strings.Fields(long), Seq: 1}
	s := Summary{
		Command: []string{long}, Acpshim: "v1", Client: peer, Agent: peer, Version: "1", Offered: "2", Messages: 5500, Sessions: 90,
		Missing: "its beginning is gone (3 entries); 20 lines are missing (3 MB)", Valid: validate.Report{Errors: 9, Known: true}, End: &End{Status: 3},
	}
	for i := range 90 {
		s.Turns = append(s.Turns, Turn{Seq: 1, Prompt: long})
		s.Failed = append(s.Failed, Failure{Seq: 2, From: record.Agent, Method: long, Text: long})
		s.Plans = append(s.Plans, Plan{Session: i, ID: long, Sent: 3})
		s.Changes = append(s.Changes, Change{fmt.Sprint(i), long, 4, []uint64{1, 2, 3}})
	}
	for _, width := range []int{40, 80, 120} {
		lines := strings.Split(strings.TrimSuffix(s.Draw(terminal.Style{Width: width}), "\n"), "\n")
		if len(lines) > 23 { // and the line of the prompt
			t.Errorf("at %d columns it has %d lines", width, len(lines))
		}
		for _, line := range lines {
			if terminal.Width(line) > width {
				t.Errorf("a line is wider than %d columns: %s", width, line)
			}
		}
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "missing   the record is not whole") }) {
			t.Errorf("at %d columns it does not say that the record is not whole:\n%s", width, strings.Join(lines, "\n"))
		}
	}
}
