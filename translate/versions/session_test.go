package versions

import (
	"strings"
	"testing"
)

// prepared is a system prompt and options in a request that opens a session, in version 1.
const (
	systemPrompt = `"systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief."}]}`
	prepared     = systemPrompt + `,"configOptions":[{"configId":"model","value":"m1"},{"configId":"fast","type":"boolean","value":true}]`
	prepared2    = systemPrompt + `,"configOptions":[{"configId":"model","value":"m1","type":"id"},{"configId":"fast","type":"boolean","value":true}]`
)

func TestWhatASessionBeginsWith(t *testing.T) {
	for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
		w := newWorld(t, 0)
		oldClient(w)
		w.play(`c {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/w","mcpServers":[],` + prepared + `}}`)
		if got := w.agent[len(w.agent)-1]; !strings.Contains(got, prepared2) {
			t.Errorf("%s: the agent of version 2 got %s", method, got)
		}
	}
	for _, method := range []string{"session/new", "session/resume", "session/fork"} {
		w := newWorld(t, 0)
		newClient(w)
		more := strings.Replace(prepared2, `"m1","type":"id"}`, `"m1","type":"id"},{"configId":"size","type":"number","value":3}`, 1)
		w.play(`c {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/w",` + more + `}}`)
		if got := w.agent[len(w.agent)-1]; !strings.Contains(got, prepared) {
			t.Errorf("%s: the agent of version 1 got %s", method, got)
		}
	}
}

// What the options of a session are before it begins, and the capabilities for it.
func TestOptionsOfASessionThatHasNotBegun(t *testing.T) {
	const (
		capabilities = `"systemPrompt":{"mode":{"override":{}}},"options":{}`
		asks         = `c {"jsonrpc":"2.0","id":1,"method":"session/options","params":{"cwd":"/w","sessionId":"s"}}`
		option       = `"type":"select","name":"Speed","category":"speed","currentValue":"a","options":[{"value":"a","name":"A"}]`
		commands     = `"availableCommands":[{"type":"command","name":"go","description":"Go."}]`
	)
	w := newWorld(t, 0)
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`,
		`a {"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`,
		`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{`+capabilities+`}}}}`)
	if got := w.client[0]; !strings.Contains(got, `"sessionCapabilities":{"list":{},"resume":{},"close":{},`+capabilities+`}`) {
		t.Errorf("the client of version 1 got %s", got)
	}
	w.client = nil
	w.play(asks, `a {"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"s",`+option+`},{"configId":"n","type":"number","name":"N"}],`+commands+`}}`)
	want := `{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"s",` + option + `,"id":"s"}],` + commands + `}}`
	if got := w.messages(); got != want {
		t.Errorf("the client of version 1 got\n%s\nwant\n%s", got, want)
	}

	w = newWorld(t, 0)
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	for range 2 {
		w.play(`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{` + capabilities + `}}}}`)
	}
	if got := w.client[0]; !strings.Contains(got, `"session":{"prompt":{},"mcp":{"stdio":{}},`+capabilities+`}`) {
		t.Errorf("the client of version 2 got %s", got)
	}
	w.client = nil
	w.play(asks, `a {"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"s",`+option+`}]}}`,
		asks, `a {"jsonrpc":"2.0","id":1,"result":{"modes":null,"configOptions":null}}`)
	want = `{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"s",` + option + `,"configId":"s"}]}}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"modes":null}}`
	if got := w.messages(); got != want {
		t.Errorf("the client of version 2 got\n%s\nwant\n%s", got, want)
	}
}
