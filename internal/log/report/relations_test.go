package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/record/redact"
)

// A message that was sent instead of another differs from one that was added next to it.
func TestRelations(t *testing.T) {
	d := inside(t, written(t, changes, Options{}))
	got := ""
	for _, r := range d.Rows {
		switch {
		case r.Of != nil:
			got += fmt.Sprintf(" %d of %d %v,", r.Seq, d.Rows[*r.Of].Seq, r.Same)
		case r.Beside != nil:
			got += fmt.Sprintf(" %d beside %d,", r.Seq, d.Rows[*r.Beside].Seq)
		}
	}
	if want := " 2 of 1 false, 8 of 7 false, 9 beside 7, 11 beside 10, 12 of 10 true,"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, i := range []int{17, 18, 19, 20} {
		if c := d.Rows[i].Call; c == nil || *c != 17 {
			t.Errorf("row %d is of the call %v", i, c)
		}
	}
}

func TestBrief(t *testing.T) {
	d := inside(t, written(t, changes, Options{}))
	for i, want := range map[int]string{2: "to #1 after 20 ms: protocol 1", 6: "design: document, 1 of 2 done", 13: "1 of 2", 20: "[failed] Remove it", 23: "it went wrong"} {
		if got := d.Rows[i].Brief; got != want {
			t.Errorf("row %d says %q, want %q", i, got, want)
		}
	}
	if got := d.Rows[6].Reason; got != "plan: policy all" {
		t.Errorf("the reason is %q", got)
	}
}

// What went wrong is marked, whether it is an error, a refusal, a failed tool call, a gap or a
// request without a response. While the run goes on, a request is pending until now.
func TestWhatWentWrongIsMarked(t *testing.T) {
	marked := func(d data) (seqs []uint64) {
		for _, r := range d.Rows {
			if r.Wrong {
				seqs = append(seqs, r.Seq)
			}
		}
		return seqs
	}
	if got, want := marked(inside(t, written(t, changes, Options{}))), []uint64{13, 15, 16, 21, 23}; !slices.Equal(got, want) {
		t.Errorf("of the changes it is %d, want %d", got, want)
	}
	over := inside(t, written(t, waited, Options{GoesOn: true})) // its end counts more
	if got := marked(over); !slices.Equal(got, []uint64{6}) || over.Ended != 26e6 {
		t.Errorf("of a prompt without a response it is %d, and the end is %d", got, over.Ended)
	}
	begun := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(waited, `"mono":`, `"time":"`+begun+`","mono":`)), "\n")
	live := strings.Join(lines[:len(lines)-1], "\n") + "\n"
	d := inside(t, written(t, live, Options{GoesOn: true}))
	if got := marked(d); got != nil || d.Ended < 3600e6 || !d.GoesOn || d.Story.Missing != "the run goes on" || !strings.HasPrefix(d.Story.Verdict.Text, "waiting for the agent: #6 session/prompt, 1h") {
		t.Errorf("of a run that goes on it is %d, the end is %d: %s", got, d.Ended, d.Story.Verdict.Text)
	}
	if d := inside(t, written(t, live, Options{})); !slices.Equal(marked(d), []uint64{6}) || d.Ended != 0 {
		t.Errorf("of a run that was cut off it is %d, and the end is %d", marked(d), d.Ended)
	}
	idle := strings.Join(lines[:3], "\n") + "\n"
	if d := inside(t, written(t, idle, Options{GoesOn: true})); d.Ended != 0 || d.Story.Verdict.IsBad {
		t.Errorf("of an idle run the end is %d: %s", d.Ended, d.Story.Verdict.Text)
	}
}

// The story is limited to what a page shows, and has how much it leaves out.
func TestStoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	d := inside(t, written(t, conversation(300), Options{}))
	if s := d.Story; len(s.Turns) != maxListed || s.More.Turns != 100 || len(s.Failed) > 0 || len(s.Wrong) != maxListed || s.More.Wrong != 101 || s.Client.Name != "editor" {
		t.Errorf("%d turns and %d, %d wrong and %d", len(s.Turns), s.More.Turns, len(s.Wrong), s.More.Wrong)
	}
	told, err := json.Marshal(inside(t, written(t, hostile, Options{})).Story)
	if err != nil {
		t.Fatal(err)
	}
	tokens := json.NewDecoder(bytes.NewReader(told))
	for token, err := tokens.Token(); err == nil; token, err = tokens.Token() {
		if text, ok := token.(string); ok && len(text) > 320 {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
}

// The page distinguishes credentials from ids, and names their places. The markers are those of
// redact.
func TestRedactionsOnThePage(t *testing.T) {
	r, err := redact.New(redact.Options{Home: "/home/ada", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	r.Redact(nil, []byte(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"3f1c9a52-made-up"}}`))
	line := r.Redact(nil, []byte(`{"params":{"sessionId":"3f1c9a52-made-up","a/b":{"api_key":"planted-5ecret-value"},"cwd":"/home/ada/x"}}`))
	s := newScript(t, conversation(1))
	s.run(embedded("redactions.js"))
	const want = "credentials were removed: /params/a~1b/api_key (key); session ids are fingerprints: /params/sessionId; home folders were renamed: /params/cwd"
	s.vm.Set("line", string(line))
	if got := s.run(`redaction([{redacted: true, secrets: true, text: line}])`).String(); got != want {
		t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
	}
	if got := s.run(`redaction([{redacted: false, text: line}])`).String(); got != "" {
		t.Errorf("of what was not redacted: %s", got)
	}
}

// A message that was held is not shown as dropped, and a rule that drops has the last word.
func TestFates(t *testing.T) {
	s := newScript(t, conversation(1))
	s.run(embedded("changes.js"))
	for row, want := range map[string]string{
		`{stage: "in", by: ["opening"], later: 1}`:              "sent later as #9",
		`{stage: "in", by: ["plan", "no plans"], fate: "rule"}`: "dropped by no plans",
		`{stage: "in", by: ["plan"], fate: "not shown"}`:        "not shown by plan",
		`{stage: "in", by: ["plan"]}`:                           "dropped by plan",
	} {
		s.run("rows.splice(0, 2, " + row + ", {seq: 9})")
		if got := s.run("fate(0, true)").String(); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
}
