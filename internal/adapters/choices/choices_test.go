package choices_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/adapters/choices"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// forms are the forms in which an agent offers a choice.
type forms struct{ list, option bool }

func (f forms) String() string {
	switch f {
	case forms{true, true}:
		return "list and option"
	case forms{true, false}:
		return "list"
	case forms{false, true}:
		return "option"
	}
	return "nothing"
}

// names are the differences between modes and models.
var names = [2]struct{ category, list, available, current, id, method, param string }{
	{"mode", "modes", "availableModes", "currentModeId", "id", "session/set_mode", "modeId"},
	{"model", "models", "availableModels", "currentModelId", "modelId", "session/set_model", "modelId"},
}

// An agent offers modes and models in some forms.
type agent struct {
	offers  [2]forms
	refuses [2]bool // it does not know the method of the list, although it offers one
	current [2]string
	extra   bool // it has another option
	echoes  bool // it tells each change that it was asked for, too
}

func (a *agent) options() []any {
	options := []any{}
	if a.extra {
		options = append(options, map[string]any{"id": "extra", "name": "Extra", "type": "boolean", "currentValue": true})
	}
	for i, n := range names {
		if a.offers[i].option {
			options = append(options, map[string]any{"id": "its " + n.category, "name": n.category, "category": n.category, "type": "select", "currentValue": a.current[i],
				"options": []any{map[string]any{"value": "a", "name": "A"}, map[string]any{"value": "b", "name": "B", "description": "second"}}})
		}
	}
	return options
}

func (a *agent) session() map[string]any {
	result := map[string]any{"sessionId": "s"}
	for i, n := range names {
		if a.offers[i].list {
			result[n.list] = map[string]any{n.current: a.current[i], n.available: []any{
				map[string]any{n.id: "a", "name": "A"}, map[string]any{n.id: "b", "name": "B", "description": "second"}}}
		}
	}
	if options := a.options(); len(options) > 0 {
		result["configOptions"] = options
	}
	return result
}

// respond returns the result of a request, or the code of an error.
func (a *agent) respond(method string, params map[string]any) (result any, code int) {
	for i, n := range names {
		switch {
		case method == n.method && a.offers[i].list && !a.refuses[i]:
			a.current[i], _ = params[n.param].(string)
			return map[string]any{}, 0
		case method == "session/set_config_option" && params["configId"] == "its "+n.category && a.offers[i].option:
			a.current[i], _ = params["value"].(string)
			return map[string]any{"configOptions": a.options()}, 0
		}
	}
	if method == "session/set_config_option" && params["configId"] == "extra" && a.extra {
		return map[string]any{"configOptions": a.options()}, 0
	}
	return nil, -32601
}

