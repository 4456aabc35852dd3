package repair_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A world is an agent with two sessions that asks for permission and calls tools in any order, and
// a client that responds late, twice or never, and cancels.
type world struct {
	t                     *testing.T
	r                     *rand.Rand
	fromClient, fromAgent *dispatch.Direction
	id                    int
	prompts               map[string][]int  // pending, by session, the first one runs
	cancelled             map[int]bool      // prompts
	asked                 map[string]string // the sessions of permission requests that the agent waits for
	open                  []string          // permission requests that the client has not answered
	calls                 map[string]int    // how often each was announced to the client
	shown                 map[string]bool   // calls that the client knows
	told                  map[string]bool   // calls that the agent has announced, or asked about
	turns                 map[string]int    // how many have ended, by session
	began                 map[string]int    // the turn in which a call was announced
	over                  map[string]bool   // calls that may have ended
	log                   []string
}

type object = map[string]any

func same(path string) string { return path }

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\nafter\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 3)), id: 10, prompts: map[string][]int{}, cancelled: map[int]bool{},
		asked: map[string]string{}, calls: map[string]int{}, shown: map[string]bool{}, told: map[string]bool{},
		turns: map[string]int{}, began: map[string]int{}, over: map[string]bool{},
	}
	c := conversation.New(conversation.Options{})
	on := func(client, agent conversation.Implementation) bool { return true }
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{
		repair.NewMCP(on), repair.NewAuth(on), repair.NewCancel(c, on), toolCalls(c, on), repair.NewDiffs(c, same, on),
	}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	w.fromClient, w.fromAgent = d.FromClient(), d.FromAgent()
	w.client(object{"id": 0, "method": "initialize", "params": object{"protocolVersion": 1}})
	w.agent(object{"id": 0, "result": object{"protocolVersion": 1}})
	for i, session := range []string{"s", "t"} {
		w.client(object{"id": i + 1, "method": "session/new", "params": object{"cwd": "/", "mcpServers": []any{}}})
		w.agent(object{"id": i + 1, "result": object{"sessionId": session}})
	}
	return w
}

func (w *world) pass(d *dispatch.Direction, who string, line []byte) (out []object) {
	w.log = append(w.log, who+" "+string(line))
	passed, _ := wire.Apply(d, nil, append(line, '\n'))
	passed = append(passed, wire.DrainAll(d)...)
	for line := range bytes.Lines(passed) {
		w.log = append(w.log, "  -> "+string(bytes.TrimSpace(line)))
		var m object
		if err := json.Unmarshal(line, &m); err != nil {
			w.fail("%v", err)
		}
		out = append(out, m)
	}
	return out
}

// client sends a message of the client. The agent gets only responses that it waits for.
func (w *world) client(m object) {
	m["jsonrpc"] = "2.0"
	line, _ := json.Marshal(m)
	for _, m := range w.pass(w.fromClient, "client", line) {
		if m["method"] != nil {
			continue
		}
		id := m["id"].(string)
		if w.asked[id] == "" {
			w.fail("%s is answered again", id)
		}
		delete(w.asked, id)
	}
}

func (w *world) agent(m object) {
	m["jsonrpc"] = "2.0"
	line, _ := json.Marshal(m)
	w.agentLine(line)
}

func (w *world) agentLine(line []byte) {
	for _, m := range w.pass(w.fromAgent, "agent", line) {
		params, _ := m["params"].(object)
		switch m["method"] {
		case nil:
			w.ended(m)
		case "session/request_permission":
			w.open = append(w.open, m["id"].(string))
		case "session/update":
			w.update(params["sessionId"].(string), params["update"].(object))
		}
	}
}

func (w *world) ended(m object) {
	id := int(m["id"].(float64))
	result, _ := m["result"].(object)
	want := "end_turn"
	if w.cancelled[id] {
		want = "cancelled"
	}
	if got := result["stopReason"]; id > 10 && got != want {
		w.fail("%d ended with %v, not %s", id, got, want)
	}
}

// update handles an update for the client.
func (w *world) update(session string, update object) {
	id, _ := update["toolCallId"].(string)
	switch update["sessionUpdate"] {
	case "tool_call":
		if w.shown[id] {
			w.fail("%s is announced again", id)
		}
		w.shown[id], w.began[id] = true, w.turns[session]
	case "tool_call_update":
		if !w.shown[id] {
			w.fail("%s is not announced", id)
		}
	}
}

func (w *world) step() {
	session := []string{"s", "t"}[w.r.IntN(2)]
	call := fmt.Sprint(session, w.r.IntN(12))
	switch w.r.IntN(7) {
	case 0:
		w.id++
		w.prompts[session] = append(w.prompts[session], w.id)
		w.client(object{"id": w.id, "method": "session/prompt", "params": object{"sessionId": session, "prompt": []any{}}})
	case 1:
		if p := w.prompts[session]; len(p) > 0 { // it ends, whatever the agent still asks
			w.prompts[session] = p[1:]
			w.agent(object{"id": p[0], "result": object{"stopReason": "end_turn"}})
			if len(p) == 1 {
				w.turns[session]++
			}
		}
	case 2:
		w.id++
		id := fmt.Sprint("p", w.id)
		w.asked[id], w.told[call] = session, true
		w.agent(object{"id": id, "method": "session/request_permission", "params": object{"sessionId": session, "toolCall": object{"toolCallId": call}, "options": []any{}}})
	case 3:
		if len(w.open) > 0 {
			i := w.r.IntN(len(w.open))
			id := w.open[i]
			w.open = append(w.open[:i], w.open[i+1:]...)
			w.client(object{"id": id, "result": object{"outcome": object{"outcome": "selected", "optionId": "y"}}})
		}
	case 4:
		if p := w.prompts[session]; len(p) > 0 {
			w.cancelled[p[0]] = true
		}
		w.client(object{"method": "session/cancel", "params": object{"sessionId": session}})
		for id, of := range w.asked {
			if of == session {
				w.fail("%s is open after a cancel", id)
			}
		}
	case 5:
		isOpen := w.shown[call] && w.began[call] == w.turns[session] && !w.over[call]
		if kind := "tool_call"; !w.told[call] || isOpen { // an update may have come before
			ambiguous := []string{"", `,"title":"again"`}[w.r.IntN(2)] // it passes unread
			if w.told[call] = true; w.shown[call] {
				ambiguous = ""
			}
			w.over[call] = w.over[call] || ambiguous != ""
			w.agentLine(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"toolCallId":%q,"title":"Run"%s}}}`, session, kind, call, ambiguous))
		}
	case 6:
		status := []any{nil, "completed"}[w.r.IntN(2)]
		w.over[call] = w.over[call] || status != nil
		w.agent(object{"method": "session/update", "params": object{"sessionId": session, "update": object{
			"sessionUpdate": "tool_call_update", "toolCallId": call, "kind": nil, "status": status,
			"rawInput": object{"path": "a", "content": "b"}}}})
	}
}

// The agent gets one response to each permission request, at once after a cancel. The running
// prompt then ends as cancelled, and no other one. The client gets one announcement of each call,
// before its updates.
func TestWorldIsRepaired(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for seed := range uint64(150) {
		w := newWorld(t, seed)
		for range 60 {
			w.step()
		}
	}
}
