package questions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/adapters/questions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

type object = map[string]any

// A connection is an agent and a client without questions, with the adapter between them.
type connection struct {
	*dispatchtest.Bench
	t                 *testing.T
	toClient, toAgent []object
}

func connect(t *testing.T) *connection {
	talk, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
	a := questions.New(talk, own, func(client, _ conversation.Implementation) bool { return client.Name != "off" })
	return &connection{t: t, Bench: dispatchtest.New(talk, dispatch.Options{Own: own, Adapters: []dispatch.Adapter{a}}).Negotiate(1)}
}

// take adds the lines that the peers got to toClient and toAgent.
func (c *connection) take() {
	toClient, toAgent := c.Sent()
	c.toClient = append(c.toClient, c.read(toClient)...)
	c.toAgent = append(c.toAgent, c.read(toAgent)...)
}

func (c *connection) read(lines []string) (messages []object) {
	for _, line := range lines {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		messages = append(messages, o)
	}
	return messages
}

func (c *connection) pass(from dispatch.Side, message object) {
	message["jsonrpc"] = "2.0"
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Says(from, string(line))
	c.take()
}

func (c *connection) client(message object) { c.pass(dispatch.Client, message) }
func (c *connection) agent(message object)  { c.pass(dispatch.Agent, message) }

// ask sends a request of the agent, and responds to permission requests by choose. It returns the
// result for the agent.
func (c *connection) ask(id int, method string, params object, choose func(options []object) (optionID string)) any {
	c.t.Helper()
	c.agent(object{"id": id, "method": method, "params": params})
	for i := 0; len(c.toAgent) == 0 && i < 100; i++ {
		if len(c.toClient) == 0 {
			c.t.Fatal("nobody is asked, and nobody answers")
		}
		m := c.toClient[0]
		c.toClient = c.toClient[1:]
		switch m["method"] {
		case "session/request_permission":
			outcome := object{"outcome": "cancelled"}
			if option := choose(optionsOf(m)); option != "" {
				outcome = object{"outcome": "selected", "optionId": option}
			}
			c.client(object{"id": m["id"], "result": object{"outcome": outcome}})
		case method:
			c.client(object{"id": m["id"], "error": object{"code": -32601, "message": "Method not found"}})
		}
	}
	if len(c.toAgent) != 1 || fmt.Sprint(c.toAgent[0]["id"]) != fmt.Sprint(id) {
		c.t.Fatalf("the agent gets %v", c.toAgent)
	}
	result := c.toAgent[0]["result"]
	c.toAgent = nil
	return result
}

func optionsOf(m object) (options []object) {
	for _, o := range m["params"].(object)["options"].([]any) {
		options = append(options, o.(object))
	}
	return options
}

func form(required []string, fields object) object {
	return object{"mode": "form", "sessionId": "s", "message": "Well?", "requestedSchema": object{"type": "object", "properties": fields, "required": required}}
}

var (
	yesOrNo = object{"type": "boolean", "default": true}
	colours = object{"type": "string", "default": "red", "oneOf": []object{{"const": "red", "title": "Red"}, {"const": "blue", "title": "Blue", "description": "cold"}}}
	sizes   = object{"type": "string", "enum": []string{"s", "m", "l"}}
	plan    = object{"sessionId": "s", "toolCallId": "t", "plan": "# P", "todos": []object{}}
	cursor  = object{"sessionId": "s", "toolCallId": "t", "questions": []object{{"id": "q", "prompt": "Well?", "options": []object{{"id": "a", "label": "A"}, {"id": "b", "label": "B"}}}}}
)

// asked are requests that can be asked.
var asked = []struct {
	method string
	params object
}{
	{"elicitation/create", form(nil, object{"a": yesOrNo})},
	{"elicitation/create", form([]string{"a"}, object{"a": yesOrNo})},
	{"elicitation/create", form(nil, object{"a": yesOrNo, "b": colours, "c": sizes})},
	{"elicitation/create", form([]string{"a", "c"}, object{"a": yesOrNo, "b": colours, "b_note": object{"type": "string"}, "c": sizes})},
	{"elicitation/create", form(nil, object{})},
	{"cursor/ask_question", cursor},
	{"cursor/create_plan", plan},
}