// updates returns what an agent sends after it has changed a choice on its own.
func (a *agent) updates(i int) (updates []any) {
	if i == 0 && a.offers[i].list {
		updates = append(updates, map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": a.current[i]})
	}
	if a.offers[i].option {
		updates = append(updates, map[string]any{"sessionUpdate": "config_option_update", "configOptions": a.options()})
	}
	return updates
}

// A client records what it was sent in each form.
type client struct {
	lists   [2]string
	options [2]string
	ids     [2]string // of the options
	told    []string  // each update, by form, that changed nothing
}

func (c *client) takeOptions(raw any) {
	options, _ := raw.([]any)
	for _, o := range options {
		option := o.(map[string]any)
		for i, n := range names {
			if option["category"] == n.category {
				c.ids[i], c.options[i] = option["id"].(string), option["currentValue"].(string)
			}
		}
	}
}

// A connection is an agent and a client with an adapter between them.
type connection struct {
	t                     *testing.T
	fromClient, fromAgent *dispatch.Direction
	agent                 *agent
	client                client
	again                 []byte // what the adapter sends to the agent
	id                    int
}

func connect(t *testing.T, a *agent) *connection {
	t.Helper()
	talk := &connection{t: t, agent: a}
	c := conversation.New(conversation.Options{})
	adapter := choices.New(c, dispatch.NewOwnRequests("own-"), func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{adapter}}).Negotiate(1)
	talk.fromClient, talk.fromAgent = b.Client, b.Agent
	talk.pass(talk.fromClient, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": map[string]any{}})
	opened := talk.pass(talk.fromAgent, map[string]any{"jsonrpc": "2.0", "id": 1, "result": a.session()})[0]["result"].(map[string]any)
	for i, n := range names {
		if list, ok := opened[n.list].(map[string]any); ok {
			talk.client.lists[i] = list[n.current].(string)
			if got := len(list[n.available].([]any)); got != 2 {
				t.Errorf("%d choices in %s", got, n.list)
			}
		}
	}
	talk.client.takeOptions(opened["configOptions"])
	talk.id = 1
	return talk
}

// pass sends a message, and returns the result.
func (c *connection) pass(d *dispatch.Direction, message any) (out []map[string]any) {
	c.t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	passed, by := wire.Apply(d, nil, append(line, '\n'))
	if string(passed) != string(line)+"\n" && slices.ContainsFunc(by.By, func(c wire.Cause) bool { return c.Why.Text == "" }) {
		c.t.Errorf("%s became %s without a reason", line, passed)
	}
	if d == c.fromAgent {
		c.again = append(c.again, wire.DrainAll(c.fromClient)...)
	}
	return c.read(passed)
}

func (c *connection) read(lines []byte) (out []map[string]any) {
	for line := range bytes.Lines(lines) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}

// toClient handles messages for the client. It returns the last response among them.
func (c *connection) toClient(messages []map[string]any) (response map[string]any) {
	for _, m := range messages {
		if m["method"] == nil {
			response = m
			continue
		}
		update := m["params"].(map[string]any)["update"].(map[string]any)
		before := c.client
		switch update["sessionUpdate"] {
		case "current_mode_update":
			c.client.lists[0] = update["currentModeId"].(string)
		case "config_option_update":
			c.client.takeOptions(update["configOptions"])
		}
		if before.lists == c.client.lists && before.options == c.client.options {
			c.client.told = append(c.client.told, update["sessionUpdate"].(string))
		}
	}
	return response
}

// call has the client set a choice, and returns the response.
func (c *connection) call(method string, params map[string]any) map[string]any {
	c.t.Helper()
	c.id++
	params["sessionId"] = "s"
	requests := c.pass(c.fromClient, map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for range 3 {
		for _, r := range requests {
			reply := map[string]any{"jsonrpc": "2.0", "id": r["id"]}
			result, code := c.agent.respond(r["method"].(string), r["params"].(map[string]any))
			if reply["result"] = result; code != 0 {
				delete(reply, "result")
				reply["error"] = map[string]any{"code": code, "message": "no"}
			}
			response := c.toClient(c.pass(c.fromAgent, reply))
			for i := range names {
				if c.agent.echoes {
					c.change(i, c.agent.current[i])
				}
			}
			if response != nil {
				return response
			}
		}
		requests, c.again = c.read(c.again), nil
	}
	c.t.Fatalf("%s was never answered", method)
	return nil
}

// setList sets a choice in its old form, and setOption in its new form.
func (c *connection) setList(i int, value string) bool {
	response := c.call(names[i].method, map[string]any{names[i].param: value})
	if response["error"] != nil {
		return false
	}
	if result, ok := response["result"].(map[string]any); !ok || result["configOptions"] != nil {
		c.t.Errorf("%s was answered with %v", names[i].method, response["result"])
	}
	c.client.lists[i] = value
	return true
}

func (c *connection) setOption(i int, value string) bool {
	response := c.call("session/set_config_option", map[string]any{"configId": c.client.ids[i], "value": value})
	if response["error"] != nil {
		return false
	}
	options, ok := response["result"].(map[string]any)["configOptions"].([]any)
	want := len(c.agent.options())
	for j := range names {
		if c.agent.offers[j].list && !c.agent.offers[j].option {
			want++
		}
	}
	if !ok || len(options) != want {
		c.t.Errorf("session/set_config_option was answered with %d options, want all %d", len(options), want)
	}
	c.client.takeOptions(options)
	return true
}

// change changes a choice on the agent's side.
func (c *connection) change(i int, value string) {
	c.agent.current[i] = value
	for _, update := range c.agent.updates(i) {
		c.toClient(c.pass(c.fromAgent, map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": "s", "update": update}}))
	}
}

// A choice that the client makes in either form reaches the agent and is shown in both forms,
// whatever forms the agent offers.
func TestEachFormReachesTheAgent(t *testing.T) {
	for _, offered := range []forms{{true, false}, {false, true}, {true, true}} {
		for i, n := range names {
			t.Run(fmt.Sprintf("%s as %v", n.category, offered), func(t *testing.T) {
				a := &agent{current: [2]string{"a", "a"}, extra: true}
				a.offers[i] = offered
				c := connect(t, a)
				if c.client.lists[i] != "a" || c.client.options[i] != "a" {
					t.Fatalf("told: %+v", c.client)
				}
				if !c.setList(i, "b") || a.current[i] != "b" {
					t.Errorf("set as a list: %+v", a.current)
				}
				if c.client.options[i] != "b" && offered != (forms{true, true}) {
					t.Errorf("then as an option: %q", c.client.options[i])
				}
				if !c.setOption(i, "a") || a.current[i] != "a" || c.client.options[i] != "a" {
					t.Errorf("set as an option: %+v", a.current)
				}
				if i == 0 && offered != (forms{true, true}) && c.client.lists[i] != "a" {
					t.Errorf("then as a list: %q", c.client.lists[i])
				}
			})
		}
	}
}

// What the agent does not offer is offered in no form.
func TestNoChoiceIsInvented(t *testing.T) {
	c := connect(t, &agent{current: [2]string{"a", "a"}})
	if c.client.lists != [2]string{} || c.client.options != [2]string{} {
		t.Errorf("told: %+v", c.client)
	}
	if c.setList(0, "b") {
		t.Error("a mode was set that nobody offers")
	}
}

// A call whose method the agent does not know is tried once in the other form. Later calls use that
// form at once.
func TestUnknownMethodIsTriedInTheOtherForm(t *testing.T) {
	a := &agent{current: [2]string{"a", "a"}, refuses: [2]bool{true, true}, offers: [2]forms{{true, true}, {true, false}}}
	c := connect(t, a)
	if !c.setList(0, "b") || a.current[0] != "b" {
		t.Errorf("a mode that can be set as an option: %q", a.current[0])
	}
	sent := c.pass(c.fromClient, map[string]any{"jsonrpc": "2.0", "id": 99, "method": "session/set_mode", "params": map[string]any{"sessionId": "s", "modeId": "a"}})
	if sent[0]["method"] != "session/set_config_option" {
		t.Errorf("the next call is %v", sent[0])
	}
	if c.setList(1, "b") {
		t.Error("a model was set that cannot be set")
	}
}

// A call that is refused for another reason is not tried again.
func TestARefusalForAReasonStays(t *testing.T) {
	c := connect(t, &agent{current: [2]string{"a", "a"}, offers: [2]forms{{true, true}}})
	c.pass(c.fromClient, map[string]any{"jsonrpc": "2.0", "id": 9, "method": "session/set_mode", "params": map[string]any{"sessionId": "s", "modeId": "b"}})
	got := c.pass(c.fromAgent, map[string]any{"jsonrpc": "2.0", "id": 9, "error": map[string]any{"code": -32602, "message": "no"}})
	if len(got) != 1 || got[0]["error"] == nil || len(c.again) != 0 {
		t.Errorf("the client gets %v, the agent %s", got, c.again)
	}
}

// In a session that was opened without a result, calls pass unchanged.
func TestNothingIsKnownOfASessionWithoutAResult(t *testing.T) {
	c := connect(t, &agent{offers: [2]forms{{list: true}}})
	c.pass(c.fromClient, map[string]any{"jsonrpc": "2.0", "id": 8, "method": "session/load", "params": map[string]any{"sessionId": "other"}})
	c.pass(c.fromAgent, map[string]any{"jsonrpc": "2.0", "id": 8, "result": nil})
	got := c.pass(c.fromClient, map[string]any{"jsonrpc": "2.0", "id": 9, "method": "session/set_config_option", "params": map[string]any{"sessionId": "other", "configId": "mode", "value": "a"}})
	if len(got) != 1 || got[0]["method"] != "session/set_config_option" {
		t.Errorf("the agent gets %v", got)
	}
}

// If the agent has very many options, none are added, because every update repeats all.
func TestVeryManyOptionsStayAsTheyAre(t *testing.T) {
	for size, want := range map[int]int{1000: 2, 300 << 10: 1} {
		c := connect(t, &agent{current: [2]string{"a", "a"}, offers: [2]forms{{list: true}}})
		options := []any{map[string]any{"id": "x", "type": "text", "name": strings.Repeat("n", size)}}
		got := c.pass(c.fromAgent, map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": "s",
			"update": map[string]any{"sessionUpdate": "config_option_update", "configOptions": options}}})
		told := got[0]["params"].(map[string]any)["update"].(map[string]any)["configOptions"].([]any)
		if len(told) != want {
			t.Errorf("after %d bytes of options the client has %d", size, len(told))
		}
	}
}

// In any order of calls and updates, both forms finally agree with the agent, and no update is
// repeated. Models have no update in the old form.
func TestBothFormsAgreeWithTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := &agent{current: [2]string{"a", "a"}, extra: r.IntN(2) == 0, echoes: r.IntN(2) == 0}
		for i := range names {
			a.offers[i] = []forms{{true, false}, {false, true}}[r.IntN(2)]
		}
		c := connect(t, a)
		var done []string
		for range 12 {
			i, value, what := r.IntN(2), []string{"a", "b"}[r.IntN(2)], r.IntN(3)
			done = append(done, fmt.Sprint(names[i].category, " ", value, " ", what))
			switch {
			case what == 0:
				c.setList(i, value)
			case what == 1:
				c.setOption(i, value)
			case i == 0 || a.offers[i].option: // else it has no way to tell
				c.client.told = nil
				if changed := a.current[i] != value; changed {
					c.change(i, value)
					if len(c.client.told) > 0 {
						t.Fatalf("seed %d, %v after %v: told twice: %v", seed, a.offers, done, c.client.told)
					}
				}
			}
			if c.client.options != a.current || c.client.lists[0] != a.current[0] {
				t.Fatalf("seed %d, %v after %v: the agent has %v, options %v, lists %v", seed, a.offers, done, a.current, c.client.options, c.client.lists)
			}
		}
	}
}

// If the agent offers nothing, or everything in both forms, every byte passes unchanged.
func FuzzNothingToDo(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[ ]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"b"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{"sessionId":"s","modeId":"b"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"b"}}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"configOptions":7}}`,
	} {
		f.Add(line, line, true)
		f.Add(`{"jsonrpc":"2.0","id":7,"method":"session/set_model","params":{"sessionId":"s","modelId":"b"}}`, line, false)
		f.Add(`{"jsonrpc":"2.0","id":7,"method":"session/set_config_option","params":{"sessionId":"s","configId":"its mode","value":"b"}}`, line, true)
	}
	f.Fuzz(func(t *testing.T, fromClient, fromAgent string, both bool) {
		a := &agent{current: [2]string{"a", "a"}, offers: [2]forms{{both, both}, {both, both}}}
		c := connect(t, a)
		for i, line := range []string{fromClient, fromAgent} {
			passed, _ := wire.Apply([]*dispatch.Direction{c.fromClient, c.fromAgent}[i], nil, []byte(line))
			if string(passed) != line {
				t.Errorf("%q\nbecame %q", line, passed)
			}
		}
	})
}
