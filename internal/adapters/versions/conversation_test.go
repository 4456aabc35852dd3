package versions

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/dev/growth"
)

// play plays lines that begin with "c " for the client or "a " for the agent. "flush" is a pause.
// A line may be only the update of session s.
func (w *world) play(lines ...string) *world {
	for _, line := range lines {
		who, line, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, `{"sessionUpdate"`) {
			line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`, line)
		}
		switch who {
		case "flush":
			w.pause(false)
		case "c":
			w.says(dispatch.Client, line)
		default:
			w.says(dispatch.Agent, line)
		}
	}
	return w
}

// got returns the client's lines as kinds of update, or as responses with their ids.
func (w *world) got() string {
	var all []string
	for _, line := range w.client {
		m := read(line)
		switch u := m.Params.Update; {
		case u.State != "":
			all = append(all, u.State)
		case u.SessionUpdate != "":
			all = append(all, u.SessionUpdate)
		case m.Method != "":
			all = append(all, m.Method)
		case m.Error != nil:
			all = append(all, "refused "+string(m.ID))
		default:
			all = append(all, "response "+string(m.ID))
		}
	}
	return strings.Join(all, ", ")
}

const (
	prompt1 = `c {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`
	prompt2 = `c {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`
	prompt3 = `c {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`
	taken1  = `a {"jsonrpc":"2.0","id":1,"result":{"messageId":"u1"}}`
	taken2  = `a {"jsonrpc":"2.0","id":2,"result":{"messageId":"u2"}}`
	taken3  = `a {"jsonrpc":"2.0","id":3,"result":{"messageId":"u3"}}`
	refuse2 = `a {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`
	runs    = `a {"sessionUpdate":"state_update","state":"running"}`
	idle    = `a {"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`
	says    = `a {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`
	begins  = `a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}`
	ended1  = `a {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
	ended2  = `a {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	words   = `a {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`
	asks    = `a {"jsonrpc":"2.0","id":"p%d","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"n","name":"No","kind":"reject_once"}]}}`
)

// The agent speaks version 2.
func TestWhenAPromptGetsItsResponse(t *testing.T) {
	chunk := "agent_message_chunk"
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"idle before the acknowledgment":                    {[]string{prompt1, runs, says, idle, taken1}, chunk + ", response 1"},
		"a state that the agent does not know":              {[]string{prompt1, taken1, strings.Replace(runs, "running", "unknown", 1), runs, says, strings.Replace(runs, "running", "unknown", 1), says, idle}, chunk + ", " + chunk + ", response 1"},
		"a snapshot":                                        {[]string{prompt1, taken1, `a {"sessionUpdate":"state_update","state":"idle"}`, `a {"sessionUpdate":"state_update","state":"_new"}`, runs, says, idle}, chunk + ", response 1"},
		"idle is repeated":                                  {[]string{prompt1, taken1, runs, idle, prompt2, taken2, idle, runs, says, idle, idle}, "response 1, " + chunk + ", response 2"},
		"it is cancelled before it runs":                    {[]string{runs, idle, prompt1, taken1, `c {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, strings.Replace(idle, "end_turn", "cancelled", 1)}, "response 1"},
		"its request is cancelled before it is answered":    {[]string{prompt1, `c {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, taken1, runs, idle}, "response 1"},
		"nothing is said, and never that it runs":           {[]string{prompt1, taken1, idle}, "response 1"},
		"a prompt is refused, and the next one taken in":    {[]string{prompt1, taken1, runs, prompt2, idle, refuse2, prompt3, taken3, runs, says, idle}, "response 1, refused 2, " + chunk + ", response 3"},
		"the agent begins a turn itself, and a prompt runs": {[]string{runs, prompt1, idle, runs, taken1, says, idle}, chunk + ", response 1"},
		"the agent's own turn ends before the prompt's":     {[]string{runs, prompt1, idle, taken1, runs, says, idle}, chunk + ", response 1"},
		"a late tool call, and a snapshot":                  {[]string{begins, prompt1, begins, idle, taken1, runs, says, idle}, "tool_call, tool_call_update, " + chunk + ", response 1"},
		"the agent never says that it runs":                 {[]string{prompt1, taken1, says, idle}, chunk + ", response 1"},
		"two prompts in one turn":                           {[]string{prompt1, taken1, runs, prompt2, taken2, says, idle}, chunk + ", response 1, response 2"},
		"it is cancelled":                                   {[]string{prompt1, taken1, runs, `c {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, says, idle}, chunk + ", response 1"},
		"its request is cancelled":                          {[]string{prompt1, taken1, runs, `c {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, says, idle}, chunk + ", response 1"},
		"an error without a code":                           {[]string{prompt1, taken1, runs, `a {"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"x":1}}`}, "refused 1"},
	} {
		w := newWorld(t, 0)
		oldClient(w)
		w.client = nil
		if w.play(c.lines...); w.got() != c.want {
			t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
		}
		if strings.HasPrefix(name, "its request is cancelled") && !strings.Contains(strings.Join(w.agent, "\n"), `"session/cancel"`) {
			t.Errorf("%s: the agent got %q", name, w.agent)
		}
	}
}

// The client speaks version 2.
func TestStateUpdatesOfATurn(t *testing.T) {
	const taken = "user_message, response %d, running"
	decides := func(i int) string {
		return fmt.Sprintf(`c {"jsonrpc":"2.0","id":"p%d","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`, i)
	}
	first := fmt.Sprintf(taken, 1)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"a turn":                                {[]string{prompt1, words, ended1}, first + ", agent_message_chunk, idle"},
		"nothing is said":                       {[]string{prompt1, ended1}, first + ", idle"},
		"it is refused":                         {[]string{prompt2, refuse2}, "refused 2"},
		"it fails":                              {[]string{prompt2, words, refuse2}, fmt.Sprintf(taken, 2) + ", agent_message_chunk, idle"},
		"its id is used again":                  {[]string{prompt1, words, prompt1}, first + ", agent_message_chunk, idle"},
		"two requests":                          {[]string{prompt1, fmt.Sprintf(asks, 1), fmt.Sprintf(asks, 2), decides(1), decides(2), ended1}, first + ", requires_action, session/request_permission, requires_action, session/request_permission, running, idle"},
		"one that waits is cancelled":           {[]string{prompt1, words, prompt2, `c {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`, ended1}, first + ", agent_message_chunk, refused 2, idle"},
		"the agent repeats the prompt":          {[]string{prompt1, `a {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}`, ended1}, first + ", idle"},
		"a prompt waits":                        {[]string{prompt1, prompt2, words, ended1, ended2}, first + ", agent_message_chunk, idle, user_message, response 2, running, idle"},
		"its session is closed":                 {[]string{prompt1, words, prompt2, `c {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, `a {"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`}, first + ", agent_message_chunk, refused 2, idle, response 9"},
		"it asks after its session is closed":   {[]string{prompt1, words, `c {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, fmt.Sprintf(asks, 1), ended1}, first + ", agent_message_chunk, idle, response 9"},
		"a resume while it runs":                {[]string{prompt1, words, `c {"jsonrpc":"2.0","id":9,"method":"session/resume","params":{"sessionId":"s","cwd":"/w"}}`, `a {"jsonrpc":"2.0","id":9,"result":null}`, ended1}, first + ", agent_message_chunk, response 9, idle"},
		"updates that are not part of a replay": {[]string{`c {"jsonrpc":"2.0","id":9,"method":"session/resume","params":{"sessionId":"s","cwd":"/w"}}`, words, `a {"sessionUpdate":"usage_update","used":1,"size":2}`, `a {"jsonrpc":"2.0","id":9,"result":{}}`}, "usage_update, idle, response 9"},
	} {
		w := newWorld(t, 0)
		newClient(w)
		w.client = nil
		if w.play(c.lines...); w.got() != c.want {
			t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
		}
	}
}

func TestMessageIDsOfTurnsDiffer(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	w.play(prompt1, words, ended1, prompt2, words, ended2)
	ids := map[string]bool{}
	for _, line := range w.client {
		if id := read(line).Params.Update.MessageID; id != "" {
			ids[id] = true
		}
	}
	if len(ids) != 4 {
		t.Errorf("%d ids, want 4 in\n%s", len(ids), strings.Join(w.client, "\n"))
	}
}

func TestCompleteMessagesAndChunksHaveEachTextOnce(t *testing.T) {
	whole := func(id, text string) string {
		return fmt.Sprintf(`a {"sessionUpdate":"agent_message","messageId":%q,"content":[{"type":"text","text":%q}]}`, id, text)
	}
	piece := func(id, text string) string {
		return fmt.Sprintf(`a {"sessionUpdate":"agent_message_chunk","messageId":%q,"content":{"type":"text","text":%q}}`, id, text)
	}
	long := strings.Repeat("word ", 60_000)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"whole messages and a piece":  {[]string{whole("a", "One."), whole("b", "Two."), piece("c", "Three.")}, "One.\n\nTwo.\n\nThree."},
		"the rest":                    {[]string{piece("a", "One"), whole("a", "One and two")}, "One and two"},
		"the same":                    {[]string{piece("a", "One"), runs, whole("a", "One")}, "One"},
		"changed text stays":          {[]string{piece("a", "One"), whole("a", "Two")}, "One"},
		"a long message is sent once": {[]string{piece("a", long), piece("a", long), whole("a", long+long+"end")}, long + long + "end"},
		"a thought of the same id":    {[]string{strings.Replace(piece("a", "One"), "message", "thought", 1), whole("a", "One")}, "OneOne"},
		"two turns":                   {[]string{prompt1, taken1, runs, piece("a", "One."), idle, prompt2, taken2, runs, piece("b", "Two."), idle}, "One.Two."},
		"a session that is loaded":    {[]string{piece("a", "One."), `c {"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`, whole("a", "One.")}, "One.One."},
		"a reset before the replay":   {[]string{whole("a", ""), piece("a", "One")}, "One"},
		"messages of the user":        {[]string{`a {"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"go"}}`, piece("a", "One")}, "One"},
	} {
		w := newWorld(t, 0)
		oldClient(w)
		w.client = nil
		w.play(c.lines...)
		text := ""
		for _, line := range w.client {
			part, _ := open([]byte(line), "params", "params.update", "params.update.content").Open("params").Open("update").Open("content").Text("text")
			text += part
		}
		if text != c.want {
			t.Errorf("%s: %.200q, want %.200q", name, text, c.want)
		}
	}
}

func TestRequestsWithoutParamsAreRefused(t *testing.T) {
	for _, c := range []struct {
		shake func(*world)
		lines []string
	}{
		{oldClient, []string{`c {"jsonrpc":"2.0","id":1,"method":"session/load"}`, `c {"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s"}}`}},
		{newClient, []string{`c {"jsonrpc":"2.0","id":1,"method":"session/new"}`, `c {"jsonrpc":"2.0","id":2,"method":"session/fork","params":[]}`}},
	} {
		w := newWorld(t, 0)
		c.shake(w)
		w.client = nil
		if w.play(c.lines...); w.got() != "refused 1, refused 2" {
			t.Errorf("the client got %s", w.got())
		}
	}
}

// The world checks that a batch stays one line of JSON.
func TestBatches(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(prompt1, prompt2, `a [{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"c"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"c"}}]`)
	w = newWorld(t, 0)
	newClient(w)
	w.play(prompt1, `a [{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}]`,
		fmt.Sprintf(asks, 1), `c [{"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"cancelled"}}}]`)
}

func TestContentIsBounded(t *testing.T) {
	content := func(call, text string) string {
		return fmt.Sprintf(`a {"sessionUpdate":"tool_call_content_chunk","toolCallId":%q,"content":{"type":"content","content":{"type":"text","text":%q}}}`, call, text)
	}
	image := strings.Repeat("A", 900_000)
	for name, step := range map[string]func(i int) []string{
		"images": func(i int) []string {
			return []string{fmt.Sprintf(`a {"sessionUpdate":"tool_call_update","toolCallId":"t%d","content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":%q}}]}`, i, image)}
		},
		"pieces between the updates of another call": func(i int) []string {
			return []string{content("t1", strings.Repeat("x", 2000)), `a {"sessionUpdate":"tool_call_update","toolCallId":"t2","title":"T"}`, "flush"}
		},
		"a terminal in many calls": func(i int) []string {
			return []string{fmt.Sprintf(`a {"sessionUpdate":"tool_call_update","toolCallId":"t%d","content":[{"type":"terminal","terminalId":"x"}]}`, i), `a {"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4"}`, "flush"}
		},
	} {
		w := newWorld(t, 0)
		oldClient(w)
		w.client = nil
		w.play(prompt1, taken1, runs)
		in, out := 0, 0
		for i := range 150 {
			for _, line := range step(i) {
				in += len(line)
				w.play(line)
			}
		}
		w.play(idle)
		for _, line := range w.client {
			out += len(line)
		}
		if !strings.HasSuffix(w.got(), "response 1") {
			t.Errorf("%s: the prompt has no response", name)
		}
		if out > 20*in {
			t.Errorf("%s: %d bytes became %d", name, in, out)
		}
		if size := w.c.Size(); size > 8<<20 {
			t.Errorf("%s: %d bytes are kept", name, size)
		}
	}
}

func TestALongPromptWithItsSessionIDLast(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	w.play(`c {"id":1,"jsonrpc":"2.0","method":"session/prompt","params":{"prompt":[{"text":"`+strings.Repeat("x", 9000)+`","type":"text"}],"sessionId":"s"}}`, taken1, runs, idle)
	if w.got() != "response 1" {
		t.Errorf("the client got %s", w.got())
	}
}

func TestACallAfterItsPermissionRequestBegins(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	w.play(`a {"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","title":"May I?","description":"It is long.","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":[{"optionId":"a","name":"Always","kind":"allow_persistent"},null,{"optionId":"o","name":"Once","kind":"allow_once"}]}}`, begins)
	if want := "session/request_permission, tool_call"; w.got() != want {
		t.Errorf("the client got %s, want %s", w.got(), want)
	}
	if line := w.client[0]; !strings.Contains(line, `"title":"May I?"`) || !strings.Contains(line, "It is long.") || !strings.Contains(line, `"options":[{"optionId":"o","name":"Once","kind":"allow_once"}]`) {
		t.Errorf("%s", line)
	}
}

func TestASecondInitializeThatFailsChangesNothing(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	again := `c {"jsonrpc":"2.0","id":"j","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`
	no := `a {"jsonrpc":"2.0","id":"j","error":{"code":-32600,"message":"initialized already"}}`
	w.play(again, no, prompt1, taken1, runs, idle)
	if !strings.HasSuffix(w.got(), "refused \"j\", response 1") {
		t.Errorf("the client got %s", w.got())
	}
	w = newWorld(t, 0)
	newClient(w)
	w.play(strings.Replace(again, `1,"clientCapabilities":{}`, `2,"info":{"name":"c","version":"1"},"capabilities":{}`, 1), no, prompt1, ended1)
	if !strings.HasSuffix(w.got(), `refused "j", user_message, response 1, running, idle`) {
		t.Errorf("the client got %s", w.got())
	}
}

func TestPatches(t *testing.T) {
	for patch, want := range map[string]fileText{
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-old\n+new\n":                                             {old: "old\n", new: "new\n"},
		"--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n ctx\n-old\n\\ No newline at end of file\n+new\n":     {old: "ctx\nold", new: "ctx\nnew\n"},
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-old\n+new\n\\ No newline at end of file\n":               {old: "old\n", new: "new"},
		"--- /dev/null\n+++ /a\n@@ -0,0 +1,2 @@\n+--- x\n+y\n":                                  {new: "--- x\ny\n", isNew: true},
		"--- /a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n":                                            {old: "x\n", isGone: true},
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n":                            {old: "a\n...\nc\n", new: "b\n...\nd\n"},
		"--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n-a\n+b\n\n--- /b\n+++ /b\n@@ -1 +1 @@\n-c\n+d\n":      {old: "a\n\n", new: "b\n\n"},
		"diff --git \"/a\" \"/a\"\n--- \"/a\"\n+++ \"/a\"\t2026\n@@ -1 +1 @@\n-old\r\n+new\r\n": {old: "old\r\n", new: "new\r\n"},
	} {
		if got := readPatch(patch)["/a"]; got != want {
			t.Errorf("%q: %+v, want %+v", patch, got, want)
		}
	}
	for _, f := range []fileText{{old: "a\nb", new: "c\n"}, {new: "x", isNew: true}, {old: "x\n", isGone: true}} {
		if got := readPatch(patchOf("/a \"b", f))["/a \"b"]; got != f {
			t.Errorf("%+v became %+v", f, got)
		}
	}
	growth.Linear(t, "lines of a patch", 4000, func(size int) func() {
		patch := fmt.Sprintf("--- /a\n+++ /a\n@@ -0,0 +1,%d @@\n", size) + strings.Repeat("+some words\n\\ No newline at end of file\n", size)
		return func() { readPatch(patch) }
	})
}

// An agent of version 1 reports terminals in the _meta of tool calls. Repeated output is sent
// once.
func TestReportsOfTerminals(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	call := func(update, rest string) string {
		return fmt.Sprintf(`a {"sessionUpdate":%q,"toolCallId":"t",%s}`, update, rest)
	}
	w.play(
		call("tool_call", `"title":"T","rawInput":{"command":"make"},"content":[{"type":"terminal","terminalId":"x"}],"_meta":{"terminal_info":{"terminal_id":"x","cwd":"/w"},"other":1}`),
		call("tool_call_update", `"_meta":{"terminal_output":{"terminal_id":"x","data":"one\n"}}`),
		call("tool_call_update", `"_meta":{"terminal_output":{"terminal_id":"x","data":"one\ntwo\n"}}`),
		call("tool_call_update", `"status":"completed","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":-1,"signal":"KILL"}}`),
		call("tool_call_update", `"_meta":{"terminal_output":{"terminal_id":"x","data":"other"}}`),
	)
	want := `{"sessionUpdate":"terminal_update","terminalId":"x","cwd":"/w","command":"make"}
{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","rawInput":{"command":"make"},"content":[{"type":"terminal","terminalId":"x"}],"_meta":{"other":1}}
{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"b25lCg=="}
{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"dHdvCg=="}
{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":-1,"signal":"KILL"}}
{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}
{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"b3RoZXI="}}`
	var got []string
	for _, line := range w.client {
		got = append(got, strings.TrimSuffix(strings.SplitN(line, `"update":`, 2)[1], "}}"))
	}
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestWhenVersionsAreNotTranslated(t *testing.T) {
	no := `a {"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no","data":{"supported":[%d]}}}`
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"switched off":              {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"off","version":"1"}}}`, fmt.Sprintf(no, 2)}, `refused "i"`},
		"a client of both":          {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{},"clientCapabilities":{}}}`, fmt.Sprintf(no, 1)}, `refused "i"`},
		"another refusal":           {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, `a {"jsonrpc":"2.0","id":"i","error":{"code":-32600,"message":"Invalid request","data":{"details":"ACP connections may only be initialized once"}}}`}, `refused "i"`},
		"another version":           {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, fmt.Sprintf(no, 3)}, `refused "i"`},
		"both speak version 2":      {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`, `a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"capabilities":{}}}`, runs}, `response "i", running`},
		"an agent without sessions": {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, fmt.Sprintf(no, 2), `a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"capabilities":{}}}`}, `refused "i"`},
		"its sessions are null":     {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, fmt.Sprintf(no, 2), `a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"capabilities":{"session":null}}}`}, `refused "i"`},
	} {
		w := newWorld(t, 0)
		if w.play(c.lines...); w.got() != c.want || w.bridged != [2]int{} {
			t.Errorf("%s: the client got %s, want %s; bridged: %v", name, w.got(), c.want, w.bridged)
		}
	}
}

// A client that draws terminals gets each byte once, in the tool call that shows the terminal, and
// no incomplete characters.
func TestTerminalsThatAClientDraws(t *testing.T) {
	w := newWorld(t, 0)
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"_meta":{"terminal_output":true}}}}`,
		`a {"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no"}}`,
		`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"capabilities":{"session":{}}}}`)
	w.client = nil
	w.play(
		`a {"sessionUpdate":"terminal_update","terminalId":"x","cwd":"/w","output":{"data":"b25l"}}`,
		`a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"other":1}}`,
		`a {"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"IOI="}`,
		`a {"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"gqw="}`,
		`a {"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"b25lIOKCrCE="}}`,
		`a {"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"dHdv"},"exitStatus":{"exitCode":0}}`,
		"flush",
	)
	want := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"other":1,"terminal_info":{"terminal_id":"x","cwd":"/w"},"terminal_output":{"terminal_id":"x","data":"one"}}}
{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":" "}}}
{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"€"}}}
{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"!"}}}
{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"\u001bctwo"},"terminal_exit":{"terminal_id":"x","exit_code":0}}}`
	var got []string
	for _, line := range w.client {
		got = append(got, strings.TrimSuffix(strings.SplitN(line, `"update":`, 2)[1], "}}"))
	}
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	w.checkSize(t, t.Name())
}

func TestMetaOfCalls(t *testing.T) {
	call := func(meta string) string {
		return `a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","_meta":` + meta + `}`
	}
	for name, c := range map[string]struct {
		shake func(*world)
		want  []string
	}{
		"to version 1": {oldClient, []string{`{"a":1,"b":2}`, `{"a":1,"c":3}`}},
		"to version 2": {newClient, []string{`{"a":1,"b":2}`, `{"b":null,"c":3,"a":null}`}},
	} {
		w := newWorld(t, 0)
		c.shake(w)
		w.client = nil
		w.play(call(`{"a":1,"b":2}`), call(`{"b":null,"c":3}`))
		for i, want := range c.want {
			if !strings.Contains(w.client[i], `"_meta":`+want) {
				t.Errorf("%s: %s, want %s", name, w.client[i], want)
			}
		}
		w.checkSize(t, name)
	}
}

