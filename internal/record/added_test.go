package record

import (
	"strings"
	"testing"

	"acpshim/internal/wire"
)

// Added lines are recorded before or after a line, and the line as it is.
func TestAddedLines(t *testing.T) {
	by := func(name, why string) []wire.Cause { return []wire.Cause{{Name: name, Why: why}} }
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
	r.Tap(Agent).Rewritten([]byte("{\"id\":\"ghp_secret\"}\n"), nil, wire.Change{By: []wire.Cause{{Name: "plan", Why: `shows "ghp_secret"`}, {Name: "rule"}}})
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	for _, rec := range readDir(t, r) {
		if m := rec.Message; m != nil && (string(m.Line) != "{\"id\":\"[gone]\"}\n" || m.Reason(0) != `shows "[gone]"` || m.Reason(1) != "") {
			t.Errorf("recorded are %s and %q", m.Line, m.Why)
		}
	}
}
