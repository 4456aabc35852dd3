package stats

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// used reads a record with these messages of an agent, each after a prompt of session s.
func usedIn(t *testing.T, begin string, turns ...[]string) Stats {
	t.Helper()
	var b strings.Builder
	seq := 0
	add := func(dir, msg string) {
		seq++
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"mono":%d,"dir":"%s","len":1,"msg":%s}`+"\n", seq, seq*1000000, dir, msg)
	}
	add("client", `{"id":0,"method":"session/`+begin+`","params":{"sessionId":"s"}}`)
	add("agent", `{"id":0,"result":{"sessionId":"s"}}`)
	for i, said := range turns {
		add("client", fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, i+1))
		for _, msg := range said {
			if strings.HasPrefix(msg, `{"sessionUpdate"`) {
				msg = `{"method":"session/update","params":{"sessionId":"s","update":` + msg + `}}`
			} else {
				msg = fmt.Sprintf(`{"id":%d,"result":%s}`, i+1, msg)
			}
			add("agent", msg)
		}
	}
	h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
	if err != nil {
		t.Fatal(err)
	}
	return Of(h)
}

// Each carrier of tokens and cost is read. What is of a turn and what is of the session so far are
// told apart, and what is not known is not made up.
func TestUsage(t *testing.T) {
	usage := func(in, out int) string {
		return fmt.Sprintf(`{"stopReason":"end_turn","usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d}}`, in, out, in+out)
	}
	quota := func(in, out int) string {
		return fmt.Sprintf(`{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":%d,"output_tokens":%d}}}}`, in, out)
	}
	idle := func(in, out int) string {
		return fmt.Sprintf(`{"sessionUpdate":"state_update","state":"idle","usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d}}`, in, out, in+out)
	}
	cost := func(amount string) string {
		return `{"sessionUpdate":"usage_update","used":7,"size":10,"cost":{"amount":` + amount + `,"currency":"USD"}}`
	}
	const end, ack = `{"stopReason":"end_turn"}`, `{"messageId":"m"}`
	for name, test := range map[string]struct {
		begin string
		turns [][]string
		want  string // the table: of each prompt, and of the session
	}{
		"nothing":                   {"new", [][]string{{end}}, ""},
		"version 1, one turn":       {"new", [][]string{{usage(3, 1)}}, "3 1 4 - / 3 1 4 - -"},
		"version 1, rising":         {"new", [][]string{{usage(3, 1)}, {usage(5, 2)}}, "3 1 4 - / 5 2 7 - / - - - - -"},
		"version 1, falling":        {"new", [][]string{{usage(5, 2)}, {usage(3, 1)}}, "5 2 7 - / 3 1 4 - / 8 3 11 - -"},
		"Gemini CLI":                {"new", [][]string{{quota(3, 1)}, {quota(0, 0)}, {quota(5, 2)}}, "3 1 4 - / - - - - / 5 2 7 - / 8 3 11 - -"},
		"version 2, repeated":       {"new", [][]string{{ack, idle(3, 1), idle(3, 1)}, {ack, idle(5, 2)}}, "3 1 4 - / 5 2 7 - / 8 3 11 - -"},
		"a cost that grows":         {"new", [][]string{{cost("0.25"), end}, {cost("0.5"), cost("0.75"), end}}, "- - - 0.25 USD / - - - 0.5 USD / - - - 0.75 USD 7 of 10"},
		"a cost with digits":        {"new", [][]string{{cost("0.1"), end}, {cost("0.3"), end}}, "- - - 0.1 USD / - - - 0.2 USD / - - - 0.3 USD 7 of 10"},
		"a cost of a loaded one":    {"load", [][]string{{cost("2.25"), end}, {cost("2.5"), end}}, "- - - - / - - - 0.25 USD / - - - 2.5 USD 7 of 10"},
		"a cost of two turns":       {"new", [][]string{{end}, {cost("0.5"), end}}, "- - - - / - - - - / - - - 0.5 USD 7 of 10"},
		"a cost after the response": {"new", [][]string{{end, cost("0.5")}, {end}}, "- - - 0.5 USD / - - - - / - - - 0.5 USD 7 of 10"},
		"no cost":                   {"new", [][]string{{`{"sessionUpdate":"usage_update","used":7,"size":10}`, end}}, "- - - - / - - - - 7 of 10"},
		"only a total":              {"new", [][]string{{`{"stopReason":"end_turn","usage":{"totalTokens":9}}`}}, "- - 9 - / - - 9 - -"},
		"not numbers":               {"new", [][]string{{`{"sessionUpdate":"usage_update","used":null,"size":"x","cost":{"amount":"1"}}`, `{"stopReason":"end_turn","usage":{"totalTokens":"1","inputTokens":-1}}`}}, ""},
	} {
		s := usedIn(t, test.begin, test.turns...)
		var got []string
		for _, p := range s.Prompts {
			got = append(got, strings.Join(append(p.Tokens.cells(), p.Cost.String()), " "))
		}
		for _, u := range s.Usage {
			got = append(got, strings.Join(append(u.Tokens.cells(), u.Cost.String(), u.Context.String()), " "))
			if !u.IsKnown() {
				got = nil
			}
		}
		if got := strings.Join(got, " / "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
