package dispatch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A surrounder adds a line before and after each message of method m, and changes n.
type surrounder struct{ recorder }

func (s *surrounder) Wants() []Want { return []Want{{From: Agent, Methods: []string{"m", "n"}}} }

func (s *surrounder) Handle(m *Message) {
	switch m.Method {
	case "m":
		m.Because(wire.Reason{Text: "for %s"}.With(m.Method))
		m.Before([]byte(`{"method":"before"}` + "\n"))
		m.After([]byte(`{"method":"behind"}` + "\n"))
	case "n":
		m.Because(wire.Reason{Text: "to x"})
		m.Replace([]byte(`{"method":"x"}` + "\n"))
	}
}

// A dropper drops lines after a message.
type dropper struct{ recorder }

func (d *dropper) Wants() []Want { return []Want{{From: Agent, Methods: []string{"behind"}}} }

func (d *dropper) Handle(m *Message) {
	if m.Method == "behind" {
		m.Because(wire.Reason{Text: "unwanted"})
		m.Drop()
	}
}

// Records tell lines next to a message from its replacement, with names and reasons.
func TestChange(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{
		&surrounder{recorder{name: "around"}}, &dropper{recorder{name: "deaf"}},
	}}).FromAgent()
	for line, want := range map[string]string{
		`{"method":"m"}`: `[] before {around for m}, empty {around for m} {deaf unwanted}`,
		`{"method":"n"}`: `[{around to x}]`,
		`{"method":"o"}`: `[]`,
	} {
		dst := []byte("already there\n")
		out, by := agent.Rewrite(dst, []byte(line+"\n"))
		out = out[len(dst):]
		var added []string
		for _, a := range by.Added {
			what := "empty"
			if text := string(out[a.Start:a.End]); text != "" {
				what = strings.TrimSuffix(strings.TrimPrefix(text, `{"method":"`), "\"}\n")
			}
			added = append(added, strings.TrimSuffix(what+" "+strings.Trim(told(a.By), "[]"), " "))
		}
		if got := strings.TrimSpace(told(by.By) + " " + strings.Join(added, ", ")); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// told returns the names of causes, each with its reason.
func told(by []wire.Cause) string {
	var all []string
	for _, c := range by {
		all = append(all, fmt.Sprint("{", c.Name, " ", c.Why, "}"))
	}
	return fmt.Sprint(all)
}

func TestLinesNextToAddedLinesHaveBothCauses(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{
		&surrounder{recorder{name: "around"}}, &recorder{name: "all"},
	}}).FromAgent()
	out, by := agent.Rewrite(nil, []byte(`{"method":"m"}`+"\n"))
	var added []string
	for _, a := range by.Added {
		added = append(added, fmt.Sprint(bytes.Count(out[a.Start:a.End], []byte("\n")), " of ", told(a.By)))
	}
	want := "3 of [{around for m} {all }], 1 of [{all }], 1 of [{all }], 3 of [{around for m} {all }]"
	if got := strings.Join(added, ", "); got != want {
		t.Errorf("added are %s, want %s", got, want)
	}
}

func TestALineAfterALastLineWithoutAnEnd(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{&surrounder{recorder{name: "around"}}}}).FromAgent()
	for _, line := range []string{`{"method":"m"}`, `[{"method":"m"}]`} {
		out, _ := agent.Rewrite(nil, []byte(line))
		if want := `{"method":"before"}` + "\n" + line + "\n" + `{"method":"behind"}` + "\n"; string(out) != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}

func TestChangeOfABatchHasItsPlace(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{&surrounder{recorder{name: "around"}}}}).FromAgent()
	dst := []byte("already there\n")
	out, by := agent.Rewrite(dst, []byte(`[{"method":"m"},{"method":"m"}]`+"\n"))
	var added []string
	for _, a := range by.Added {
		added = append(added, strings.TrimSpace(string(out[len(dst):][a.Start:a.End])))
	}
	if got, want := strings.Join(added, " "), `{"method":"before"} {"method":"before"} {"method":"behind"} {"method":"behind"}`; got != want {
		t.Errorf("added are %s, want %s", got, want)
	}
}

// A pauseFlusher adds one line at each pause, in every other call of Flush.
type pauseFlusher struct {
	recorder
	flushes int
}

func (l *pauseFlusher) Wants() []Want { return []Want{{From: Agent, Methods: []string{"n"}}} }

func (l *pauseFlusher) Handle(*Message) {}

func (l *pauseFlusher) Flush(m *Message, _ bool) {
	if l.flushes++; l.flushes%2 == 0 {
		return
	}
	m.Because(wire.Reason{Text: "kept until then"})
	m.After([]byte(`{"method":"behind"}` + "\n"))
}

func TestCausesOfDroppedLinesComeWithTheNextMessage(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{
		&pauseFlusher{recorder: recorder{name: "late"}}, &dropper{recorder{name: "deaf"}},
	}}).FromAgent()
	for range 3 {
		if out, by := agent.Flush(nil, false); len(out) > 0 {
			t.Fatalf("%s is flushed by %v", out, by)
		}
	}
	for _, want := range []string{"[{late kept until then} {deaf unwanted}]", ""} {
		_, by := agent.Rewrite(nil, []byte(`{"method":"n"}`+"\n"))
		got := ""
		for _, a := range by.Added {
			got += told(a.By)
		}
		if got != want {
			t.Errorf("told is %s, want %s", got, want)
		}
	}
}

// Reasons are never truncated.
func TestReasonsAreBounded(t *testing.T) {
	var causes []wire.Cause
	for i := range 1000 {
		causes = wire.AddCause(causes, wire.Cause{Name: "x", Why: wire.Reason{Text: "reason %s"}.With(strconv.Itoa(i))})
	}
	causes = wire.AddCause(causes, wire.Cause{Name: "y", Why: wire.Reason{Text: strings.Repeat("y", 1000)}})
	last := causes[len(causes)-1]
	bytes := 0
	for _, c := range causes[:len(causes)-1] {
		if bytes += c.Why.Size(); c.Name != "x" {
			t.Errorf("a cause %v", c)
		}
	}
	if len(causes) < 20 || bytes > 500 || last.Name != "y" || last.Why.Text != "" {
		t.Errorf("they are %v", causes)
	}
}