// choosers choose on their own, as clients that approve or reject everything.
var choosers = map[string]func(options []object) string{
	"the first":                func(o []object) string { return id(o[0]) },
	"the last":                 func(o []object) string { return id(o[len(o)-1]) },
	"none":                     func([]object) string { return "" },
	"allow-once":               func([]object) string { return "allow-once" },
	"a number":                 func([]object) string { return "0" },
	"first allow, else first":  func(o []object) string { return byKind(o, 0, "allow_once", "allow_always") },
	"always, else once":        func(o []object) string { return byKind(o, 0, "allow_always", "allow_once") },
	"reject, else cancel":      func(o []object) string { return byKind(o, -1, "reject_once", "reject_always") },
	"reject, else first":       func(o []object) string { return byKind(o, 0, "reject_once", "reject_always") },
	"last of a kind":           func(o []object) string { slices.Reverse(o); return byKind(o, 0, "allow_once", "allow_always") },
	"id or kind has allow":     func(o []object) string { return has(o, "allow") },
	"id or name has yes or ok": func(o []object) string { return has(o, "ok") },
}

func id(option object) string { return option["optionId"].(string) }

// byKind chooses the first option of the first kind that exists, or the option with that index.
func byKind(options []object, fallback int, kinds ...string) string {
	for _, kind := range kinds {
		for _, o := range options {
			if o["kind"] == kind {
				return id(o)
			}
		}
	}
	if fallback < 0 {
		return ""
	}
	return id(options[fallback])
}

func has(options []object, part string) string {
	for _, o := range options {
		if strings.Contains(fmt.Sprint(o["kind"], o["optionId"]), part) {
			return id(o)
		}
	}
	return ""
}

func TestAutomaticChoicesAreNotAnswers(t *testing.T) {
	for name, choose := range choosers {
		for i, request := range asked {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				got, _ := json.Marshal(connect(t).ask(i+1, request.method, request.params, choose))
				switch string(got) {
				case `{"action":"decline"}`, `{"action":"cancel"}`, `{"outcome":{"outcome":"skipped"}}`, `{"outcome":{"outcome":"cancelled"}}`:
				default:
					t.Errorf("the agent is told %s", got)
				}
			})
		}
	}
}

// A response that does not choose an answer is not one, even if it looks similar.
func TestInvalidChoicesAreNotAnswers(t *testing.T) {
	selected := object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}
	for name, response := range map[string]object{
		"a result and an error":  {"result": selected, "error": object{"code": 1, "message": "no"}},
		"an id that was left":    {"result": object{"outcome": object{"outcome": "cancelled", "optionId": "choice-0"}}},
		"the answer after all":   {"result": object{"outcome": object{"outcome": "selected", "optionId": "choice-2"}}},
		"the answer before all":  {"result": object{"outcome": object{"outcome": "selected", "optionId": "choice--1"}}},
		"an outcome of no one's": {"result": object{"outcome": "selected", "optionId": "choice-0"}},
	} {
		c := connect(t)
		c.agent(object{"id": 1, "method": "elicitation/create", "params": form(nil, object{"x": yesOrNo})})
		response["id"] = c.toClient[len(c.toClient)-1]["id"]
		c.client(response)
		if len(c.toAgent) != 1 || fmt.Sprint(c.toAgent[0]["result"]) != "map[action:cancel]" {
			t.Errorf("%s: the agent gets %v", name, c.toAgent)
		}
	}
}

// Ambiguous answers are not asked, and a long title is cut.
func TestWhatIsAsked(t *testing.T) {
	long := strings.Repeat("é ", 600)
	for field, want := range map[string]string{
		`{"type":"boolean"}`: "Well? x",
		`{"type":"boolean","title":"` + long[:len("é ")*246] + `x"}`: "Well? " + long[:len("é ")*246] + "x",
		`{"type":"boolean","title":"` + long[:len("é ")*247] + `x"}`: long[:len("é ")*247] + "x",
		`{"type":"boolean","title":"` + long + `"}`:                  strings.Repeat("é ", 250) + "…",
		`{"type":"boolean","type":"string"}`:                         "",
		`{"type":"string","enum":["a"],"enum":["b"]}`:                "",
	} {
		c := connect(t)
		line := `{"id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Well?","requestedSchema":{"properties":{"x":` + field + `,"y":{"type":"boolean"}}}}}`
		c.Says(dispatch.Agent, line)
		c.take()
		var got string
		for _, m := range c.toClient {
			if m["method"] == "session/request_permission" {
				got = m["params"].(object)["toolCall"].(object)["title"].(string)
			}
		}
		if got != want {
			t.Errorf("%.60s is asked as %q, want %q", field, got, want)
		}
	}
}

