package versions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
)

const maxOps = 60

// FuzzAgentOf2: for any agent of version 2, a client of version 1 gets one response to each
// prompt, no updates of version 2, and the text of all chunks in order.
func FuzzAgentOf2(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 0, 3, 0, 4, 0})
	f.Add([]byte{0, 0, 2, 0, 4, 0, 1, 0, 4, 0, 0, 1, 1, 1, 2, 1, 3, 1, 5, 0, 4, 1})
	f.Add([]byte{0, 0, 1, 0, 2, 0, 6, 0, 7, 3, 8, 3, 9, 3, 10, 0, 11, 0, 4, 0})
	f.Add([]byte{0, 0, 1, 0, 2, 0, 14, 0, 15, 8, 15, 0, 15, 4, 14, 5, 16, 0, 16, 1, 15, 0, 15, 12, 4, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		w := newWorld(t, 0)
		oldClient(w)
		w.client = nil
		texts := map[string]string{}
		hidden, requests := map[string]bool{}, 0 // sessions of subagents, and what they ask
		asked, acknowledged := 0, 0
		for i := 0; i+1 < min(len(ops), maxOps); i += 2 {
			op, arg := ops[i]%17, ops[i+1]
			session, child := fmt.Sprint("s", arg&1), fmt.Sprint("k", arg&3)
			update := func(u string) string {
				return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, u)
			}
			from, line := dispatch.Agent, ""
			switch op {
			case 0:
				from, line = dispatch.Client, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`, asked, session)
				asked++
			case 1:
				if acknowledged == asked {
					continue
				}
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"messageId":"m"}}`, acknowledged)
				if arg&2 != 0 {
					line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32800,"message":"cancelled"}}`, acknowledged)
				}
				acknowledged++
			case 2:
				line = update(`{"sessionUpdate":"state_update","state":"running"}`)
			case 3:
				text := fmt.Sprintf("<%d>", i)
				texts[session] += text
				line = update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":%q}}`, arg>>1&3, text))
			case 4:
				line = update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
			case 5:
				from, line = dispatch.Client, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
			case 6:
				line = update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","status":null,"content":[{"type":"terminal","terminalId":"x"},{"type":"_odd"}]}`, arg>>1&1))
			case 7:
				line = update(fmt.Sprintf(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t%d","content":{"type":"content","content":{"type":"text","text":"more"}}}`, arg>>1&1))
			case 8:
				line = update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"4oI="}`)
			case 9:
				line = update(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":-1},"output":null}`)
			case 10:
				line = update(`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hello"}]}`)
			case 11:
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/request_permission","params":{"sessionId":%q,"title":"May I?","options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`, i, session)
			case 12:
				line = update(`{"sessionUpdate":"_unknown"}`)
			case 13:
				w.pause(false)
				continue
			case 14:
				hidden[child] = true
				line = update(fmt.Sprintf(`{"sessionUpdate":"subagent_update","sessionId":%q,"title":"T%d"}`, child, arg>>2))
			case 15, 16:
				if !hidden[child] {
					continue
				}
				line = []string{
					`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"session","sessionId":"k0"}]}`,
					`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"<never>"}}`,
					`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`,
					`{"sessionUpdate":"usage_update","used":1,"size":2}`,
				}[arg>>2&3]
				line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, child, line)
				if op == 16 {
					requests++
					line = fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"session/request_permission","params":{"sessionId":%q,"title":"May I?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`, i, child)
				}
			}
			w.says(from, line)
		}
		for ; acknowledged < asked; acknowledged++ {
			w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"messageId":"m"}}`, acknowledged))
		}
		for _, session := range []string{"s0", "s1"} {
			for _, state := range []string{`"running"`, `"idle","stopReason":"end_turn"`} {
				w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"state_update","state":%s}}}`, session, state))
			}
		}
		w.pause(true)
		responses, got := map[string]int{}, map[string]string{}
		for _, line := range w.client {
			m := read(line)
			switch u := m.Params.Update; {
			case m.Method == "":
				responses[string(m.ID)]++
			case hidden[m.Params.SessionID]:
				t.Errorf("the client does not know the session of %s", line)
			case m.Method == "session/request_permission" && strings.HasPrefix(string(m.ID), `"q`):
				requests--
			case slices.Contains([]string{"state_update", "user_message", "agent_message", "tool_call_content_chunk", "terminal_update", "terminal_output_chunk"}, u.SessionUpdate):
				t.Errorf("version 1 has no %s", line)
			case u.SessionUpdate == "agent_message_chunk":
				var content struct{ Text string }
				json.Unmarshal(u.Content, &content)
				got[m.Params.SessionID] += strings.TrimSpace(content.Text)
			}
		}
		if requests != 0 {
			t.Errorf("%d requests of subagents are missing", requests)
		}
		for id := range asked {
			if n := responses[fmt.Sprint(id)]; n != 1 {
				t.Errorf("prompt %d has %d responses", id, n)
			}
		}
		for session, want := range texts {
			if got[session] != want {
				t.Errorf("%s: the client got %q, want %q", session, got[session], want)
			}
		}
		w.checkSize(t, t.Name())
	})
}

