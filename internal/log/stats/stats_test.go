package stats

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"

	"github.com/google/go-cmp/cmp"
)

// read reads lines such as "10 agent in by:plan {…}": milliseconds, direction, stage, rules or
// adapters, and the message. The number of a line is its seq. It checks that Read counts the same
// as Of.
func read(t *testing.T, lines ...string) *history.History {
	t.Helper()
	open := recorded(t, lines...)
	h, err := history.Open(open)
	if err != nil || h.Broken > 0 {
		t.Fatalf("%v, %d broken", err, h.Broken)
	}
	s, _, err := Read(open, query.Query{})
	if diff := cmp.Diff(Of(h), s); err != nil || diff != "" {
		t.Errorf("without keeping the record: %v\n%s", err, diff)
	}
	return h
}

// recorded returns a function that opens a record with such lines.
func recorded(t *testing.T, lines ...string) func() (io.ReadCloser, error) {
	t.Helper()
	var b strings.Builder
	for i, line := range lines {
		head, msg, _ := strings.Cut(line, "{")
		words := strings.Fields(head)
		at, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatal(err)
		}
		if words[1] == "gap" {
			fmt.Fprintf(&b, `{"kind":"gap","seq":%d,"mono":%d,"stream":"agent","count":3,"bytes":90,"why":"slow"}`+"\n", i+1, at*1_000_000)
			continue
		}
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"mono":%d,"dir":"%s",`, i+1, at*1_000_000, words[1])
		for _, word := range words[2:] {
			switch name, value, _ := strings.Cut(word, ":"); name {
			case "by":
				fmt.Fprintf(&b, `"by":["%s"],`, strings.ReplaceAll(value, ",", `","`))
			case "of":
				fmt.Fprintf(&b, `"of":%s,`, value)
			default:
				fmt.Fprintf(&b, `"stage":"%s",`, word)
			}
		}
		fmt.Fprintf(&b, `"len":%d,"msg":{%s}`+"\n", len(msg)+2, msg)
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(b.String())), nil }
}

func request(id int, method string) string {
	return fmt.Sprintf(`{"id":%d,"method":"%s","params":{"sessionId":"s"}}`, id, method)
}

func update(kind string) string {
	return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `"}}}`
}

func ms(f float64) *float64 { return &f }

func TestPrompts(t *testing.T) {
	h := read(t,
		"0 client "+request(1, "session/prompt"),
		"5 client "+update("agent_message_chunk"), // from the client: not a token
		"7 agent "+update("plan"),
		`8 agent {"method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk"}}}`,
		"10 agent "+update("agent_thought_chunk"),
		"20 agent "+update("agent_message_chunk"),
		`50 agent {"id":1,"result":{}}`,
		"60 client "+request(2, "session/prompt"),
		`70 agent {"id":2,"error":{"code":1,"message":"no"}}`,
		"75 agent "+update("agent_message_chunk"), // too late
		"80 client "+request(3, "session/prompt"),
	)
	want := []Prompt{
		{Seq: 1, Session: 1, First: ms(10), End: ms(50), Waits: Waits{Agent: 50}},
		{Seq: 8, Session: 1, At: 60, End: ms(10), Failed: true, Waits: Waits{Agent: 10}},
		{Seq: 11, Session: 1, At: 80},
	}
	if diff := cmp.Diff(want, Of(h).Prompts); diff != "" {
		t.Error(diff)
	}
}

func TestRequests(t *testing.T) {
	lines := []string{"0 agent " + request(1, "a"), "0 client " + request(1, "b")}
	for i := range 100 { // take 1 to 100 ms
		lines = append(lines, fmt.Sprintf("%d client %s", i, request(100+i, "session/load")))
	}
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`%d agent {"id":%d,"result":{}}`, 2*i+1, 100+i))
	}
	lines = append(lines, `300 client out {"id":1,"error":{"code":-1,"message":"by acpshim"}}`)
	s := Of(read(t, lines...))
	if diff := cmp.Diff([]Latency{
		{From: "client", Method: "session/load", Requests: 100, P50: 50, P95: 95, P99: 99, Max: 100},
		{From: "agent", Method: "a", Requests: 1, Failed: 1, P50: 300, P95: 300, P99: 300, Max: 300},
	}, s.Latencies); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Call{{Seq: 2, From: "client", Method: "b", Session: 1}}, s.Unanswered); diff != "" {
		t.Error(diff)
	}
	if len(s.Slowest) != Slowest || s.Slowest[0].Method != "a" || *s.Slowest[9].Took != 92 {
		t.Errorf("slowest: %+v", s.Slowest)
	}
}

// A rule that responds to a request has one hit, not one for the request and one for the response.
func TestAReplyIsOneHit(t *testing.T) {
	h := read(t,
		`0 agent in by:refuse {"id":1,"method":"x/ask"}`,
		`0 client out by:refuse {"id":1,"error":{"code":-32601,"message":"no"}}`,
		`1 agent out by:plan {"id":"acpshim-1","method":"fs/read_text_file"}`,
		`2 client in by:plan {"id":"acpshim-1","result":{"content":""}}`,
	)
	if diff := cmp.Diff([]Hit{{"plan", 2}, {"refuse", 1}}, Of(h).Hits); diff != "" {
		t.Error(diff)
	}
}

