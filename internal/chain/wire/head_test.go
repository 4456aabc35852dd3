package wire

import (
	"testing"
)

// whole is a stop function that never stops.
func whole(Head) bool { return false }

func TestPeekHead(t *testing.T) {
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"`
	tests := []struct {
		head string
		want Reading
		h    Head
	}{
		{update + `,"entries":[]}}}`, Decided, Head{Method: []byte("session/update"), SessionID: []byte("s"), SessionUpdate: []byte("plan")}},
		{update, Incomplete, Head{Method: []byte("session/update"), SessionID: []byte("s"), SessionUpdate: []byte("plan")}},
		{`{"jsonrpc":"2.0","method":"session/up`, Incomplete, Head{}},
		{`{"type":"x","id":"a","params":{"update":{"content":{"sessionUpdate":"no","x":["}"]},"sessionUpdate":"plan"},"sessionId":"s"},"method":"m"}`, Decided,
			Head{Method: []byte("m"), ID: []byte(`"a"`), SessionID: []byte("s"), SessionUpdate: []byte("plan")}},
		{"\xef\xbb\xbf \t{ \"id\" : 1.0 , \"result\" : null }\r\n", Decided, Head{ID: []byte("1.0"), Response: true}},
		{`{"error":{"code":1},"id":"x\"y"}`, Decided, Head{ID: []byte(`"x\"y"`), Response: true}},
		{`{"result":{"big":"...`, Incomplete, Head{Response: true}},
		{`{"m\u0065thod":"x"}`, Unclear, Head{}},
		{`{"method":"session\/update"}`, Unclear, Head{}},
		{`{"method":3}`, Unclear, Head{}},
		{`{"params":{"update":{"sessionUpdate":"\u0070lan"}}}`, Unclear, Head{}},
		{`{"params":{"toolCallId":"no","update":{"toolCallId":"c1","sessionUpdate":"x"}}}`, Decided, Head{SessionUpdate: []byte("x"), ToolCallID: []byte("c1")}},
		{`{"params":{"update":{"toolCallId":"c\u0031","sessionUpdate":"x"}}}`, Decided, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"update":{"toolCallId":["c"],"sessionUpdate":"x","id":1}}}`, Decided, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"messageId":"no","update":{"content":{"messageId":"no","type":"t"},"messageId":"m1"}}}`, Decided, Head{MessageID: []byte("m1"), ContentType: []byte("t")}},
		{`{"params":{"update":{"messageId":null,"sessionUpdate":"x"}}}`, Decided, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"update":{"sessionUpdate":"x","toolCallId":"c`, Incomplete, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"update":{"sessionUpdate":"x","content":{"text":"\"type\":","type":"text"}}}}`, Decided, Head{SessionUpdate: []byte("x"), ContentType: []byte("text")}},
		{`{"params":{"update":{"content":[{"type":"text"}],"sessionUpdate":"x"}}}`, Decided, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"update":{"sessionUpdate":"x","content":{"content":{"type":"no"},"type":"t\u0065xt"}}}}`, Unclear, Head{SessionUpdate: []byte("x")}},
		{`{"params":{"content":{"type":"no"},"update":{"sessionUpdate":"x","type":"no"}}}`, Decided, Head{SessionUpdate: []byte("x")}},
		{`{"method":"","id":9}`, Decided, Head{Method: []byte{}, ID: []byte("9")}},
		{`{"params":null,"method":"m"}`, Decided, Head{Method: []byte("m")}},
		{`{"params":[{"update":1}],"method":"m"}`, Decided, Head{Method: []byte("m")}},
		{`{}`, Decided, Head{}},
		{`{"a"}`, Unclear, Head{}},
		{`{"a"`, Incomplete, Head{}},
		{`{"a":`, Incomplete, Head{}},
		{`{"params":{"x":{"sessionUpdate":"no"},"sessionUpdate":"no"},"update":{"sessionUpdate":"no"}}`, Decided, Head{}},
		{`{"sessionId":"no","type":"no","params":{"method":"no","id":1,"result":1}}`, Decided, Head{}},
		{`{a:1}`, Unclear, Head{}},
		{`[{"method":"m"}]`, Array, Head{}},
		{`npm WARN`, NotJSON, Head{}},
		{``, Incomplete, Head{}},
		{"\xef\xbb", Incomplete, Head{}},
		{"\xef", Incomplete, Head{}},
		{"\xef\xbbx", NotJSON, Head{}},
		{"  ", Incomplete, Head{}},
	}
	for _, test := range tests {
		h, r := PeekHead([]byte(test.head), whole)
		if r != test.want || string(h.Method) != string(test.h.Method) || string(h.ID) != string(test.h.ID) || h.Response != test.h.Response ||
			string(h.SessionID) != string(test.h.SessionID) || string(h.SessionUpdate) != string(test.h.SessionUpdate) || string(h.ToolCallID) != string(test.h.ToolCallID) ||
			string(h.MessageID) != string(test.h.MessageID) || string(h.ContentType) != string(test.h.ContentType) {
			t.Errorf("PeekHead(%q) = %+v, %v", test.head, h, r)
		}
	}
}

