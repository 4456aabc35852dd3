package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// Added lines are recorded before or after a line, and the line as it is.
func TestAddedLines(t *testing.T) {
	by := func(name, why string) []wire.Cause { return []wire.Cause{{Name: name, Why: wire.Reason{Text: why}}} }
	const line, other, before, behind = "{\"line\":1}\n", "{\"other\":1}\n", "{\"before\":1}\n", "{\"behind\":1}\n"
	added := func(from int, text string, by []wire.Cause) wire.Addition {
		return wire.Addition{Span: wire.Span{Start: from, End: from + len(text)}, By: by}
	}
	for name, test := range map[string]struct {
		line, out string
		change    wire.Change
		want      string
	}{
		"unchanged": {line, before + line + behind, wire.Change{Added: []wire.Addition{added(0, before, by("plan", "held")), added(len(before+line), behind, by("x", ""))}},
			`out before [plan] [held] ` + before + `[] [] ` + line + `out behind [x] [] ` + behind},
		"changed": {line, before + other, wire.Change{By: by("rule", ""), Added: []wire.Addition{added(0, before, by("plan", "held"))}},
			`out before [plan] [held] ` + before + `in [rule] [] ` + line + `out [rule] [] ` + other},
		"dropped": {line, "", wire.Change{By: by("rule", "kept back")}, `in [rule] [kept back] ` + line},
		"what was put there is dropped again": {line, line, wire.Change{Added: []wire.Addition{added(len(line), "", by("plan", "made"))}},
			`[plan] [made] ` + line},
		"alone": {"", before, wire.Change{Added: []wire.Addition{added(0, before, by("plan", "late"))}}, `out [plan] [late] ` + before},
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, Options{Dir: t.TempDir()})
			r.Tap(Agent).Rewritten([]byte(test.line), []byte(test.out), test.change)
			if err := r.Close(Outcome{}); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, rec := range readDir(t, r) {
				if m := rec.Message; m != nil {
					for _, word := range []string{m.Stage, m.Place, "[" + strings.Join(m.By, " ") + "]", "[" + strings.Join(m.Why, " ") + "]"} {
						if word != "" {
							got.WriteString(word + " ")
						}
					}
					got.Write(m.Line)
				}
			}
			if got.String() != test.want {
				t.Errorf("recorded are\n%swant\n%s", got.String(), test.want)
			}
		})
	}
}

// Reasons have names that peers chose, so they are redacted, too.
func TestReasonsAreRedacted(t *testing.T) {
	redact := func(line []byte) []byte { return []byte(strings.ReplaceAll(string(line), "ghp_secret", "[gone]")) }
	r := begin(t, Options{Dir: t.TempDir(), Redact: redact})
	r.Tap(Agent).Rewritten([]byte("{\"id\":\"ghp_secret\"}\n"), nil, wire.Change{By: []wire.Cause{{Name: "plan", Why: wire.Reason{Code: "plan.shown", Text: "shows %s"}.With("ghp_secret")}, {Name: "rule"}}})
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	for _, rec := range readDir(t, r) {
		if m := rec.Message; m != nil && (string(m.Line) != "{\"id\":\"[gone]\"}\n" || m.Reason(0) != "shows [gone]" || m.Reason(1) != "" ||
			len(m.Reasons) != 1 || m.Reasons[0].By != "plan" || m.Reasons[0].Code != "plan.shown" || !slices.Equal(m.Reasons[0].Values, []string{"[gone]"})) {
			t.Errorf("recorded are %s, %q and %v", m.Line, m.Why, m.Reasons)
		}
	}
}

// A line that acpshim made names the entries of the line that it comes from, and of the request to
// which it responds. One that is too old or passed by its beginning is not named.
func TestRelationsOfLines(t *testing.T) {
	r := begin(t, Options{Dir: t.TempDir()})
	client, agent := r.Tap(Client), r.Tap(Agent)
	number := func(n int64) wire.Change { return wire.Change{Number: n} }
	client.Rewritten([]byte("{\"id\":1}\n"), []byte("{\"id\":1}\n"), number(1))
	agent.Rewritten([]byte("{\"id\":7}\n"), nil, number(1))
	made := func(tap *Tap, line string, from, of wire.Origin) {
		tap.Rewritten(nil, []byte(line), wire.Change{Added: []wire.Addition{{Span: wire.Span{End: len(line)}, From: from, For: of}}})
	}
	made(agent, "{\"made\":1}\n", wire.Origin{From: wire.Agent, Number: 1}, wire.Origin{From: wire.Client, Number: 1})
	client.Rewritten([]byte("{\"id\":2}\n"), []byte("{\"id\":2}\n"), number(1+maxNumbers))
	made(agent, "{\"made\":2}\n", wire.Origin{From: wire.Agent, Number: 9}, wire.Origin{From: wire.Client, Number: 1})
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, rec := range readDir(t, r) {
		if m := rec.Message; m != nil {
			got = append(got, fmt.Sprintf("%d: from %d, for %d", rec.Seq, m.From, m.For))
		}
	}
	want := []string{"1: from 0, for 0", "2: from 0, for 0", "3: from 2, for 1", "4: from 0, for 0", "5: from 0, for 0"}
	if !slices.Equal(got, want) {
		t.Errorf("recorded are\n%q, want\n%q", got, want)
	}
}