func TestChanges(t *testing.T) {
	in, out := update("plan_update"), update("plan")
	lines := []string{
		"0 agent in by:plan " + in,
		"0 agent out of:1 by:plan,cap " + out,
		"1 agent in by:plan " + in, // held or dropped
		"2 agent out by:plan " + out,
		"3 agent " + out,
		"4 gap",
	}
	h := read(t, lines...)
	s := Of(h)
	big, small := int64(len(in)+1), int64(len(out)+1)
	if diff := cmp.Diff([]Change{
		{From: "agent", Name: "plan_update", By: []string{"plan"}, Before: 2, BeforeBytes: 2 * big, After: 1, AfterBytes: small},
		{From: "agent", Name: "plan", By: []string{"plan"}, After: 1, AfterBytes: small},
	}, s.Changes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Hit{{"plan", 3}, {"cap", 1}}, s.Hits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Count{
		{From: "agent", Kind: "notification", Name: "plan_update", Messages: 2, Bytes: 2 * big, Share: float64(2*big) / float64(2*big+small)},
		{From: "agent", Kind: "notification", Name: "plan", Messages: 1, Bytes: small, Share: float64(small) / float64(2*big+small)},
	}, s.Messages); diff != "" {
		t.Error(diff)
	}
	if s.Lost != (record.Missing{Gaps: 1, Lines: 3, Bytes: 90}) || len(s.Gaps) != 1 || s.Gaps[0].At != 4 {
		t.Errorf("gaps: %+v, %+v", s.Gaps, s.Lost)
	}
	q, err := query.Parse("update:plan_update")
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = Read(recorded(t, lines...), q); err != nil {
		t.Fatal(err)
	}
	if len(s.Messages) != 1 || len(s.Changes) != 1 || s.Changes[0].After != 0 || s.Lost.Gaps != 1 {
		t.Errorf("with a filter: %+v", s)
	}
}

// The time is linear in the number of prompts, also if many wait while other requests get
// responses.
func TestManyPrompts(t *testing.T) {
	growth.Linear(t, "prompts", 500, func(n int) func() {
		var lines []string
		for i := range n {
			lines = append(lines, "0 client "+request(2*i, "session/prompt"), "0 client "+request(2*i+1, "session/set_mode"))
		}
		for i := range n {
			lines = append(lines, fmt.Sprintf(`1 agent {"id":%d,"result":{}}`, 2*i+1))
		}
		h := read(t, lines...)
		return func() {
			if s := Of(h); len(s.Prompts) != n || len(s.Unanswered) != n {
				t.Fatalf("%d prompts, %d unanswered", len(s.Prompts), len(s.Unanswered))
			}
		}
	})
}

// A batch is one hit, however many messages it has.
func TestABatchIsOneHit(t *testing.T) {
	var b strings.Builder
	batch := `[{"id":1,"method":"x/ask"},{"id":2,"method":"x/ask"}]`
	for seq, stage := range []string{"in", "in", "out"} {
		of := ""
		if stage == "out" {
			of = `"of":2,`
		}
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"mono":0,"dir":"agent","stage":"%s",%s"by":["refuse"],"len":%d,"msg":%s}`+"\n", seq+1, stage, of, len(batch)+1, batch)
	}
	h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
	if err != nil || len(h.Messages) != 6 {
		t.Fatalf("%d messages, %v", len(h.Messages), err)
	}
	if diff := cmp.Diff([]Hit{{"refuse", 2}}, Of(h).Hits); diff != "" {
		t.Error(diff)
	}
}

// The time of a request ends when its sender has the response. The sender may be acpshim.
func TestRequestsAreMeasuredByWhoAsked(t *testing.T) {
	s := Of(read(t,
		"10 agent in by:questions "+request(7, "elicitation/create"),
		"10 agent out of:1 by:questions "+request(8, "session/request_permission"),
		`40 client in by:questions {"id":8,"result":{}}`,
		`40 client out of:3 by:questions {"id":7,"result":{}}`,
		"50 client in by:turns "+request(2, "session/prompt"),
		"60 client out by:turns "+request(2, "session/prompt"),
		`80 agent {"id":2,"result":{}}`,
		"90 client "+request(3, "session/prompt"),
		`95 agent out by:turns {"id":3,"result":{}}`,
		`99 agent in by:turns {"id":3,"result":{}}`,
	))
	var got []string
	for _, c := range s.Slowest {
		got = append(got, fmt.Sprint(c.Seq, " ", c.From, " ", *c.Took))
	}
	if want := "1 agent 30, 2 acpshim 30, 5 client 30, 8 client 5"; strings.Join(got, ", ") != want {
		t.Errorf("the requests are %s, want %s", strings.Join(got, ", "), want)
	}
	if len(s.Unanswered) > 0 || len(s.Prompts) != 2 {
		t.Errorf("%v has no response; the prompts are %v", s.Unanswered, s.Prompts)
	}
}