// The head has what decides about an update: whether the message has ended, its status, and how
// much of its content was read.
func TestHeadsOfUpdates(t *testing.T) {
	const begin = `{"method":"session/update","params":{"update":{"sessionUpdate":"u",`
	for line, want := range map[string]struct {
		status, kind     string
		content, isWhole bool
	}{
		begin + `"status":"done","content":[{"status":"no"}]}}}`:        {status: "done", isWhole: true},
		begin + `"status":"done","content":"...`:                        {status: "done"},
		begin + `"status":"d\u006fne"}}}`:                               {isWhole: true},
		begin + `"status":null}}}`:                                      {isWhole: true},
		begin + `"content":{"type":"text","text":"a"}},"status":"no"}}`: {kind: "text", content: true, isWhole: true},
		begin + `"content":{"type":"text"`:                              {kind: "text"},
		begin + `"content":{"text":"a","type":"text"}}}}`:               {kind: "text", content: true, isWhole: true},
	} {
		h, _ := PeekHead([]byte(line), func(Head) bool { return false })
		if string(h.Status) != want.status || string(h.ContentType) != want.kind || h.Content != want.content || h.IsWhole != want.isWhole {
			t.Errorf("%s: %+v", line, h)
		}
	}
}

func TestPeekHeadStopsEarly(t *testing.T) {
	head := []byte(`{"method":"a","params":{"update":{"sessionUpdate":"plan","\u0061":1}}}`)
	for _, test := range []struct {
		head, read string
		stop       func(Head) bool
	}{
		{string(head), `{"method":"a"`, func(h Head) bool { return h.Method != nil }},
		{string(head), `{"method":"a","params":{"update":{"sessionUpdate":"plan"`, func(h Head) bool { return h.SessionUpdate != nil }},
		{`{"id":1,"result":{"big":"...`, `{"id":1,"result":`, func(h Head) bool { return h.Response }},
	} {
		if h, r := PeekHead([]byte(test.head), test.stop); r != Decided || test.head[:h.Size] != test.read {
			t.Errorf("%s: %v behind %s, want Decided behind %s", test.head, r, test.head[:h.Size], test.read)
		}
	}
	if n := testing.AllocsPerRun(100, func() { PeekHead(head, whole) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzPeekHead: the head has the same values as the parsed line.
func FuzzPeekHead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`,
		`{"params":{"update":{"x":[{}],"sessionUpdate":"\u0070lan"}},"method":"m","id":-1e3}`,
		`{"method":"m","params":{"update":{"toolCallId":"a","sessionUpdate":"tool_call"}}}`, `{"params":{"update":{"toolCallId":"\u0061"}}}`,
		`{"params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"a","type":"text"}}}}`,
		`{"id":"a","result":{"method":"x"}}`, `{"update":{},"params":{"params":{"method":"y"}}}`,
	} {
		f.Add([]byte(seed), 40)
	}
	f.Fuzz(func(t *testing.T, line []byte, cut int) {
		msg, err := Parse(line, "params", "params.update", "params.update.content")
		if err != nil {
			return
		}
		h, r := PeekHead(line[:max(0, min(cut, len(line)))], whole)
		if r == NotJSON || r == Array {
			t.Fatalf("an object is %v: %q", r, line)
		}
		if full, r := PeekHead(line, whole); r == Incomplete {
			t.Fatalf("the whole line is short: %q: %+v", line, full)
		}
		params := msg.Open("params")
		update := params.Open("update")
		check := func(name string, told []byte, o *Object) {
			if told == nil {
				return
			}
			if raw := o.Raw(name); string(raw) != `"`+string(told)+`"` {
				t.Fatalf("%s is %q by the head, %q in %q", name, told, raw, line)
			}
		}
		check("method", h.Method, msg)
		check("sessionId", h.SessionID, params)
		check("sessionUpdate", h.SessionUpdate, update)
		check("toolCallId", h.ToolCallID, update)
		check("messageId", h.MessageID, update)
		check("type", h.ContentType, update.Open("content"))
		if h.ID != nil && string(h.ID) != string(msg.Raw("id")) {
			t.Fatalf("id is %q by the head, %q in %q", h.ID, msg.Raw("id"), line)
		}
		if h.Response && msg.Get("result") == nil && msg.Get("error") == nil {
			t.Fatalf("an answer by the head: %q", line)
		}
	})
}
