package versions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A world is a client and an agent with both adapters between them.
type world struct {
	*testing.T
	c               *conversation.Conversation
	d               *dispatch.Dispatcher
	fromClient      *dispatch.Direction
	fromAgent       *dispatch.Direction
	client, agent   []string // the lines that they got
	bridged         [2]int   // what Options.Bridged was told
	agentA, clientA dispatch.Adapter
}

func newWorld(t *testing.T, maxBytes int) *world {
	w := &world{T: t, c: conversation.New(conversation.Options{MaxBytes: maxBytes})}
	o := Options{
		Conversation: w.c,
		IsOn:         func(client, agent conversation.Implementation) bool { return client.Name != "off" },
		FallsBack:    func(client, agent conversation.Implementation) bool { return client.Name == "kit" },
		Bridged:      func(client, agent int) { w.bridged = [2]int{client, agent} },
	}
	beside, early := NewClient(o), NewEarly(o)
	w.clientA, w.agentA = beside, NewAgent(o, beside, early)
	w.d = dispatch.New(w.c, dispatch.Options{
		Adapters: []dispatch.Adapter{w.agentA, w.clientA, early},
		Events:   dispatch.Events{Panicked: func(reason any, stack []byte) { panic(fmt.Sprintf("%v\n%s", reason, stack)) }},
	})
	w.fromClient, w.fromAgent = w.d.FromClient(), w.d.FromAgent()
	return w
}

// says sends a line of a peer, and passes on all resulting lines.
func (w *world) says(from dispatch.Side, line string) {
	d, to := w.fromClient, &w.agent
	if from == dispatch.Agent {
		d, to = w.fromAgent, &w.client
	}
	out, _ := wire.Apply(d, nil, []byte(line+"\n"))
	w.take(to, out)
	w.settle()
}

// pause flushes the direction of the agent.
func (w *world) pause(end bool) {
	for {
		out, _ := w.fromAgent.Flush(nil, end)
		if w.take(&w.client, out); len(out) == 0 {
			return
		}
	}
}

func (w *world) settle() {
	for {
		a, _ := w.fromAgent.Drain(nil)
		b, _ := w.fromClient.Drain(nil)
		w.take(&w.client, a)
		w.take(&w.agent, b)
		if len(a)+len(b) == 0 {
			return
		}
	}
}

func (w *world) take(to *[]string, out []byte) {
	for line := range bytes.Lines(out) {
		if !json.Valid(line) {
			w.Fatalf("no JSON: %q", line)
		}
		*to = append(*to, strings.TrimSpace(string(line)))
	}
}

// The following functions play handshakes after which versions are translated.
func oldClient(w *world) {
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`)
	w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`)
}

func newClient(w *world) {
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	for range 2 {
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`)
	}
}

// A parsedLine has the members of a line that the tests check.
type parsedLine struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  json.RawMessage
	Params struct {
		SessionID string
		Update    struct {
			SessionUpdate, State, ToolCallID, MessageID string
			Content                                     json.RawMessage
		}
	}
}

func read(line string) (s parsedLine) {
	json.Unmarshal([]byte(line), &s)
	return s
}

// checkSize fails if the counted memory is not what is kept.
func (w *world) checkSize(t *testing.T, name string) {
	t.Helper()
	if sum := w.c.Recount(); sum != w.c.Size() {
		t.Errorf("%s: %d bytes are kept, %d are counted", name, sum, w.c.Size())
	}
}