// After a new initialize, the client may know methods that it did not know before.
func TestAnotherClientIsAskedAnew(t *testing.T) {
	c := connect(t)
	known := func(id int) bool {
		c.toClient = nil
		c.agent(object{"id": id, "method": "cursor/ask_question", "params": cursor})
		return c.toClient[0]["method"] == "cursor/ask_question"
	}
	first := known(1)
	c.client(object{"id": 1, "error": object{"code": -32601, "message": "Method not found"}})
	second := known(2)
	c.client(object{"id": 3, "method": "initialize", "params": object{"protocolVersion": 1, "clientCapabilities": object{}}})
	c.agent(object{"id": 3, "result": object{"protocolVersion": 1}})
	if third := known(4); !first || second || !third {
		t.Errorf("the client is given the requests: %v %v %v, want all but the second", first, second, third)
	}
}

// The agent gets exactly what the user has chosen.
func TestEachAnswerReachesTheAgent(t *testing.T) {
	values := map[string][]any{"a": {true, false}, "b": {"red", "blue"}, "c": {"s", "m", "l"}}
	fields := object{"a": yesOrNo, "b": colours, "c": sizes}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		var required []string
		some := object{}
		for name, field := range fields {
			if random.IntN(3) > 0 {
				some[name] = field
			}
			if random.IntN(2) > 0 {
				required = append(required, name)
			}
		}
		if len(some) == 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(some)) // as encoding/json writes them
		want, action, at := object{}, "", 0
		got := connect(t).ask(i+1, "elicitation/create", form(required, some), func(options []object) string {
			choice := random.IntN(len(options) + 1)
			if choice == 0 && id(options[0]) == "again" {
				return "again"
			}
			name := names[at]
			at++
			switch {
			case choice == len(options):
				action = "cancel"
				return ""
			case choice == 0, choice == len(options)-1 && slices.Contains(required, name):
				action = "decline"
			case choice < len(options)-1:
				want[name] = values[name][choice-1]
			}
			return id(options[choice])
		})
		expected := object{"action": "accept", "content": want}
		if action == "" && len(want) == 0 {
			action = "decline"
		}
		if action != "" {
			expected = object{"action": action}
		}
		if !reflect.DeepEqual(got, any(expected)) {
			t.Fatalf("%v of %v, required %v: got %v, want %v", at, names, required, got, expected)
		}
	}
}

// The first option asks the question again, because its key is easily pressed by accident. The
// second time it declines.
func TestTheFirstOptionAsksOnceMore(t *testing.T) {
	for _, first := range []int{0, 1, 2} { // how often it is chosen
		var seen []string
		got := connect(t).ask(1, "elicitation/create", form([]string{"a"}, object{"a": yesOrNo}), func(options []object) string {
			seen = append(seen, id(options[0]))
			if len(seen) <= first {
				return id(options[0])
			}
			return id(options[1])
		})
		want, asked := object{"action": "accept", "content": object{"a": true}}, []string{"again", "leave"}[:min(first+1, 2)]
		if first == 2 {
			want = object{"action": "decline"}
		}
		if !reflect.DeepEqual(got, any(want)) || !slices.Equal(seen, asked) {
			t.Errorf("chosen %d times: %v, the first options were %q", first, got, seen)
		}
	}
}

// The tool call has the title of a question, and the request has the rest.
func TestTextIsNotRepeated(t *testing.T) {
	for message, want := range map[string][2]string{
		"Proceed?":               {"Proceed?", ""},
		"Proceed?\nIt is late.":  {"Proceed?", "It is late."},
		"Proceed?\n\n- a\n- b\n": {"Proceed?", "- a\n- b"},
	} {
		c := connect(t)
		c.agent(object{"id": 1, "method": "elicitation/create", "params": object{"mode": "form", "sessionId": "s", "message": message, "requestedSchema": object{"properties": object{}}}})
		line, _ := json.Marshal(c.toClient)
		call := c.toClient[1]["params"].(object)["toolCall"].(object)
		text := ""
		if content, ok := call["content"].([]any); ok {
			text = content[0].(object)["content"].(object)["text"].(string)
		}
		if got := [2]string{call["title"].(string), text}; got != want || text != "" && strings.Count(string(line), fmt.Sprintf("%q", text)) != 1 {
			t.Errorf("%q is asked as %q: %s", message, got, line)
		}
	}
}