// A prompt with a key is sent once, times are in the format of RFC 3339, and an error names the
// missing session.
func TestOtherGuaranteesOfVersion2(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	keyed := strings.Replace(prompt1, `"prompt":`, `"idempotencyKey":"k","prompt":`, 1)
	w.client, w.agent = nil, nil
	w.play(keyed, ended1, strings.Replace(keyed, `"id":1`, `"id":2`, 1))
	if w.got() != "user_message, response 1, running, idle, response 2" || len(w.agent) != 1 {
		t.Errorf("the client got %s, and the agent %q", w.got(), w.agent)
	}
	w.client = nil
	w.play(`c {"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s9","cwd":"/w"}}`, `a {"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"none"}}`)
	if !strings.Contains(w.client[0], `"data":{"sessionId":"s9"}`) {
		t.Errorf("%s", w.client[0])
	}
	for info, want := range map[string]string{
		`[{"sessionId":"s","updatedAt":"2026-11-23T10:00:00Z"},{"sessionId":"t","updatedAt":5}]`: `[{"sessionId":"s","updatedAt":"2026-11-23T10:00:00Z"},{"sessionId":"t"}]`,
		`[{"sessionId":"s","updatedAt":"yesterday"}]`:                                            `[{"sessionId":"s"}]`,
	} {
		if got := string(mapElements([]byte(info), infoTo2)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestUsageDoesNotSeparateMessages(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	w.play(words, `a {"sessionUpdate":"usage_update","used":1,"size":2}`, words, `a {"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, words)
	var ids []string
	for _, line := range w.client {
		if id := read(line).Params.Update.MessageID; id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) != 3 || ids[0] != ids[1] || ids[1] == ids[2] {
		t.Errorf("messages %q", ids)
	}
}

func TestOnlyTheLastTerminalsAreKept(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	for i := range 2 * maxTerminals {
		w.play(fmt.Sprintf(`a {"sessionUpdate":"tool_call","toolCallId":"t%d","title":"T","_meta":{"terminal_info":{"terminal_id":"x%d"}}}`, i, i),
			fmt.Sprintf(`a {"sessionUpdate":"tool_call_update","toolCallId":"t%d","_meta":{"terminal_output":{"terminal_id":"x%d","data":"a"}}}`, i, i))
	}
	if n := strings.Count(w.got(), "terminal_output_chunk"); n != 2*maxTerminals {
		t.Errorf("%d pieces of output", n)
	}
	w.checkSize(t, t.Name())
}

// The agent repeats the client's version, but has the members of version 1.
func TestAgentsThatRepeatTheVersion(t *testing.T) {
	const ask = `c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%d,"info":{"name":"c","version":"1"},"capabilities":{}}}`
	answer := func(version int) string {
		return fmt.Sprintf(`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":%d,"agentInfo":{"name":"gptme","version":"1"}}}`, version)
	}
	as2 := `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"gptme","version":"1"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}},"auth":{}},"authMethods":[]}}`
	for name, c := range map[string]struct {
		lines   []string
		want    string
		bridged [2]int
	}{
		"and is asked again":                     {[]string{fmt.Sprintf(ask, 2), answer(2), answer(1)}, as2, [2]int{2, 1}},
		"and never says 1":                       {[]string{fmt.Sprintf(ask, 2), answer(2), answer(2)}, as2, [2]int{2, 1}},
		"and refuses a second initialize":        {[]string{fmt.Sprintf(ask, 2), answer(2), `a {"jsonrpc":"2.0","id":"i","error":{"code":-32600,"message":"initialized already"}}`}, as2, [2]int{2, 1}},
		"and says 2 to a client of version 1":    {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"kit"}}}`, answer(2)}, answer(1)[2:], [2]int{}},
		"and the repair is off":                  {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, answer(2)}, answer(2)[2:], [2]int{}},
		"not: it has the members of both":        {[]string{fmt.Sprintf(ask, 2), strings.Replace(answer(2), `"agentInfo"`, `"info":{"name":"a","version":"1"},"capabilities":{},"agentInfo"`, 1)}, strings.Replace(answer(2), `"agentInfo"`, `"info":{"name":"a","version":"1"},"capabilities":{},"agentInfo"`, 1)[2:], [2]int{}},
		"and the client speaks both":             {[]string{strings.Replace(fmt.Sprintf(ask, 2), `"info"`, `"clientInfo":{"name":"kit","version":"1"},"clientCapabilities":{},"info"`, 1), answer(2)}, answer(1)[2:], [2]int{}},
		"not: a client of version 1 is answered": {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, answer(1)}, answer(1)[2:], [2]int{}},
	} {
		w := newWorld(t, 0)
		if w.play(c.lines...); w.messages() != c.want || w.bridged != c.bridged {
			t.Errorf("%s: the client got\n%s\nwant\n%s\nbridged: %v", name, w.messages(), c.want, w.bridged)
		}
	}
}

// The state follows questions as it follows permission requests, and ends with the last one.
func TestStatesWhileQuestionsAreOpen(t *testing.T) {
	question := func(i int) string {
		return fmt.Sprintf(`a {"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`, i)
	}
	answer := func(id, with string) string { return fmt.Sprintf(`c {"jsonrpc":"2.0","id":"%s",%s}`, id, with) }
	accepts, refuses := `"result":{"action":"accept","content":{}}`, `"error":{"code":-32603,"message":"no"}`
	allows := `"result":{"outcome":{"outcome":"selected","optionId":"n"}}`
	first := "user_message, response 1, running, requires_action, "
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"one":                            {[]string{prompt1, question(1), answer("q1", accepts), ended1}, first + "elicitation/create, running, idle"},
		"one that the client refuses":    {[]string{prompt1, question(1), answer("q1", refuses), ended1}, first + "elicitation/create, running, idle"},
		"two":                            {[]string{prompt1, question(1), question(2), answer("q2", accepts), answer("q1", accepts), ended1}, first + "elicitation/create, requires_action, elicitation/create, running, idle"},
		"a permission request as well":   {[]string{prompt1, question(1), fmt.Sprintf(asks, 1), answer("q1", accepts), answer("p1", allows), ended1}, first + "elicitation/create, requires_action, session/request_permission, running, idle"},
		"the turn ends before the other": {[]string{prompt1, question(1), ended1, answer("q1", accepts)}, first + "elicitation/create, idle"},
		"no turn":                        {[]string{question(1), answer("q1", accepts)}, "elicitation/create"},
	} {
		w := newWorld(t, 0)
		newClient(w)
		w.client = nil
		if w.play(c.lines...); w.got() != c.want {
			t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
		}
	}
}

func TestATerminalThatIsEmptyIsNotShown(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	shows := `a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"x"}]}`
	w.play(`a {"sessionUpdate":"terminal_update","terminalId":"x","cwd":"/w"}`, shows,
		`a {"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":0}}`, runs,
		`a {"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"b2s="}`, idle)
	want := `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[]}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"ended with status 0"}}]}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"` + "```" + `\nok\n` + "```" + `\nended with status 0"}}]}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}
