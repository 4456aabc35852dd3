package history

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/record"
)

func readAll(t *testing.T, lines ...string) *History {
	t.Helper()
	h, err := Read(record.NewReader(strings.NewReader(strings.Join(lines, "\n") + "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// update is a line of a record with an update of a session: what the agent sent (in), or acpshim
// for its plans (out).
func update(seq int, stage, members string) string {
	by := ""
	if stage == "out" {
		by = `,"by":["plan"]`
	}
	return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","stage":%q%s,"len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{%s}}}}`, seq, stage, by, members)
}

func markdown(id, text string) string {
	return fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":%q,"content":%q}`, id, text)
}

// A plan update arrives with the message that shows all its entries, or is its text.
func TestPlansArrive(t *testing.T) {
	legacy := func(steps ...string) string {
		var entries []string
		for _, step := range steps {
			entries = append(entries, fmt.Sprintf(`{"content":%q,"priority":"medium","status":"pending"}`, step))
		}
		return `"sessionUpdate":"plan","entries":[` + strings.Join(entries, ",") + `]`
	}
	text := func(text string) string {
		return fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}`, text)
	}
	const file = `"sessionUpdate":"plan_update","plan":{"type":"file","planId":"f","uri":"file:///p.md"}`
	for name, test := range map[string]struct {
		in   []string
		out  string
		want []int // by message of in, 0 if it did not arrive
	}{
		"a plan":                        {[]string{markdown("a", "# T\n\n- [ ] x\n"), markdown("a", "# T\n\n- [ ] y\n")}, legacy("y"), []int{3, 3}},
		"one of two":                    {[]string{markdown("a", "- [ ] x\n"), markdown("b", "- [ ] y\n")}, legacy("y"), []int{0, 3}},
		"a heading of another document": {[]string{legacy("Read the code", "Fix the parser"), markdown("design", "# Fix the parser\n\nProse.\n\n- [ ] Patch\n")}, text("\n\n# Fix the parser\n\nProse.\n\n- [ ] Patch\n\n"), []int{0, 3}},
		"the only entry is the heading": {[]string{legacy("Fix the parser"), markdown("design", "# Fix the parser\n\nProse.\n\n- [ ] Patch\n")}, text("\n\n# Fix the parser\n\nProse.\n\n- [ ] Patch\n\n"), []int{0, 3}},
		"one entry of two":              {[]string{legacy("x", "y"), markdown("b", "- [ ] y\n")}, legacy("y"), []int{0, 3}},
		"two lists in one text":         {[]string{legacy("x", "y"), markdown("b", "- [ ] z\n")}, text("**Plan**\n\n- [ ] x\n- [x] y\n- [ ] z\n"), []int{3, 3}},
		"two titles that are equal":     {[]string{markdown("a", "# T\n\n- [ ] x\n"), markdown("b", "# T\n\n- [ ] x\n- [ ] y\n")}, text("# T\n\n- [ ] x\n- [ ] y\n"), []int{0, 3}},
		"a list as a text":              {[]string{markdown("a", "- [ ] x\n"), markdown("b", "- [ ] y z\n")}, text("- [ ] y z (in progress)\n"), []int{0, 3}},
		"a document":                    {[]string{markdown("a", "# The design\n\nProse.\n"), file}, text("# The design\n\nProse."), []int{3, 0}},
		"a file":                        {[]string{markdown("a", "- [ ] x\n"), file}, text("What stands in the file."), []int{0, 3}},
		"a text of the agent":           {[]string{markdown("a", "- [ ] x\n")}, strings.Replace(text("other"), "other", "Prose.", 1), []int{0}},
	} {
		var lines []string
		for i, members := range test.in {
			lines = append(lines, update(i+1, "in", members))
		}
		h := readAll(t, append(lines, update(len(lines)+1, "out", test.out))...)
		for i, want := range test.want {
			got := 0
			if m := h.Messages[i].Arrived; m != nil {
				got = int(m.Seq)
			}
			if got != want {
				t.Errorf("%s: #%d arrived with #%d, want #%d", name, i+1, got, want)
			}
		}
	}
}

// Plans that never arrive are not compared with each message.
func TestPlansThatNeverArrive(t *testing.T) {
	steps := strings.Repeat("- [ ] a step that stays hidden\n", 20)
	for name, id := range map[string]string{"of one plan": "p", "of many plans": "p%d"} {
		growth.Linear(t, name, 200, func(size int) func() {
			var lines []string
			for i := range size {
				id := strings.ReplaceAll(id, "%d", fmt.Sprint(i))
				lines = append(lines, update(2*i+1, "in", markdown(id, steps)),
					update(2*i+2, "out", `"sessionUpdate":"plan","entries":[{"content":"other","priority":"medium","status":"pending"}]`))
			}
			text := strings.Join(lines, "\n") + "\n"
			return func() {
				if _, err := Read(record.NewReader(strings.NewReader(text))); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
