package commands_test

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/adapters/commands"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// directions returns the directions around an adapter with some commands, after initialize.
func directions(version int, all ...commands.Command) (client, agent *dispatch.Direction) {
	c := conversation.New(conversation.Options{})
	a := commands.New(c, func(_, _ conversation.Implementation) []commands.Command { return all })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(version)
	return b.Client, b.Agent
}

func TestAnnounced(t *testing.T) {
	one := commands.Command{Name: "a", Description: "d"}
	for name, test := range map[string]struct {
		method  string
		version int
		agent   []string // what the agent says
		want    int      // how often the command is announced
	}{
		"new":                       {"session/new", 1, []string{`{"id":1,"result":{"sessionId":"s"}}`}, 1},
		"fork":                      {"session/fork", 1, []string{`{"id":1,"result":{"sessionId":"t"}}`}, 1},
		"load":                      {"session/load", 1, []string{`{"id":1,"result":{}}`}, 1},
		"load, without a result":    {"session/load", 1, []string{`{"id":1,"result":null}`}, 1},
		"resume":                    {"session/resume", 1, []string{`{"id":1,"result":{}}`}, 1},
		"refused":                   {"session/load", 1, []string{`{"id":1,"error":{"code":1}}`}, 0},
		"close":                     {"session/close", 1, []string{`{"id":1,"result":{}}`}, 0},
		"prompt":                    {"session/prompt", 1, []string{`{"id":1,"result":{}}`}, 0},
		"without an id":             {"session/new", 1, []string{`{"id":1,"result":{}}`}, 0},
		"version 2":                 {"session/new", 2, []string{`{"id":1,"result":{"sessionId":"s"}}`}, 0},
		"an empty list before":      {"session/load", 1, []string{announces(""), `{"id":1,"result":{}}`}, 2},
		"its own before":            {"session/load", 1, []string{announces(`{"name":"x"}`), `{"id":1,"result":{}}`}, 0},
		"no list":                   {"session/prompt", 1, []string{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update"}}}`}, 0},
		"its own before, of no one": {"session/prompt", 1, []string{announces(`{"name":"x"}`), announces("")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			client, agent := directions(test.version, one)
			wire.Apply(client, nil, []byte(`{"id":1,"method":"`+test.method+`","params":{"sessionId":"s"}}`))
			var out []byte
			for _, line := range test.agent {
				out, _ = wire.Apply(agent, out, []byte(line+"\n"))
				out = append(out, wire.DrainAll(agent)...)
			}
			if got := strings.Count(string(out), `[{"name":"a","description":"d"}]`); got != test.want {
				t.Errorf("it is announced %d times, want %d:\n%s", got, test.want, out)
			}
		})
	}
}

// An open session stays unchanged if loading it again is refused. An announcement has a reason.
func TestARefusalAnnouncesNothing(t *testing.T) {
	client, agent := directions(1, commands.Command{Name: "a", Description: "d"})
	for response, want := range map[string]int{`"result":{}`: 1, `"error":{"code":1}`: 0} {
		wire.Apply(client, nil, []byte(`{"id":1,"method":"session/new","params":{}}`))
		wire.Apply(agent, nil, []byte(`{"id":1,"result":{"sessionId":"s"}}`))
		wire.Apply(client, nil, []byte(`{"id":2,"method":"session/load","params":{"sessionId":"s"}}`))
		out, by := wire.Apply(agent, nil, []byte(`{"id":2,`+response+`}`))
		if got := strings.Count(string(out), `"availableCommands"`); got != want || len(by.Added) != want || want > 0 && by.Added[0].By[0].Why.Text == "" {
			t.Errorf("after %s it is announced %d times, by %+v", response, got, by)
		}
	}
}

func announces(list string) string {
	return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[` + list + `]}}}`
}

// Without commands, no byte changes. With commands, the agent's bytes do not change.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/new"}`), []byte(`{"id":1,"result":{"sessionId":"s"}}`))
	f.Add([]byte(`{"id":1,"method":"session/load","params":{"sessionId":"s"}}`), []byte(announces(`{"name":"x"}`)))
	f.Fuzz(func(t *testing.T, request, line []byte) {
		if bytes.ContainsAny(request, "\n") || bytes.ContainsAny(line, "\n") {
			return
		}
		client, agent := directions(1)
		if out, _ := wire.Apply(client, nil, request); !bytes.Equal(out, request) {
			t.Errorf("%q became %q", request, out)
		}
		if out, _ := wire.Apply(agent, nil, line); !bytes.Equal(out, line) {
			t.Errorf("%q became %q", line, out)
		}
		client, agent = directions(1, commands.Command{Name: "a", Description: "d"})
		wire.Apply(client, nil, request)
		if out, _ := wire.Apply(agent, nil, line); !bytes.HasPrefix(out, line) && !bytes.Contains(line, []byte("available")) {
			t.Errorf("with commands, %q became %q", line, out)
		}
	})
}
