package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// ended is a record of a request with these lines of standard error and this end.
func ended(t *testing.T, stderr, end string) *history.History {
	t.Helper()
	source := `{"kind":"message","seq":1,"dir":"client","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}` + "\n"
	for line := range strings.Lines(stderr) {
		text, _ := json.Marshal(line)
		source += fmt.Sprintf(`{"kind":"stderr","seq":2,"text":%s}`+"\n", text)
	}
	h := readHistory(t, source+`{"kind":"end","seq":99,`+end+"}\n")
	if h.Broken > 0 || h.End == nil {
		t.Fatal(h.Broken)
	}
	return h
}

const unknownEnd = "as far as it was recorded: the run ended with status 1 while the client waited for the agent: #1 initialize, 0 ms; it is not known who ended it"

// The lines of standard error that explain a failure are found.
func TestEnds(t *testing.T) {
	for _, test := range []struct{ stderr, end, says, last string }{
		{"node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module './hooks.cjs'\nRequire stack:\n- internal/preload\n    at Module._load (x:1)\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20\n",
			`"status":1`, unknownEnd,
			"node:internal/modules/cjs/loader:1210|Error: Cannot find module './hooks.cjs'|Require stack:|- internal/preload|Node.js v20"},
		{"Traceback (most recent call last):\n  File \"x\"\nModuleNotFoundError: No module named 'x'\n", `"status":1`,
			unknownEnd, "Traceback (most recent call last):|ModuleNotFoundError: No module named 'x'"},
		{"a\nb\nc\nd\ne\nf\x1b[2J\n", `"status":137,"signal":"killed"`,
			"as far as it was recorded: the agent was killed by a signal (killed) before it responded to #1 initialize, 0 ms; it is not known by whom", "b|c|d|e|f\ufffd[2J"},
	} {
		s := Summarize(ended(t, test.stderr, test.end), false)
		if got := strings.Join(s.End.Stderr, "|"); s.Verdict.Text != test.says || got != test.last {
			t.Errorf("%s\n%s, want\n%s\n%s", s.Verdict.Text, got, test.says, test.last)
		}
	}
	if e := (&End{}); e.isBad() {
		t.Error("an agent that ended well did not")
	}
}

// Whatever is in a record, its summary fits on a screen.
func TestTheSummaryFitsAScreen(t *testing.T) {
	long := strings.Repeat("many words and a 日本語 ", 30)
	s := Summarize(ended(t, strings.Repeat(long+"\n", 9), `"status":1`), false)
	for i := range 9 {
		s.Turns = append(s.Turns, Turn{Failed: long, Prompt: long})
		s.Failed = append(s.Failed, Failure{Seq: uint64(i), Text: long, Method: long, Response: 2})
		s.Plans = append(s.Plans, Plan{ID: long, Why: long, Sent: 1})
		s.Changes = append(s.Changes, Change{By: long, Why: long, First: []uint64{1, 2, 3}})
	}
	s.Client.Capabilities = slices.Repeat([]string{"a.capability"}, 99)
	s.Client.Added, s.Client.Hidden, s.Agent = s.Client.Capabilities, s.Client.Capabilities, s.Client
	s.Client.Seq, s.Agent.Seq, s.Command, s.Missing = 1, 2, []string{long}, long
	for _, width := range []int{0, 80, 100} {
		drawn := s.Draw(terminal.Style{Width: width})
		if n := strings.Count(drawn, "\n"); n > 24 {
			t.Errorf("%d columns: %d lines:\n%s", width, n, drawn)
		}
		for line := range strings.Lines(drawn) {
			if terminal.Width(strings.TrimSuffix(line, "\n")) > max(width, screen) {
				t.Errorf("%d columns: %s", width, line)
			}
		}
	}
}

// The duration of a run includes the silence at its end, and the verdict comes first.
func TestAHangComesFirst(t *testing.T) {
	h := readHistory(t,
		`{"kind":"message","seq":1,"mono":4500000000,"dir":"client","msg":{"jsonrpc":"2.0","id":0,"method":"session/prompt","params":{}}}`+"\n"+
			`{"kind":"end","seq":2,"mono":24500000000,"status":0,"steps":[{"what":"client-closed","mono":24000000000}]}`+"\n")
	drawn := Summarize(h, false).Draw(terminal.Style{})
	want := "the client ended the run while it waited for the agent: #1 session/prompt,\n19.500 s\n"
	if !strings.HasPrefix(drawn, want) || !strings.Contains(drawn, "\n24.500 s,") {
		t.Errorf("it is\n%s", drawn)
	}
}
