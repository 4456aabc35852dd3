package history

import (
	"strings"
	"testing"

	"acpshim/internal/record"
)

func TestRead(t *testing.T) {
	source := `{"kind":"start","schema":1,"run":"r"}
{"kind":"message","seq":1,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}}
{"kind":"message","seq":2,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s"}}}
{"kind":"message","seq":3,"dir":"agent","stage":"in","len":1,"msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","a":1}}}
{"kind":"message","seq":4,"dir":"agent","stage":"out","of":3,"by":["plan"],"len":1,"msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"kind":"message","seq":5,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}}
{"kind":"message","seq":6,"dir":"agent","len":1,"msg":[{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}},{"jsonrpc":"2.0","id":9,"result":null}]}
{"kind":"message","seq":7,"dir":"agent","len":4,"b64":"aGk/Cg=="}
{"kind":"message","seq":8,"dir":"agent","stage":"out","len":1,"msg":{"jsonrpc":"2.0","id":"own","method":"fs/read_text_file","params":{"sessionId":"s"}}}
{"kind":"message","seq":9,"dir":"client","stage":"in","len":1,"msg":{"jsonrpc":"2.0","id":"own","result":{"content":""}}}
{"kind":"gap","seq":10,"stream":"agent","count":2}
{"kind":"end","seq":11,"status":3}
`
	h, err := Read(record.NewReader(strings.NewReader(source)))
	if err != nil || h.Start == nil || h.End == nil || h.End.Status != 3 || len(h.Others) != 1 || len(h.Messages) != 10 {
		t.Fatalf("%v, %+v", err, h)
	}
	m := h.Messages
	for i, want := range []struct {
		kind                    Kind
		method, update, session string
		request, answered, of   *Message
		failed                  bool
	}{
		{Request, "session/new", "", "s", nil, m[2], nil, false},
		{Request, "fs/read_text_file", "", "s", nil, m[4], nil, false},
		{Response, "session/new", "", "s", m[0], nil, nil, false},
		{Response, "session/new", "", "s", m[0], nil, m[2], false},
		{Response, "fs/read_text_file", "", "s", m[1], nil, nil, true},
		{Notification, "session/update", "plan", "s", nil, nil, nil, false},
		{Response, "", "", "", nil, nil, nil, false},
		{Other, "", "", "", nil, nil, nil, false},
		{Request, "fs/read_text_file", "", "s", nil, m[9], nil, false},
		{Response, "fs/read_text_file", "", "s", m[8], nil, nil, false},
	} {
		got := m[i]
		if got.Kind != want.kind || got.Method != want.method || got.Update != want.update || got.Session != want.session ||
			got.Request != want.request || got.Response != want.answered || got.Of != want.of || got.Failed != want.failed {
			t.Errorf("message %d is %+v", i, got)
		}
	}
	if m[0].SessionNumber != 1 || m[5].SessionNumber != 1 || m[6].SessionNumber != 0 {
		t.Errorf("numbers of sessions: %d, %d, %d", m[0].SessionNumber, m[5].SessionNumber, m[6].SessionNumber)
	}
	if m[9].Ambiguous {
		t.Error("a response is marked as ambiguous")
	}
	if string(m[5].JSON) != `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}` || m[7].JSON != nil {
		t.Errorf("the text of a message: %s, %s", m[5].JSON, m[7].JSON)
	}
}

// An empty batch and a line with two members of one name are messages of kind Other.
func TestReadOddLines(t *testing.T) {
	source := `{"kind":"message","seq":1,"dir":"agent","len":3,"msg":[]}
{"kind":"message","seq":2,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"x","method":"y"}}
{"kind":"message","seq":3,"dir":"agent","len":1,"b64":"Cg=="}
`
	h, err := Read(record.NewReader(strings.NewReader(source)))
	if err != nil || len(h.Messages) != 3 {
		t.Fatalf("%v, %d messages", err, len(h.Messages))
	}
	for i, line := range []string{"[]\n", `{"jsonrpc":"2.0","method":"x","method":"y"}` + "\n", "\n"} {
		m := h.Messages[i]
		if string(m.Message.Line) != line || m.Kind != Other || m.JSON != nil || m.Ambiguous != (i == 1) {
			t.Errorf("line %d is %+v", i, m)
		}
	}
}

// Each message of a changed batch is related to its original, even in another order.
func TestARewrittenBatchKeepsItsRelations(t *testing.T) {
	source := `{"kind":"message","seq":1,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}}
{"kind":"message","seq":2,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"b"}}}
{"kind":"message","seq":3,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}}
{"kind":"message","seq":4,"dir":"agent","stage":"in","len":1,"msg":[{"jsonrpc":"2.0","id":1,"result":{"sessionId":"a","x":1}},{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"b","update":{"sessionUpdate":"plan_update"}}},{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"b","update":{"sessionUpdate":"usage_update"}}},{"jsonrpc":"2.0","id":3,"result":{"x":1}}]}
{"kind":"message","seq":5,"dir":"agent","stage":"out","len":1,"of":4,"msg":[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"sessionId":"a"}},{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"b","update":{"sessionUpdate":"usage_update"}}},{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"b","update":{"sessionUpdate":"plan"}}}]}
`
	h, err := Read(record.NewReader(strings.NewReader(source)))
	if err != nil || len(h.Messages) != 13 {
		t.Fatalf("%v, %d messages", err, len(h.Messages))
	}
	m := h.Messages
	for i, want := range map[int]struct {
		of, request *Message
		method      string
		session     string
	}{
		3:  {nil, m[0], "session/new", "a"},
		5:  {nil, m[1], "session/prompt", "b"},
		7:  {nil, m[2], "session/list", ""},
		8:  {m[7], m[2], "session/list", ""},
		9:  {m[3], m[0], "session/new", "a"},
		10: {m[6], nil, "session/update", "b"},
		11: {m[5], m[1], "session/prompt", "b"},
		12: {m[4], nil, "session/update", "b"},
	} {
		if got := m[i]; got.Of != want.of || got.Request != want.request || got.Method != want.method || got.Session != want.session {
			t.Errorf("message %d is %+v", i, got)
		}
	}
	for i, answer := range map[int]*Message{0: m[3], 1: m[5], 2: m[7]} {
		if m[i].Response != answer {
			t.Errorf("request %d has the response %+v", i, m[i].Response)
		}
	}
}
