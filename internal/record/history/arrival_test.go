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

// update returns a line of a record with an update of a session. The agent sent it (in), or acpshim
// sent it for its plans (out). Shows has the numbers of the updates that it shows.
func update(seq int, stage, session, members string, shows ...string) string {
	by := ""
	if stage == "out" {
		by = `,"by":["plan"],"reasons":[{"by":"plan","code":"plans.shown","shows":[` + strings.Join(shows, ",") + `]}]`
	}
	return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","stage":%q%s,"len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{%s}}}}`, seq, stage, by, session, members)
}

func items(id string) string {
	return fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":%q,"entries":[{"content":"x","priority":"medium","status":"pending"}]}`, id)
}

const legacy = `"sessionUpdate":"plan","entries":[{"content":"x","priority":"medium","status":"pending"}]`

// Plan updates arrive with the line that names them, whatever its text is. The line names the last
// one, and brings the earlier ones of the same plan and session, too.
func TestPlansArrive(t *testing.T) {
	text := `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}`
	for name, test := range map[string]struct {
		lines []string
		want  []int // by message; 0 if it did not arrive
	}{
		"two updates":         {[]string{update(1, "in", "s", items("a")), update(2, "in", "s", items("a")), update(3, "out", "s", legacy, "2")}, []int{3, 3}},
		"a later update":      {[]string{update(1, "in", "s", items("a")), update(2, "out", "s", legacy, "1"), update(3, "in", "s", items("a"))}, []int{2, 0, 0}},
		"one of two plans":    {[]string{update(1, "in", "s", items("a")), update(2, "in", "s", items("b")), update(3, "out", "s", legacy, "2")}, []int{0, 3}},
		"two plans as a text": {[]string{update(1, "in", "s", items("a")), update(2, "in", "s", items("b")), update(3, "out", "s", text, "2", "1")}, []int{3, 3}},
		"another session":     {[]string{update(1, "in", "s", items("a")), update(2, "out", "t", legacy, "1")}, []int{0}},
		"twice":               {[]string{update(1, "in", "s", items("a")), update(2, "out", "s", legacy, "1"), update(3, "out", "s", text, "1")}, []int{2}},
		"an older record":     {[]string{update(1, "in", "s", items("a")), strings.Replace(update(2, "out", "s", legacy, "1"), `"reasons"`, `"other"`, 1)}, []int{0}},
		"unchanged":           {[]string{strings.Replace(update(1, "in", "s", legacy), `"stage":"in",`, "", 1)}, []int{1}},
	} {
		h := readAll(t, test.lines...)
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

// A held message is related to the one that acpshim sent later.
func TestHeldMessagesAreSentLater(t *testing.T) {
	h := readAll(t,
		`{"kind":"message","seq":1,"dir":"agent","stage":"in","len":1,"msg":{"method":"a"}}`,
		`{"kind":"message","seq":2,"dir":"agent","stage":"in","len":1,"msg":{"method":"a"}}`,
		`{"kind":"message","seq":3,"dir":"agent","stage":"out","from":1,"len":1,"msg":{"method":"a"}}`,
		`{"kind":"message","seq":4,"dir":"agent","stage":"out","held":2,"len":1,"msg":{"method":"b"}}`)
	if one, two := h.Messages[0].Later, h.Messages[1].Later; one != nil || two == nil || two.Seq != 4 {
		t.Errorf("the messages that were sent later are %v and %v", one, two)
	}
}

// Plans that never arrive do not make each message slower.
func TestPlansThatNeverArrive(t *testing.T) {
	for name, id := range map[string]string{"of one plan": "p", "of many plans": "p%d"} {
		growth.Linear(t, name, 200, func(size int) func() {
			var lines []string
			for i := range size {
				id := strings.ReplaceAll(id, "%d", fmt.Sprint(i))
				lines = append(lines, update(2*i+1, "in", "s", items(id)), update(2*i+2, "out", "s", legacy))
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

// Messages that later entries may refer to take bounded memory.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	for i := range 3 * maxRecent {
		m := &Message{Record: record.Record{Seq: uint64(i + 1)}, JSON: make([]byte, 8<<10)}
		r.add(m)
		m.JSON = nil // as live traces do
	}
	if n := len(r.order); n != len(r.messages) || n > maxRecent || r.bytes > maxRecentBytes || r.find(3*maxRecent) == nil || r.find(1) != nil {
		t.Errorf("%d messages, %d by number, %d bytes", n, len(r.messages), r.bytes)
	}
}
