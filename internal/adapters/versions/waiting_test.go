package versions

import (
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// waiting returns a world with a client of version 2 and an agent of version 1, which has a prompt.
// A second prompt waits.
func waiting(t *testing.T) *world {
	w := newWorld(t, 0)
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"unsupported protocol version"}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{}}}`)
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
	w.agent, w.client = nil, nil
	for _, id := range []string{"2", "3"} {
		w.says(dispatch.Client, `{"jsonrpc":"2.0","id":`+id+`,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`)
	}
	if got := strings.Join(w.agent, " "); len(w.agent) != 1 || !strings.Contains(got, `"id":2`) {
		t.Fatalf("the agent gets %s", got)
	}
	return w
}

// A client that sends two prompts and closes its output loses none (faults4.md, 20).
func TestWaitingPromptsAreSentWhenTheClientEnds(t *testing.T) {
	w := waiting(t)
	out, _ := w.fromClient.Flush(nil, true)
	w.take(&w.agent, append(out, wire.DrainAll(w.fromClient)...))
	for _, id := range []string{"2", "3"} {
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"end_turn"}}`)
	}
	if got := strings.Join(w.client, " "); len(w.agent) != 2 || !strings.Contains(got, `"id":3,"result":{"messageId":`) || strings.Count(got, `"idle"`) != 2 {
		t.Errorf("the agent gets %q, the client %s", w.agent, got)
	}
}

// A prompt that waits when its session is closed is refused, as version 2 has no result for it.
func TestWaitingPromptsEndWithTheirSession(t *testing.T) {
	w := waiting(t)
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":4,"method":"session/delete","params":{"sessionId":"s"}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":4,"result":{}}`)
	if got := strings.Join(w.client, " "); strings.Count(got, `"id":3,`) != 1 || !strings.Contains(got, `"id":3,"error":{"code":-32800`) {
		t.Errorf("the client gets %s", got)
	}
}