func TestFormsThatCannotBeAskedAreDeclined(t *testing.T) {
	text := object{"type": "string", "title": "Name"}
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprint("v", i)
	}
	for name, params := range map[string]object{
		"a text":               form(nil, object{"a": text}),
		"a text with a choice": form(nil, object{"a": yesOrNo, "b": text}),
		"a note that must be":  form([]string{"a_note"}, object{"a": yesOrNo, "a_note": text}),
		"a number":             form(nil, object{"a": object{"type": "integer"}}),
		"several choices":      form(nil, object{"a": object{"type": "array", "items": object{"enum": []string{"x"}}}}),
		"many answers":         form(nil, object{"a": object{"type": "string", "enum": many}}),
		"a value that is none": form(nil, object{"a": object{"type": "string", "enum": []any{"x", 1}}}),
		"no schema":            {"mode": "form", "sessionId": "s", "message": "Well?"},
		"no object":            form(nil, object{"a": true}),
		"a note of no text":    form(nil, object{"a": yesOrNo, "a_note": object{"type": "integer"}}),
		"a note with a list":   form(nil, object{"a": yesOrNo, "a_note": object{"type": "string", "enum": many}}),
		"a long message":       {"mode": "form", "sessionId": "s", "message": strings.Repeat("x", 70_000)},
		"a long one":           form(nil, object{"a": object{"type": "boolean", "title": strings.Repeat("x", 70_000)}}),
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			got := c.ask(1, "elicitation/create", params, func([]object) string { t.Fatal("asked"); return "" })
			if !reflect.DeepEqual(got, any(object{"action": "decline"})) || len(c.toClient) != 1 {
				t.Fatalf("got %v, the reader gets %v", got, c.toClient)
			}
			if line, _ := json.Marshal(c.toClient[0]); !bytes.Contains(line, []byte("agent_message_chunk")) || len(line) > 4000 {
				t.Errorf("the reader gets %.300s", line)
			}
		})
	}
}

// Dialogues beyond the limit are declined. The others end independently.
func TestDialoguesAreBounded(t *testing.T) {
	c := connect(t)
	for i := range 20 {
		c.agent(object{"id": i + 1, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo})})
	}
	if len(c.toAgent) != 4 {
		t.Fatalf("%d are declined, want 4", len(c.toAgent))
	}
	c.toAgent = nil
	var requests []object
	for _, m := range c.toClient {
		if m["method"] == "session/request_permission" {
			requests = append(requests, m)
		}
	}
	slices.Reverse(requests)
	for i, m := range requests {
		c.client(object{"id": m["id"], "result": object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}})
		if len(c.toAgent) != i+1 || fmt.Sprint(c.toAgent[i]["id"]) != fmt.Sprint(len(requests)-i) {
			t.Fatalf("the agent gets %v", c.toAgent)
		}
	}
}

func TestAClientThatIsGoneCancels(t *testing.T) {
	c := connect(t)
	c.agent(object{"id": 1, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo, "b": yesOrNo})})
	c.Agent.Close()
	c.client(object{"id": "own-1", "result": object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}})
	if got := fmt.Sprint(c.toAgent); !strings.Contains(got, "action:cancel") {
		t.Errorf("the agent gets %s", got)
	}
}

// A question that the client got before a cancel is not asked after it.
func TestARefusalAfterACancelStaysARefusal(t *testing.T) {
	c := connect(t)
	c.agent(object{"id": 1, "method": "cursor/ask_question", "params": cursor})
	c.client(object{"method": "session/cancel", "params": object{"sessionId": "s"}})
	c.client(object{"id": 1, "error": object{"code": -32601, "message": "Method not found"}})
	if len(c.toClient) != 1 || len(c.toAgent) != 2 || c.toAgent[1]["error"] == nil {
		t.Errorf("the client gets %v, the agent %v", c.toClient, c.toAgent)
	}
}

