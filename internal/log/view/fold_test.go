package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/text/terminal"
)

// filtered draws the entries for whose numbers isShown is true.
func filtered(t *testing.T, source string, isShown func(seq uint64) bool) string {
	t.Helper()
	v := View{Filtered: true}
	var rows []Row
	for m, r := range readHistory(t, source).All() {
		rows = append(rows, v.Add(m, r, isShown(r.Seq))...)
	}
	waiting, flushed := drawRows(terminal.Style{}, v.Waiting()), drawRows(terminal.Style{}, v.Flush())
	if waiting != flushed {
		t.Errorf("waiting rows are\n%swhen they are complete, they are\n%s", waiting, flushed)
	}
	return drawRows(terminal.Style{}, rows) + flushed
}

func allBut(hidden ...uint64) func(uint64) bool {
	return func(seq uint64) bool { return !slices.Contains(hidden, seq) }
}

// An entry between pieces separates them, whether it is shown or not.
func TestHiddenEntriesSeparatePieces(t *testing.T) {
	piece := func(text string) string { return "agent " + chunk("agent_message_chunk", "", text) }
	named := func(text string) string { return "agent " + chunk("agent_message_chunk", "m", text) }
	ask := `agent {"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f"}}`
	for _, test := range []struct {
		about  string
		lines  []string
		hidden []uint64
		want   string
	}{
		{"a request", []string{piece("a"), ask, piece("b"), piece("c")}, []uint64{2}, `
    1     0.010 <-   agent_message_chunk          1 a
    3     0.030 <-   agent_message_chunk          1 2 pieces in 10 ms: bc
`},
		{"a thought", []string{piece("a"), "agent " + chunk("agent_thought_chunk", "", "hm"), piece("b")}, []uint64{2}, `
    1     0.010 <-   agent_message_chunk          1 a
    3     0.030 <-   agent_message_chunk          1 b
`},
		{"a piece of it", []string{named("a"), named("b"), named("c"), named("d")}, []uint64{2}, `
    1     0.010 <-   agent_message_chunk          1 a
    3     0.030 <-   agent_message_chunk          1 2 pieces in 10 ms: cd
`},
		{"its first piece", []string{named("a"), named("b"), named("c")}, []uint64{1}, `
    2     0.020 <-   agent_message_chunk          1 2 pieces in 10 ms: bc
`},
		{"what it was changed from", []string{
			"agent in " + chunk("agent_message_chunk", "", "a"), "agent out " + chunk("agent_message_chunk", "", "A"),
			"agent in " + chunk("agent_message_chunk", "", "b"), "agent out " + chunk("agent_message_chunk", "", "B"),
		}, []uint64{1, 3}, `
    2     0.020 <- + agent_message_chunk          1 2 pieces in 20 ms: AB
`},
		{"an update of a call", []string{"agent " + call1("", ""), "agent " + call1("", ""), "agent " + call1("", "")}, []uint64{2}, `
    1     0.010 <-   tool_call_update             1 t
    3     0.030 <-   tool_call_update             1 t
`},
	} {
		if got := "\n" + filtered(t, messages(test.lines...), allBut(test.hidden...)); got != test.want {
			t.Errorf("%s: got%s\nwant%s", test.about, got, test.want)
		}
	}
	lines := strings.SplitAfter(messages(piece("a"), piece("x"), piece("b")), "\n")
	lines[1] = `{"kind":"stderr","seq":2,"mono":20000000,"text":"x"}` + "\n"
	if got := filtered(t, strings.Join(lines, ""), allBut(2)); strings.Count(got, "\n") != 2 {
		t.Errorf("standard error between them: got\n%s", got)
	}
}

// call1 is an update of the tool call t.
func call1(status, more string) string {
	if status != "" {
		status = fmt.Sprintf(`,"status":%q`, status)
	}
	return update("s", `"sessionUpdate":"tool_call_update","toolCallId":"t"`+status+more)
}

// The updates of a tool call are one row, with its last status, up to its end.
func TestUpdatesOfAToolCallAreOneRow(t *testing.T) {
	lines := []string{"agent " + update("s", `"sessionUpdate":"tool_call","toolCallId":"t","title":"Run it","status":"pending"`)}
	for range 6 {
		lines = append(lines, "agent "+call1("in_progress", `,"content":[{}]`))
	}
	lines = append(lines,
		"agent "+strings.Replace(call1("in_progress", `,"title":"Other"`), `"t"`, `"u"`, 1),
		"agent "+call1("", `,"title":"Ran it"`), "agent "+call1("completed", ""), "agent "+call1("failed", ""),
		"agent in "+call1("pending", ""), "agent out "+call1("pending", ""), "agent in "+call1("", ""), "agent out "+call1("", ""))
	const want = `
    1     0.010 <-   tool_call                    1 [pending] Run it
    2     0.020 <-   tool_call_update             1 8 updates in 80 ms: [completed] Ran it, 1 content
    8     0.080 <-   tool_call_update             1 [in_progress] Other
   11     0.110 <-   tool_call_update             1 [failed] Ran it
   12     0.120 <- - tool_call_update             1 2 updates in 20 ms: [pending] Ran it
   13     0.130 <- + tool_call_update             1 2 updates in 20 ms: [pending] Ran it
`
	if got := "\n" + draw(t, terminal.Style{}, messages(lines...)); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	for line := range strings.Lines(draw(t, terminal.Style{Colour: true}, messages(lines...))) {
		if isRed := strings.Contains(line, "\x1b[31m"); isRed != strings.Contains(line, "[failed]") {
			t.Errorf("red is %v: %q", isRed, line)
		}
	}
}

