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

// A world is an agent with two sessions, and a client with a view of each. The agent responds in
// any order, loads sessions in other forms, sets other values than requested, and changes one
// choice because of another.
type world struct {
	t                     *testing.T
	r                     *rand.Rand
	fromClient, fromAgent *dispatch.Direction
	agents                map[string]*worldAgent
	clients               map[string]*worldClient
	queue                 []object // to the agent
	responses             []func() object
	owed                  map[float64]string // the methods of pending requests, by id
	params                map[float64]object
	id                    float64
	log                   []string
}

type object = map[string]any

type worldAgent struct {
	agent
	more int // options that came later
}

type worldClient struct {
	lists, options, ids [2]string
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\nafter\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 2)), id: 10,
		agents: map[string]*worldAgent{}, clients: map[string]*worldClient{"s": {}, "t": {}},
		owed: map[float64]string{}, params: map[float64]object{},
	}
	c := conversation.New(conversation.Options{})
	a := choices.New(c, dispatch.NewOwnRequests("own-"), func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
	w.fromClient, w.fromAgent = b.Client, b.Agent
	return w
}

func (w *world) read(lines []byte) (out []object) {
	for line := range bytes.Lines(lines) {
		var batch []object
		if json.Unmarshal(line, &batch) == nil {
			out = append(out, batch...)
			continue
		}
		var m object
		if err := json.Unmarshal(line, &m); err != nil {
			w.fail("%s: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}

func (w *world) pass(d *dispatch.Direction, messages ...object) []object {
	var line []byte
	if len(messages) == 1 {
		line, _ = json.Marshal(messages[0])
	} else {
		line, _ = json.Marshal(messages)
	}
	out, _ := wire.Apply(d, nil, append(line, '\n'))
	if d == w.fromAgent { // what was refused is asked again
		w.queue = append(w.queue, w.read(wire.DrainAll(w.fromClient))...)
	}
	return w.read(out)
}

func (w *world) toAgent(m ...object)  { w.queue = append(w.queue, w.pass(w.fromClient, m...)...) }
func (w *world) toClient(m ...object) { w.take(w.pass(w.fromAgent, m...)) }

// take handles messages for the client. Each request gets one correct response.
func (w *world) take(messages []object) {
	for _, m := range messages {
		raw, _ := json.Marshal(m)
		w.log = append(w.log, "  -> client "+string(raw))
		if m["method"] == nil {
			w.answered(m)
			continue
		}
		params := m["params"].(object)
		update := params["update"].(object)
		c := w.clients[params["sessionId"].(string)]
		switch update["sessionUpdate"] {
		case "current_mode_update":
			c.lists[0] = update["currentModeId"].(string)
		case "config_option_update":
			w.options(c, update["configOptions"])
		}
	}
}

func (w *world) answered(m object) {
	id := m["id"].(float64)
	method, params := w.owed[id], w.params[id]
	if method == "" && id != 0 {
		w.fail("%v is answered again", id)
	}
	delete(w.owed, id)
	result, ok := m["result"].(object)
	if !ok || id == 0 {
		return
	}
	c := w.clients[params["sessionId"].(string)]
	switch method {
	case "session/load":
		*c = worldClient{}
		for i, n := range names {
			if list, ok := result[n.list].(object); ok {
				c.lists[i] = list[n.current].(string)
			}
		}
		w.options(c, result["configOptions"])
	case "session/set_config_option":
		w.options(c, result["configOptions"])
	default:
		if result["configOptions"] != nil {
			w.fail("%s is answered with options", method)
		}
		for i, n := range names {
			if n.method == method {
				c.lists[i] = params[n.param].(string)
			}
		}
	}
}

// options has the client take all options: ids are unique, and so are choices.
func (w *world) options(c *worldClient, raw any) {
	options, _ := raw.([]any)
	ids := map[any]bool{}
	c.ids, c.options = [2]string{}, [2]string{}
	for _, o := range options {
		option := o.(object)
		if ids[option["id"]] {
			w.fail("two options are called %v", option["id"])
		}
		ids[option["id"]] = true
		for i, n := range names {
			if option["category"] != n.category {
				continue
			}
			if c.ids[i] != "" {
				w.fail("two options for the %s", n.category)
			}
			c.ids[i], c.options[i] = option["id"].(string), option["currentValue"].(string)
		}
	}
}

func (a *worldAgent) all() []any {
	options := a.options()
	for i := range a.more {
		options = append(options, object{"id": []string{"mode", "model", "acpshim_mode"}[i], "name": "Other", "type": "boolean", "currentValue": true})
	}
	return options
}

func (w *world) open(session string) {
	a := &worldAgent{agent: agent{current: [2]string{"a", "a"}}}
	for i := range names {
		a.offers[i] = []forms{{true, false}, {false, true}}[w.r.IntN(2)]
	}
	w.agents[session] = a
	w.ask("session/load", object{"sessionId": session, "cwd": "/"})
}

func (w *world) ask(method string, params object) object {
	w.id++
	w.owed[w.id], w.params[w.id] = method, params
	m := object{"jsonrpc": "2.0", "id": w.id, "method": method, "params": params}
	raw, _ := json.Marshal(m)
	w.log = append(w.log, "client "+string(raw))
	return m
}

// work carries out a request of the agent. What the agent sends follows, in order.
func (w *world) work(m object) {
	raw, _ := json.Marshal(m)
	w.log = append(w.log, "  agent is asked "+string(raw))
	id, params := m["id"], m["params"].(object)
	session := params["sessionId"].(string)
	a := w.agents[session]
	if m["method"] == "session/load" {
		w.responses = append(w.responses, func() object {
			result := a.session()
			delete(result, "sessionId")
			if options := a.all(); len(options) > 0 {
				result["configOptions"] = options
			}
			return object{"jsonrpc": "2.0", "id": id, "result": result}
		})
		return
	}
	before := a.current
	result, code := a.respond(m["method"].(string), params)
	if code != 0 {
		w.fail("the agent does not know %s", raw)
	}
	if a.offers[0].option && a.offers[1].option && w.r.IntN(3) == 0 {
		a.current[0] = []string{"a", "b"}[w.r.IntN(2)] // as the model may rule a mode out, or the mode asked for
	}
	if before[0] != a.current[0] && a.offers[0].list {
		w.toClient(w.update(session, "current_mode_update", "currentModeId", a.current[0]))
	}
	isOption := m["method"] == "session/set_config_option"
	w.responses = append(w.responses, func() object {
		if isOption {
			result = object{"configOptions": a.all()}
		}
		return object{"jsonrpc": "2.0", "id": id, "result": result}
	})
}

func (w *world) update(session, update, name string, value any) object {
	m := object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": session, "update": object{"sessionUpdate": update, name: value}}}
	raw, _ := json.Marshal(m)
	w.log = append(w.log, "agent "+string(raw))
	return m
}

// respond sends up to n of the responses that are due, one of them first that came last, perhaps as
// a batch.
func (w *world) respond(n int) {
	var batch []object
	for ; n > 0 && len(w.responses) > 0; n-- {
		i := w.r.IntN(len(w.responses))
		batch = append(batch, w.responses[i]())
		w.responses = slices.Delete(w.responses, i, i+1)
	}
	if len(batch) > 0 {
		w.log = append(w.log, fmt.Sprint("agent responds ", batch))
		w.toClient(batch...)
	}
}

func (w *world) drain() {
	for len(w.queue) > 0 || len(w.responses) > 0 {
		queue := w.queue
		w.queue = nil
		for _, m := range queue {
			w.work(m)
		}
		w.respond(3)
	}
}

// step does one thing: one or two calls, a change by the agent, or a session/load.
func (w *world) step() {
	session := []string{"s", "t"}[w.r.IntN(2)]
	a, c := w.agents[session], w.clients[session]
	i, value := w.r.IntN(2), []string{"a", "b"}[w.r.IntN(2)]
	call := func(isList bool) object {
		if isList {
			return w.ask(names[i].method, object{"sessionId": session, names[i].param: value})
		}
		return w.ask("session/set_config_option", object{"sessionId": session, "configId": c.ids[i], "value": value})
	}
	switch w.r.IntN(8) {
	case 0, 1:
		w.toAgent(call(true))
	case 2, 3:
		w.toAgent(call(false))
	case 4:
		w.toAgent(call(w.r.IntN(2) == 0), call(w.r.IntN(2) == 0))
	case 5:
		w.drain()
		a.more = min(a.more+w.r.IntN(2), 3)
		was := a.current[i]
		a.current[i] = value
		switch {
		case i == 0 && a.offers[0].list:
			w.toClient(w.update(session, "current_mode_update", "currentModeId", value))
		case a.offers[i].option:
			w.toClient(w.update(session, "config_option_update", "configOptions", a.all()))
		default:
			a.current[i] = was // it has no way to tell
		}
	case 6:
		w.drain()
		if w.r.IntN(3) == 0 {
			w.open(session)
			w.toAgent(w.ask("session/load", w.params[w.id]))
			delete(w.owed, w.id-1) // asked twice would be another test
			w.drain()
		}
	case 7:
		queue := w.queue
		w.queue = nil
		for _, m := range queue {
			w.work(m)
		}
		w.respond(w.r.IntN(3))
	}
}

// Each request gets one correct response. The agent gets no form that it does not offer. No option
// appears twice. Finally, both views agree with the agent.
func TestWorldAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for seed := range uint64(75) {
		w := newWorld(t, seed)
		for _, session := range []string{"s", "t"} {
			w.open(session)
			w.toAgent(object{"jsonrpc": "2.0", "id": w.id, "method": "session/load", "params": w.params[w.id]})
			w.drain()
		}
		for range 25 {
			w.step()
			if w.r.IntN(2) == 0 {
				w.drain()
				w.compare(seed)
			}
		}
		w.drain()
		w.compare(seed)
	}
}

func (w *world) compare(seed uint64) {
	w.t.Helper()
	if len(w.owed) > 0 {
		w.fail("seed %d: never answered: %v", seed, w.owed)
	}
	for session, a := range w.agents {
		c := w.clients[session]
		if c.options != a.current || c.lists[0] != a.current[0] {
			w.fail("seed %d, session %s as %v: the agent has %v, options %v, lists %v", seed, session, a.offers, a.current, c.options, c.lists)
		}
	}
}
