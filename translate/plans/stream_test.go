package plans

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/translate"
)

// streamOp returns a line of one peer from two bytes.
func streamOp(op, arg byte) (client bool, line string) {
	session, id := fmt.Sprint("s", arg&1), fmt.Sprint("p", arg>>1&3)
	call := func(id int, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":%q,"cwd":"/w"}}`, id, method, session)
	}
	text := strings.Repeat("Some words about it.\n", int(arg>>3&3)*40) + "- [ ] a\n" + strings.Repeat("- [x] b\n", int(arg>>5))
	switch op % 18 {
	case 0, 1:
		return false, itemsUpdate(session, id, fmt.Sprint("step ", arg))
	case 2:
		return false, itemsUpdate(session, id, strings.Repeat("large ", 1<<14)+fmt.Sprint(arg))
	case 3, 4:
		return false, planUpdate(session, id, text)
	case 5:
		return false, planUpdate(session, id, strings.Repeat(text, 40))
	case 6:
		return false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_removed","planId":%q}}}`, session, id)
	case 7:
		return false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan","entries":[{"content":"l%d","priority":"low","status":"completed"}]}}}`, session, arg)
	case 8:
		return false, todowrite(session, fmt.Sprint("c", arg&7), fmt.Sprint("todo ", arg))
	case 9:
		return false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d"}}}}`, session, arg)
	case 10:
		return false, call(int(arg), "session/request_permission")
	case 11:
		return false, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"sessionId":%q}}`, arg&15, session)
	case 12:
		return false, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, arg&15)
	case 13:
		return true, call(int(arg&15), "session/prompt")
	case 14:
		return true, call(int(arg&15), []string{"session/load", "session/close", "session/delete", "session/resume"}[arg>>4&3])
	case 15:
		return true, call(int(arg&15), []string{"session/new", "session/fork"}[arg>>4&1])
	case 16:
		return true, strings.Replace(cancelS, `"s"`, fmt.Sprintf("%q", session), 1)
	default:
		return false, strings.Replace(userChunkS, `"s"`, fmt.Sprintf("%q", session), 1)
	}
}

// FuzzStream: the plan that the client has in the end does not depend on how many lines arrive at
// once. All other lines arrive once, unchanged and in order. The size of the state is right.
func FuzzStream(f *testing.F) {
	f.Add([]byte{13, 1, 2, 1, 0, 1, 0, 3, 10, 1, 11, 1}, uint16(0), uint8(0))
	f.Add([]byte{15, 1, 2, 0, 9, 0, 2, 2, 11, 1, 14, 2, 0, 4, 12, 2, 5, 1, 3, 9, 10, 9}, uint16(5), uint8(1))
	f.Add([]byte{14, 17, 5, 1, 6, 1, 11, 1, 8, 1, 7, 1, 8, 3, 14, 2, 3, 1, 11, 2}, uint16(1023), uint8(2))
	f.Add([]byte{2, 1, 15, 3, 12, 3}, uint16(0), uint8(0)) // a large plan, and a request for another session that is refused
	f.Add([]byte{2, 0, 6, 0}, uint16(0), uint8(0))
	f.Add([]byte{15, 0xcd, 6, 'V', 7, 'N'}, uint16(5), uint8('Z'))                    // a plan that waits, and one that passes
	f.Add([]byte{13, 0, 3, 0, 16, 0, 11, 0, 13, 2, 9, 2, 11, 2}, uint16(0), uint8(1)) // a cancelled turn, and the next one
	f.Add([]byte{14, 0, 17, 0, 3, 0, 17, 0, 3, 2, 11, 0}, uint16(9), uint8(1))        // a replay of two turns
	f.Add([]byte("Y00020010101!1700202028200000000"), uint16(74), byte(39))           // one that is not resumed, while another is forked
	f.Add([]byte{15, 0, 14, 14, 2, 0, 4, 12}, uint16(1), uint8(1))                    // a session that is loaded while a new one is refused
	f.Add([]byte{14, 49, 2, 49, 12, 1}, uint16(0), uint8(0))                          // a session with a large plan that is not resumed
	tools := shipped()
	f.Fuzz(func(t *testing.T, ops []byte, pauses uint16, mode uint8) {
		if len(ops) > 80 {
			return
		}
		set := settings{Prose: mode&1 != 0, Tools: tools, Policy: []translate.Policy{translate.Checklists, translate.All, translate.Latest}[mode>>1%3]}
		atOnce, alone := playStream(t, set, ops, pauses), playStream(t, set, ops, 0xffff)
		for session, plan := range alone {
			if atOnce[session] != plan && !(atOnce[session] == "" && plan == "[]") { // it was gone before it was shown
				t.Fatalf("%s: at once the client is shown %.300s\nline by line %.300s", session, atOnce[session], plan)
			}
		}
	})
}

// playStream returns the last plan of each session. There is a pause after each line whose bit is
// set.
func playStream(t *testing.T, set settings, ops []byte, pauses uint16) map[string]string {
	c := old(options{Settings: set, MaxBytes: 16 << 20})
	client, agent := c.FromClient(), c.FromAgent()
	shown := map[string]string{}
	take := func(out []byte, wantLine string) {
		var others []byte
		for line := range bytes.Lines(out) {
			if id, plan, isPlan := planOfOurs(line); isPlan {
				shown[id] = plan
			} else if !bytes.Contains(line, []byte("acpshim-plan-")) {
				others = append(others, line...)
			}
		}
		if string(others) != wantLine {
			t.Fatalf("%.300q became %.300q", wantLine, others)
		}
	}
	for i := 0; i+1 < len(ops); i += 2 {
		isClient, line := streamOp(ops[i], ops[i+1])
		line += "\n"
		want := line
		if kind := line; strings.Contains(kind, `"sessionUpdate":"plan`) {
			want = "" // translated, or the same
		}
		if r := c.c.Pending(dispatch.Client, fmt.Append(nil, ops[i+1]&15)); r != nil && !isClient && ops[i]%18 == 11 && (r.Closes() || r.Method == "session/load") {
			take(flushed(agent, false), "")
			delete(shown, r.Session) // the client begins anew
		}
		if isClient {
			take([]byte(through(client, strings.TrimSpace(line))), want)
		} else {
			take([]byte(through(agent, strings.TrimSpace(line))), want)
		}
		if pauses>>(i/2%16)&1 != 0 {
			take(flushed(agent, false), "")
		}
	}
	for id := range 16 { // what waits for an answer is not shown
		no := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, id)
		take([]byte(through(agent, no)), no+"\n")
	}
	for _, id := range []string{"s0", "s1"} { // what waits for the next turn is
		next := strings.NewReplacer(`"s"`, fmt.Sprintf("%q", id), `"id":4`, fmt.Sprintf(`"id":%q`, id))
		through(client, next.Replace(nextS))
		take([]byte(through(agent, next.Replace(chunkS))), next.Replace(chunkS)+"\n")
	}
	take(flushed(agent, false), "")
	for _, s := range c.allSessions() {
		if _, waits := c.heldPlans[s]; waits && c.c.Ready(s.Session) {
			t.Fatalf("the plan of %s was not shown", s.ID)
		}
	}
	if sum := c.c.Recount(); sum != c.c.Size() {
		t.Fatalf("%d bytes are kept, %d are counted", sum, c.c.Size())
	}
	return shown
}

func flushed(agent *dispatch.Direction, end bool) (out []byte) {
	for n := -1; len(out) > n; {
		n = len(out)
		out, _ = agent.Flush(out, end)
	}
	return out
}

// planOfOurs reads a legacy plan.
func planOfOurs(line []byte) (session, entries string, ok bool) {
	var msg struct {
		Params struct {
			SessionID string
			Update    struct {
				SessionUpdate string
				Entries       json.RawMessage
			}
		}
	}
	json.Unmarshal(line, &msg)
	return msg.Params.SessionID, string(msg.Params.Update.Entries), msg.Params.Update.SessionUpdate == "plan"
}