// FuzzClientOf2: for any agent of version 1, a client of version 2 gets one response to each
// prompt, and each session is idle exactly when no prompt of it runs. The agent gets at most one
// response to each of its requests.
func FuzzClientOf2(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 0})
	f.Add([]byte{0, 0, 0, 0, 1, 0, 3, 0, 2, 0, 0, 1, 0, 0, 4, 0, 2, 0, 5, 0, 2, 1})
	f.Add([]byte{0, 0, 5, 0, 5, 0, 7, 4, 3, 0, 7, 2, 5, 0, 2, 0})
	f.Add([]byte{0, 0, 5, 0, 2, 0, 0, 0, 7, 2})
	f.Fuzz(func(t *testing.T, ops []byte) {
		w := newWorld(t, 0)
		newClient(w)
		w.client, w.agent = nil, nil
		asked, next := 0, 0
		running := map[string][]string{} // the ids that the agent has, by session
		decided := map[string]bool{}     // the requests of the agent to which the client responded
		answer := func(i int, result string) {
			for session, ids := range running {
				if len(ids) > 0 && (i&1 == 0 || session == "s1") {
					running[session] = ids[1:]
					w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, ids[0], result))
					return
				}
			}
		}
		follow := func() {
			for ; next < len(w.agent); next++ {
				if m := read(w.agent[next]); m.Method == "session/prompt" {
					if running[m.Params.SessionID] = append(running[m.Params.SessionID], string(m.ID)); len(running[m.Params.SessionID]) > 1 {
						t.Errorf("the agent has two prompts of %s", m.Params.SessionID)
					}
				}
			}
		}
		for i := 0; i+1 < min(len(ops), maxOps); i += 2 {
			op, arg := ops[i]%8, ops[i+1]
			session := fmt.Sprint("s", arg&1)
			switch op {
			case 0:
				w.says(dispatch.Client, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`, asked, session))
				asked++
			case 1:
				w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"y"}}}}`, session))
			case 2:
				answer(int(arg), `"result":{"stopReason":"end_turn"}`)
			case 3:
				w.says(dispatch.Client, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session))
			case 4:
				answer(int(arg), `"error":{"code":-32000,"message":"no"}`)
			case 5:
				w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"t","content":null},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`, i, session))
			case 7:
				id := fmt.Sprintf(`"p%d"`, arg&^1)
				hasIt := slices.ContainsFunc(w.client, func(line string) bool { return string(read(line).ID) == id })
				if hasIt && !decided[id] {
					decided[id] = true
					w.says(dispatch.Client, `{"jsonrpc":"2.0","id":`+id+`,"result":{"outcome":{"outcome":"cancelled"}}}`)
				}
			case 6:
				w.says(dispatch.Agent, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"diff","path":"/a","newText":"x"}]}}}`, session))
			}
			follow()
			states, responses := map[string]string{}, map[string]int{}
			for _, line := range w.client {
				m := read(line)
				if m.Params.Update.SessionUpdate == "state_update" {
					states[m.Params.SessionID] = m.Params.Update.State
				}
				if m.Method == "" {
					responses[string(m.ID)]++
				}
			}
			for _, s := range []string{"s0", "s1"} {
				isTaken := len(running[s]) > 0 && responses[running[s][0]] == 1
				if isIdle := states[s] == "" || states[s] == "idle"; isIdle == isTaken {
					t.Errorf("%s: state %q, prompts that run: %q, responses %v", s, states[s], running[s], responses)
				}
			}
		}
		for range asked {
			answer(0, `"result":{"stopReason":"end_turn"}`)
			follow()
		}
		responses := map[string]int{}
		for _, line := range w.client {
			m := read(line)
			if m.Method == "" {
				responses[string(m.ID)]++
			}
			if u := m.Params.Update; strings.HasSuffix(u.SessionUpdate, "_chunk") && u.MessageID == "" || u.SessionUpdate == "tool_call" {
				t.Errorf("version 2 has no %s", line)
			}
		}
		for id := range asked {
			if n := responses[fmt.Sprint(id)]; n != 1 {
				t.Errorf("prompt %d has %d responses", id, n)
			}
		}
		decisions := map[string]int{}
		for _, line := range w.agent {
			if m := read(line); m.Method == "" {
				decisions[string(m.ID)]++
			}
		}
		for id, n := range decisions {
			if n > 1 {
				t.Errorf("request %s has %d responses", id, n)
			}
		}
		w.checkSize(t, t.Name())
	})
}
