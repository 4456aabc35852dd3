package stats

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// The time of a turn is divided between those for whom it waits.
func TestWaits(t *testing.T) {
	const prompt = `client {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`
	const end = `agent {"id":1,"result":{"stopReason":"end_turn"}}`
	ask := func(id int, method, session string) string {
		return fmt.Sprintf(`agent {"id":%d,"method":"%s","params":{"sessionId":"%s"}}`, id, method, session)
	}
	reply := func(id int) string { return fmt.Sprintf(`client {"id":%d,"result":{}}`, id) }
	const permission, read, question = "session/request_permission", "fs/read_text_file", "elicitation/create"
	for name, test := range map[string]struct {
		lines string // with the time in milliseconds, the stage and more members
		want  Waits
	}{
		"the agent alone": {"10 " + prompt + "\n50 " + end, Waits{Agent: 40}},
		"a person":        {"10 " + prompt + "\n20 " + ask(7, permission, "s") + "\n45 " + reply(7) + "\n50 " + end, Waits{Person: 25, Agent: 15}},
		"a question":      {"10 " + prompt + "\n20 " + ask(7, question, "s") + "\n45 " + reply(7) + "\n50 " + end, Waits{Person: 25, Agent: 15}},
		"a file while a person thinks": {"10 " + prompt + "\n20 " + ask(7, read, "s") + "\n25 " + ask(8, permission, "s") + "\n30 " + reply(7) +
			"\n40 " + reply(8) + "\n50 " + end, Waits{Person: 15, Client: 5, Agent: 20}},
		"a subagent's":          {"10 " + prompt + "\n20 " + ask(7, permission, "child") + "\n45 " + reply(7) + "\n50 " + end, Waits{Person: 25, Agent: 15}},
		"of another turn":       {"5 client {\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"o\"}}\n10 " + prompt + "\n20 " + ask(7, permission, "o") + "\n45 " + reply(7) + "\n50 " + end, Waits{Agent: 40}},
		"no response":           {"10 " + prompt + "\n20 " + ask(7, permission, "s") + "\n90 agent {\"method\":\"_x\"}", Waits{Person: 70, Agent: 10}},
		"a prompt that is held": {"10 in " + prompt + "\n25 out,from=1 " + prompt + "\n50 " + end, Waits{Acpshim: 15, Agent: 25}},
		"a response that is held": {"10 " + prompt + "\n40 in " + end + "\n50 out,from=2 " + end,
			Waits{Acpshim: 10, Agent: 30}},
		"a rule responds": {"10 " + prompt + "\n20 in " + ask(7, permission, "s") + "\n22 out,for=2 " + reply(7) + "\n50 " + end,
			Waits{Acpshim: 2, Agent: 38}},
		"a request that is held": {"10 " + prompt + "\n20 in " + ask(7, permission, "s") + "\n25 out,from=2 " + ask(7, permission, "s") + "\n40 " + reply(7) + "\n50 " + end,
			Waits{Person: 15, Acpshim: 5, Agent: 20}},
	} {
		var b strings.Builder
		for i, line := range strings.Split(test.lines, "\n") {
			at, line, _ := strings.Cut(line, " ")
			more := ""
			if first, rest, _ := strings.Cut(line, " "); first != "client" && first != "agent" {
				stage, member, ok := strings.Cut(first, ",")
				more, line = `"by":["x"],"stage":"`+stage+`",`, rest
				if ok {
					name, value, _ := strings.Cut(member, "=")
					more += `"` + name + `":` + value + `,`
				}
			}
			dir, msg, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, `{"kind":"message","seq":%d,"mono":%s000000,"dir":"%s",%s"len":1,"msg":%s}`+"\n", i+1, at, dir, more, msg)
		}
		h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
		if err != nil {
			t.Fatal(err)
		}
		prompts := Of(h).Prompts
		if got := prompts[len(prompts)-1].Waits; got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