func FuzzNothingToDo(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","sessionId":"s","message":"m"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"m","requestedSchema":{"properties":{"a":{"type":"boolean"}}}}}`)
	f.Add(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
	f.Add(`{"jsonrpc":"2.0","id":2,"method":"cursor/task","params":null}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") {
			t.Skip()
		}
		c := connect(t)
		for _, d := range []*dispatch.Direction{c.Agent, c.Client} {
			out, change := d.Rewrite(nil, []byte(line))
			by := change.Names()
			if len(by) == 0 && string(out) != line && !strings.Contains(line, "own-") {
				t.Errorf("%q becomes %q", line, out)
			}
			if len(by) > 0 && !strings.Contains(line, "form") && !strings.Contains(line, "initialize") {
				t.Errorf("%q becomes %q by %v", line, out, by)
			}
		}
	})
}

// A title or a description that the message has already is not added to it.
func TestAQuestionIsSaidOnce(t *testing.T) {
	note := object{"type": "string", "title": "Other"}
	field := func(title, description string) object {
		return object{"type": "boolean", "title": title, "description": description}
	}
	for _, test := range []struct {
		message string
		fields  object
		want    []string
	}{
		{"Which colour?", object{"a": field("Colour", "")}, []string{"Which colour?"}},
		{"Which colour?", object{"a": field("Colour", ""), "a_custom": note}, []string{"Which colour?"}},
		{"Which colour?", object{"a": field("Which colour?", "Which colour?")}, []string{"Which colour?"}},
		{"Colour", object{"a": field("Which colour?", "")}, []string{"Which colour?"}},
		{"Please answer.", object{"a": field("Colour", "Which colour?")}, []string{"Please answer. Which colour?"}},
		{"Where are they kept?", object{"a": field("Storage", "")}, []string{"Where are they kept? Storage"}},
		{"Where are they kept?", object{"question_0": field("", ""), "question_0_custom": note}, []string{"Where are they kept?"}},
		{"A category?", object{"a": field("Cat", "")}, []string{"A category? Cat"}},
		{"Why?", object{"a": field("?", "")}, []string{"Why? ?"}},
		{"", object{"size": field("", "")}, []string{"size"}},
		{"Choose colour and size", object{"a": field("Colour", ""), "b": field("Size", "")}, []string{"Choose colour and size Colour", "Choose colour and size Size"}},
		{"Tests", object{"a": field("Tests", "Which tests?"), "b": field("More", ""), "c": field("", "")}, []string{"Tests: Which tests?", "More", "c"}},
	} {
		c := connect(t)
		params := form(nil, test.fields)
		params["message"] = test.message
		c.agent(object{"id": 1, "method": "elicitation/create", "params": params})
		var got []string
		for len(c.toClient) > 0 && len(got) < 10 {
			m := c.toClient[0]
			if c.toClient = c.toClient[1:]; m["method"] == "session/request_permission" {
				got = append(got, m["params"].(object)["toolCall"].(object)["title"].(string))
				c.client(object{"id": m["id"], "result": object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}})
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q with %v is asked as %q, want %q", test.message, test.fields, got, test.want)
		}
	}
}

// A question about a call that the client has is asked for that call, which stays the agent's.
func TestTheAgentsCallIsUsed(t *testing.T) {
	call := func(session, id string) object {
		return object{"method": "session/update", "params": object{"sessionId": session, "update": object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "Ask"}}}
	}
	about := func(id any, params object) object {
		params = maps.Clone(params)
		params["toolCallId"] = id
		return params
	}
	for name, test := range map[string]struct {
		announced []object
		method    string
		params    object
		want      string // the id of the call; "" is one of acpshim
	}{
		"a form":            {[]object{call("s", "t")}, "elicitation/create", about("t", form(nil, object{"a": yesOrNo, "b": colours})), "t"},
		"Cursor":            {[]object{call("s", "t")}, "cursor/ask_question", cursor, "t"},
		"another call":      {[]object{call("s", "u")}, "elicitation/create", about("t", form(nil, object{"a": yesOrNo, "b": colours})), ""},
		"another session's": {[]object{call("other", "t")}, "elicitation/create", about("t", form(nil, object{"a": yesOrNo})), ""},
		"no call":           {[]object{call("s", "t")}, "elicitation/create", form(nil, object{"a": yesOrNo}), ""},
		"null":              {[]object{call("s", "t")}, "elicitation/create", about(nil, form(nil, object{"a": yesOrNo})), ""},
	} {
		c := connect(t)
		for i, session := range []string{"s", "other"} {
			c.client(object{"id": i, "method": "session/load", "params": object{"sessionId": session}})
			c.agent(object{"id": i, "result": object{}})
		}
		for _, m := range test.announced {
			c.agent(m)
		}
		c.toClient, c.toAgent = nil, nil
		ids, others := map[string]bool{}, 0
		c.agent(object{"id": 9, "method": test.method, "params": test.params})
		for len(c.toClient) > 0 {
			m := c.toClient[0]
			c.toClient = c.toClient[1:]
			switch m["method"] {
			case "session/request_permission":
				ids[m["params"].(object)["toolCall"].(object)["toolCallId"].(string)] = true
				c.client(object{"id": m["id"], "result": object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}})
			case test.method:
				c.client(object{"id": m["id"], "error": object{"code": -32601, "message": "Method not found"}})
			case "session/update":
				others++
			}
		}
		if len(c.toAgent) != 1 || ids["t"] != (test.want == "t") || (others == 0) != (test.want == "t") || test.want == "t" && len(ids) != 1 {
			t.Errorf("%s: the calls %v, %d updates, and the agent gets %v", name, ids, others, c.toAgent)
		}
	}
}
