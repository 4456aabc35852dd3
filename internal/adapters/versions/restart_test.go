package versions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/dispatch"
)

// The clients of a refused version, by what they speak.
var refusedClients = map[string]struct{ params, supported string }{
	"version 1": {`{"protocolVersion":1,"clientCapabilities":{}}`, "2"},
	"version 2": {`{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`, "1"},
	"both":      {`{"protocolVersion":2,"clientInfo":{"name":"kit","version":"1"},"info":{"name":"kit","version":"1"},"capabilities":{},"clientCapabilities":{}}`, "1"},
}

// If the second initialize fails in any way, the client gets the first refusal, and nothing else.
func TestTheFirstRefusalIsNotLost(t *testing.T) {
	fails := map[string]func(w *world, result string){
		"it is late": func(w *world, result string) {
			time.Sleep(maxTrial)
			synctest.Wait()
			w.says(dispatch.Agent, result)
		},
		"it ends":           func(w *world, _ string) { w.pause(true) },
		"it refuses, too":   func(w *world, _ string) { w.says(dispatch.Agent, `{"id":"i","error":{"code":-32000,"message":"m"}}`) },
		"its result is bad": func(w *world, _ string) { w.says(dispatch.Agent, `{"id":"i","result":null}`) },
	}
	for client, of := range refusedClients {
		for how, fail := range fails {
			t.Run(client+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, 0)
					refusal := fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"first","data":{"supported":[%s]}}}`, of.supported)
					w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":`+of.params+`}`)
					w.says(dispatch.Agent, refusal)
					if len(w.agent) != 2 || !strings.Contains(w.agent[1], `"protocolVersion":`+of.supported) || len(w.client) > 0 {
						t.Fatalf("the agent got %q, the client %q", w.agent, w.client)
					}
					fail(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":%s}}`, of.supported))
					w.settle()
					if !slices.Equal(w.client, []string{refusal}) {
						t.Errorf("the client got %q", w.client)
					}
					w.checkSize(t, how)
				})
			})
		}
	}
}

// A restarted agent has more time.
func TestARestartedAgentHasMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 0)
		w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"first"}}`)
		a := w.agentA.(*Agent)
		if !a.Restarts() {
			t.Fatal("it is not restarted")
		}
		a.Restarted(true)
		w.settle()
		time.Sleep(maxRestart - 1)
		synctest.Wait()
		if w.settle(); len(w.client) > 0 || a.Restarts() {
			t.Errorf("too early, the client got %q; or it is restarted a second time", w.client)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if w.settle(); w.got() != `refused "i"` {
			t.Errorf("the client got %s", w.got())
		}
	})
}

// Requests that the client sends before the response to initialize reach the agent that is used, in
// their order, in its version, and once each.
func TestEarlyRequests(t *testing.T) {
	create := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}`, id)
	}
	for name, c := range map[string]struct {
		restarts bool
		answered bool // the first agent responds to the first request
		want     string
	}{
		"the agent goes on":             {want: "b"},
		"the agent is restarted":        {restarts: true, want: "a b"},
		"it has responded to a request": {restarts: true, answered: true, want: "b"},
	} {
		w := newWorld(t, 0)
		w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
		w.says(dispatch.Client, create("a"))
		if len(w.agent) != 2 {
			t.Fatalf("%s: it waits: %q", name, w.agent)
		}
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no"}}`)
		if c.answered {
			w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"not initialized"}}`)
		}
		if c.restarts {
			w.agentA.(*Agent).Restarted(true)
			w.settle()
		}
		w.agent = nil
		w.says(dispatch.Client, create("b"))
		w.says(dispatch.Client, create("c"))
		w.says(dispatch.Client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"c"}}`)
		if len(w.agent) > 0 || !strings.HasSuffix(w.got(), `refused "c"`) {
			t.Errorf("%s: before the version is known, the agent got %q, the client %s", name, w.agent, w.got())
		}
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`)
		var got []string
		for _, line := range w.agent {
			m := read(line)
			if m.Method != "session/resume" {
				t.Errorf("%s: the agent got %s", name, line)
			}
			got = append(got, strings.Trim(string(m.ID), `"`))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: the agent got %q, want %s", name, got, c.want)
		}
		w.agent = nil
		if w.says(dispatch.Client, create("d")); len(w.agent) != 1 {
			t.Errorf("%s: it still waits", name)
		}
		w.checkSize(t, name)
	}
}

// A second initialize that cannot be read does not turn the translation off.
func TestAnUnreadableInitializeChangesNothing(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(`c {"jsonrpc":"2.0","id":"j","method":"initialize","params":{"protocolVersion":1,"protocolVersion":1}}`,
		`a {"jsonrpc":"2.0","id":"j","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`, prompt1, taken1, runs, idle)
	if !w.agentA.(*Agent).IsOn() || !strings.HasSuffix(w.got(), "response 1") {
		t.Errorf("the client got %s", w.got())
	}
}