// Plan updates that went no further for the same reasons are one row with the last state. A reason
// is shown once.
func TestUpdatesThatWentNoFurtherAreOneRow(t *testing.T) {
	plan := func(id, text string) string {
		return update("s", fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"items","id":%q,"entries":[{"content":%q,"status":"pending","priority":"low"}]}`, id, text))
	}
	lines := []string{
		"agent in " + plan("p", "a"), "agent in " + plan("p", "b"), "agent in " + plan("q", "a"), // another plan
		`client {"jsonrpc":"2.0","method":"x"}`, "agent in " + plan("q", "b"), // something came between
		"agent in " + plan("q", "c"), "agent out " + plan("q", "c"), // it went on
		"agent in " + plan("q", "d"),
	}
	because := func(lines ...string) string {
		return strings.ReplaceAll(messages(lines...), `"stage":"in",`, `"stage":"in","by":["plan","quiet"],"why":["shows none of them, as the policy says, which is told in many words","a rule"],`)
	}
	const want = `
    1     0.010 <- - plan_update                  1 2 updates in 10 ms: p: 0 of
                     1 done
                     plan: shows none of them, as the policy says, which is told
                     in many words
                     quiet: a rule
                       [ ] b
    3     0.030 <- - plan_update                  1 [plan, quiet] q: 0 of 1 done
                       [ ] a
    4     0.040 ->   x
    5     0.050 <- - plan_update                  1 [plan, quiet] 2 updates in
                     10 ms: q: 0 of 1 done
                       [ ] c
    7     0.070 <- + plan_update                  1 q: 0 of 1 done
                       [ ] c
    8     0.080 <- - plan_update                  1 [plan, quiet] q: 0 of 1 done
                     + [ ] d
                     - [ ] c
`
	if got := "\n" + draw(t, terminal.Style{}, because(lines...)); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	if got := filtered(t, because(lines[0], lines[3], lines[1]), allBut(2)); strings.Contains(got, "updates") {
		t.Errorf("something between them was left out:\n%s", got)
	}
}

// A divider follows each turn. Where messages are left out, it is between the rows of two turns.
func TestTurnsHaveDividers(t *testing.T) {
	ask := func(id int, text string) string {
		return fmt.Sprintf(`client {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":%q}]}}`, id, text)
	}
	respond := func(id int, body string) string {
		return fmt.Sprintf(`agent {"jsonrpc":"2.0","id":%d,%s}`, id, body)
	}
	plan := "agent " + update("s", `"sessionUpdate":"plan","entries":[]`)
	source := messages(
		ask(1, "Make the clock right twice a day, and then some more"), plan,
		respond(1, `"result":{"stopReason":"end_turn","usage":{"totalTokens":1234}}`),
		ask(2, "again"), respond(2, `"error":{"code":-32000,"message":"no"}`),
		ask(3, "more"), plan, respond(3, `"result":{"stopReason":"cancelled","usage":null}`))
	const whole = `
    1     0.010 ->   session/prompt               1 Make the clock right twice a day, and then some more
    2     0.020 <-   plan                         1 0 of 0 done
    3     0.030 <-   session/prompt               1 to #1 after 20 ms: end_turn
----- Make the clock right twice a day, and t…: end_turn after 20 ms, 1234 tokens -----
    4     0.040 ->   session/prompt               1 again
    5     0.050 <-   session/prompt               1 to #4 after 10 ms: error -32000: no
----- again: error -32000 after 10 ms -----
    6     0.060 ->   session/prompt               1 more
    7     0.070 <-   plan                         1 0 of 0 done
    8     0.080 <-   session/prompt               1 to #6 after 20 ms: cancelled
----- more: cancelled after 20 ms -----
`
	if got := "\n" + draw(t, terminal.Style{}, source); got != whole {
		t.Errorf("got%s\nwant%s", got, whole)
	}
	const plans = `
    2     0.020 <-   plan                         1 0 of 0 done
----- Make the clock right twice a day, and t…: end_turn after 20 ms, 1234 tokens -----
    7     0.070 <-   plan                         1 0 of 0 done
`
	if got := "\n" + filtered(t, source, func(seq uint64) bool { return seq == 2 || seq == 7 }); got != plans {
		t.Errorf("got%s\nwant%s", got, plans)
	}
}

// A word that is wider than its column is below as a whole, without an empty line.
func TestAWideWordIsBelow(t *testing.T) {
	for text, want := range map[string][]string{"short": {"short"}, "0123456789-0123456789": {"", "0123456789-0123456789"}, "one two three": {"one two", "three"}} {
		first, rest := Row{Text: text, Reasons: []string{"w"}}.split(10)
		if got := append([]string{first}, rest...); !slices.Equal(got, want) {
			t.Errorf("%q is drawn as %q, want %q", text, got, want)
		}
	}
}
