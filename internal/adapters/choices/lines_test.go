package choices_test

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/adapters/choices"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// A relay is an adapter between two scripted peers.
type relay struct {
	*dispatchtest.Bench
	again string // what the adapter sent to the agent itself
}

func newRelay() *relay {
	c := conversation.New(conversation.Options{})
	a := choices.New(c, dispatch.NewOwnRequests("own-"), func(_, _ conversation.Implementation) bool { return true })
	return &relay{Bench: dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)}
}

// pass sends a line, and returns what comes out.
func (r *relay) pass(d *dispatch.Direction, line string) string {
	if d == r.Client {
		r.Says(dispatch.Client, line)
		_, out := r.Sent()
		return strings.TrimSuffix(strings.Join(out, ""), "\n")
	}
	r.Says(dispatch.Agent, line)
	out, again := r.Sent()
	r.again += strings.Join(again, "")
	return strings.TrimSuffix(strings.Join(out, ""), "\n")
}

// open opens the session s with a result.
func (r *relay) open(result string) string {
	r.pass(r.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
	return r.pass(r.Agent, `{"id":1,"result":`+result+`}`)
}

// set sends a request with the id 2 that sets a choice, and returns what the agent gets.
func (r *relay) set(method, members string) string {
	return r.pass(r.Client, `{"id":2,"method":"session/`+method+`","params":{"sessionId":"s",`+members+`}}`)
}

func (r *relay) update(members string) string {
	return r.pass(r.Agent, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":`+members+`}}}`)
}

const (
	modes   = `{"modes":{"currentModeId":"a","availableModes":[{"id":"a"},{"id":"b"}]}}`
	aSelect = `{"id":"m","category":"mode","type":"select","currentValue":"a","options":[{"value":"a"},{"value":"b"}]}`
	selects = `{"configOptions":[` + aSelect + `]}`
	both    = `{"modes":{"currentModeId":"a","availableModes":[{"id":"a"},{"id":"b"}]},"configOptions":[` + aSelect + `]}`
	unknown = `{"id":2,"error":{"code":-32601,"message":"no"}}`
)

func TestInvalidValuesAreLeftOut(t *testing.T) {
	for name, test := range map[string]struct{ result, want string }{
		"of a list": {
			`{"modes":{"currentModeId":"a","availableModes":[7,{"name":"none"},{"id":7},{"id":"b","value":"v"},{"id":"a"}]}}`,
			`"currentValue":"a","options":[{"value":"a"}]}]`},
		"of a select": {
			`{"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":"a","options":["x",{"value":"b","id":"i"},{"options":[{"value":"a"},{}]}]}]}`,
			`"availableModes":[{"id":"a"}]`},
	} {
		if got := newRelay().open(test.result); !strings.Contains(got, test.want) {
			t.Errorf("%s: the client gets\n%s\nwant in it\n%s", name, got, test.want)
		}
	}
}

// Invalid forms pass unchanged.
func TestInvalidFormsPassUnchanged(t *testing.T) {
	for _, result := range []string{
		`{"modes":{"currentModeId":7,"availableModes":[{"id":"a"}]}}`,
		`{"modes":{"availableModes":[{"id":"a"}]}}`,
		`{"modes":{"currentModeId":"a","currentModeId":"b","availableModes":[{"id":"a"}]}}`,
		`{"modes":{"currentModeId":"a","availableModes":[]}}`,
		`{"modes":{"currentModeId":"a","availableModes":[{"id":"a"}]},"configOptions":{}}`,
		`{"configOptions":[{"id":"m","category":"other","type":"select","currentValue":"a","options":[{"value":"a"}]}]}`,
		`{"configOptions":[{"id":"m","category":"mode","type":"text","currentValue":"a","options":[{"value":"a"}]}]}`,
		`{"configOptions":[{"id":7,"category":"mode","type":"select","currentValue":"a","options":[{"value":"a"}]}]}`,
		`{"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":7,"options":[{"value":"a"}]}]}`,
		`{"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":"a","options":[]}]}`,
		`{"modes":{"currentModeId":"a","availableModes":[{"id":"` + strings.Repeat("a", 256<<10) + `"}]}}`,
	} {
		if got := newRelay().open(result); got != `{"id":1,"result":`+result+`}` {
			t.Errorf("%.200s\nbecame %.200s", result, got)
		}
	}
}

// A call with members of both forms, or for another option, passes unchanged.
func TestAmbiguousCallsPassUnchanged(t *testing.T) {
	r := newRelay()
	r.open(selects)
	unanswered := `{"id":null,"method":"session/set_mode","params":{"sessionId":"s","modeId":"b"}}`
	if got := r.pass(r.Client, unanswered); got != unanswered {
		t.Errorf("%s\nbecame %s", unanswered, got)
	}
	for _, test := range []struct{ result, method, members string }{
		{selects, "set_mode", `"modeId":"b","configId":"m"`},
		{selects, "set_mode", `"modeId":"b","value":"b"`},
		{selects, "set_mode", `"modeId":7`},
		{modes, "set_config_option", `"configId":"mode","value":"b","modeId":"b"`},
		{modes, "set_config_option", `"configId":"other","value":"b"`},
		{modes, "set_config_option", `"configId":"mode","value":true`},
		{`{}`, "set_config_option", `"configId":"","value":"b"`},
		{both, "set_mode", `"modeId":"b"`},
	} {
		r := newRelay()
		r.open(test.result)
		want := `{"id":2,"method":"session/` + test.method + `","params":{"sessionId":"s",` + test.members + `}}`
		if got := r.set(test.method, test.members); got != want {
			t.Errorf("%s\nbecame %s", want, got)
		}
	}
}

// Records have the reasons.
func TestReasonsSayWhatWasDone(t *testing.T) {
	r := newRelay()
	r.open(selects)
	r.set("set_mode", `"modeId":"b"`)
	if !strings.Contains(r.Why, "in another form") {
		t.Errorf("a call in the other form: %q", r.Why)
	}
	r.pass(r.Agent, `{"id":2,"result":{"configOptions":[`+strings.Replace(aSelect, `:"a"`, `:"b"`, 1)+`]}}`)
	if !strings.Contains(r.Why, "in both forms") {
		t.Errorf("a response: %q", r.Why)
	}

	r = newRelay()
	r.open(both)
	r.set("set_mode", `"modeId":"b"`)
	if got := r.pass(r.Agent, unknown); got != "" || !strings.Contains(r.Why, "does not know the request") {
		t.Errorf("a refusal %q: %q", got, r.Why)
	}
}

// A call is sent again once. If the agent does not read any more, the client gets the refusal.
func TestARefusalReachesTheClientOnce(t *testing.T) {
	r := newRelay()
	r.open(both)
	r.set("set_mode", `"modeId":"b"`)
	r.pass(r.Agent, unknown)
	if got := r.pass(r.Agent, unknown); got != unknown || strings.Count(r.again, "\n") != 1 {
		t.Errorf("the client gets %q, the agent %q", got, r.again)
	}
	for _, test := range []struct{ result, members string }{
		{modes, `"modeId":"b"`}, // it has no other form
		{both, `"modeId":"b","_meta":"` + strings.Repeat("x", 5000) + `"`},
	} {
		r := newRelay()
		r.open(test.result)
		r.set("set_mode", test.members)
		if got := r.pass(r.Agent, unknown); got != unknown || r.again != "" {
			t.Errorf("the client gets %q, the agent %.200q", got, r.again)
		}
	}
	r = newRelay()
	r.open(both)
	r.set("set_mode", `"modeId":"b"`)
	r.Client.Close()
	if got := r.pass(r.Agent, unknown); got != unknown {
		t.Errorf("of an agent that takes nothing more the client gets %q", got)
	}
	if r.Conversation.Pending(dispatch.Client, []byte("2")) != nil {
		t.Error("then the request is still pending")
	}
}

// An agent may respond to a call without the new value.
func TestSuccessSetsTheValue(t *testing.T) {
	const told = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"b"}}}`
	for _, result := range []string{`{}`, `null`} {
		r := newRelay()
		r.open(selects)
		r.set("set_config_option", `"configId":"m","value":"b"`)
		response := `{"id":2,"result":` + result + `}`
		if got := r.pass(r.Agent, response); got != response+"\n"+told {
			t.Errorf("the client gets %s", got)
		}
	}
}

// Updates go after a whole batch, and repeat what its responses have reported.
func TestABatchOfResponses(t *testing.T) {
	r := newRelay()
	r.open(selects)
	r.set("set_mode", `"modeId":"b"`)
	got := r.pass(r.Agent, `[{"id":2,"result":{"configOptions":[`+strings.Replace(aSelect, `:"a"`, `:"b"`, 1)+`]}}]`)
	if lines := strings.Split(got, "\n"); lines[0] != `[{"id":2,"result":{}}]` || !strings.Contains(got, `"current_mode_update","currentModeId":"b"`) {
		t.Errorf("the client gets %s", got)
	}
}

// An unreadable response changes nothing, unless it opens the session.
func TestAResponseThatCannotBeRead(t *testing.T) {
	for method, isKnown := range map[string]bool{"set_mode": true, "load": false} {
		r := newRelay()
		r.open(modes)
		r.set(method, `"modeId":"b"`)
		r.pass(r.Agent, `{"id":2,"result":{},"result":{}}`)
		if got := r.update(`"current_mode_update","currentModeId":"b"`); strings.Contains(got, "config_option_update") != isKnown {
			t.Errorf("after a response to %s the client gets %s", method, got)
		}
	}
}

// An update that repeats what the client got is dropped once. A later one, or one with more
// members, passes.
func TestOnlyAnEchoIsDropped(t *testing.T) {
	for _, test := range []struct {
		members string
		want    [2]bool // what passes
	}{
		{`"current_mode_update","currentModeId":"b"`, [2]bool{false, true}},
		{`"current_mode_update","currentModeId":"b","_meta":{}`, [2]bool{true, true}},
	} {
		r := newRelay()
		r.open(modes)
		r.set("set_config_option", `"configId":"mode","value":"b"`)
		r.pass(r.Agent, `{"id":2,"result":{}}`)
		for _, want := range test.want {
			if got := r.update(test.members); (got != "") != want {
				t.Errorf("%s became %q", test.members, got)
			} else if !want && !strings.Contains(r.Why, "with the response") {
				t.Errorf("dropped, as %q", r.Why)
			}
		}
	}
}

// If one choice is reported as an option, the other options have their current values, too.
func TestAllOptionsSayWhatIsChosen(t *testing.T) {
	for value, want := range map[string]string{"b": "b", "none": "a"} {
		r := newRelay()
		r.open(strings.Replace(strings.TrimSuffix(both, "}"), aSelect, `{"id":"x","currentValue":7},`+aSelect, 1) + `,"models":{"currentModelId":"a","availableModels":[{"modelId":"a"},{"modelId":"b"}]}}`)
		r.update(`"current_mode_update","currentModeId":"` + value + `"`)
		r.set("set_model", `"modelId":"b"`)
		got := r.pass(r.Agent, `{"id":2,"result":{}}`)
		if !strings.Contains(got, `[{"id":"x","currentValue":7},`+strings.Replace(aSelect, `:"a"`, `:"`+want+`"`, 1)) {
			t.Errorf("of the mode %s the client gets %s", value, got)
		}
	}
}

// A response gets the missing options, and keeps its other members.
func TestAResponseIsCompleted(t *testing.T) {
	for _, test := range [][2]string{
		{`{"configOptions":[],"_meta":1.0}`, `{"configOptions":[{"id":"mode",`},
		{`null`, `{"configOptions":[{"id":"mode",`},
	} {
		r := newRelay()
		r.open(modes)
		r.set("set_config_option", `"configId":"mode","value":"b"`)
		got := r.pass(r.Agent, `{"id":2,"result":`+test[0]+`}`)
		if !strings.Contains(got, test[1]) || strings.Contains(got, "_meta") != strings.Contains(test[0], "_meta") {
			t.Errorf("%s became %s", test[0], got)
		}
	}
}

// The state of a session counts once in the conversation's limit.
func TestStateIsWeighed(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	r := newRelay()
	size := func() int {
		return r.Conversation.Size()
	}
	small := `{"modes":{"currentModeId":"a","availableModes":[{"id":"a"}]}}`
	r.open(small)
	before := size()
	for name, test := range map[string]struct {
		result string
		want   int
	}{
		"options":                       {`{"configOptions":[{"id":"x","name":"` + long + `"}]}`, len(long)},
		"a select that is made":         {`{"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"` + long + `"}]}}`, len(long)},
		"what is chosen":                {`{"modes":{"currentModeId":"` + long + `","availableModes":[{"id":"a"}]}}`, len(long)},
		"the id of a select":            {`{"configOptions":[` + strings.Replace(aSelect, `"m"`, `"`+long+`"`, 1) + `]}`, 2 * len(long)},
		"what is chosen of the options": {`{"configOptions":[` + strings.Replace(aSelect, `:"a"`, `:"`+long+`"`, 1) + `]}`, 2 * len(long)},
	} {
		r.open(test.result)
		r.open(test.result)
		if got := size() - before; got < test.want-1000 || got > test.want+2000 {
			t.Errorf("%s of %d bytes counts as %d bytes", name, test.want, got)
		}
		r.open(small)
		if got := size(); got != before {
			t.Errorf("%s: then %d bytes are left", name, got-before)
		}
	}
	r.open(strings.Replace(selects, `"b"`, `"`+long+`"`, 1))
	before = size()
	r.set("set_config_option", `"configId":"m","value":"`+long+`"`)
	r.pass(r.Agent, `{"id":2,"result":{}}`)
	if got, want := size()-before, 2*len(long); got < want-1000 || got > want+1000 {
		t.Errorf("what was told of %d bytes counts as %d bytes", want, got)
	}
	r.pass(r.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
	r.pass(r.Agent, `{"id":1,"result":{},"result":{}}`)
	if got := size() - before; got > 0 {
		t.Errorf("of what cannot be read %d bytes are kept", got)
	}
}

// The output for a line is bounded. The client gets the last state once, when the agent pauses.
func TestUpdatesWithoutRoomFollowLater(t *testing.T) {
	var list strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&list, `,{"id":"mode-%d","name":"Mode"}`, i)
	}
	large := strings.Replace(modes, `,{"id":"b"}`, `,{"id":"b"}`+list.String(), 1)
	value := func(i int) string { return []string{"b", "a"}[i%2] }
	for name, line := range map[string]func(r *relay, i int) string{
		"updates of the mode": func(_ *relay, i int) string {
			return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"` + value(i) + `"}}}`
		},
		"updates of options": func(_ *relay, i int) string {
			return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"x","currentValue":"%d"}]}}}`, i)
		},
		"responses": func(r *relay, i int) string {
			r.pass(r.Client, fmt.Sprintf(`{"id":%d,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"%s"}}`, i+10, value(i)))
			return fmt.Sprintf(`{"id":%d,"result":{"configOptions":[]}}`, i+10)
		},
	} {
		r := newRelay()
		r.open(large)
		var lines []string
		for i := range 201 {
			lines = append(lines, line(r, i))
		}
		batch := "[" + strings.Join(lines, ",") + "]"
		out := r.pass(r.Agent, batch)
		if most := 16*(len(large)+len(batch)) + 1<<20; len(out) > most || strings.Count(out, "config_option_update") < 2 {
			t.Errorf("%s: %d bytes become %d", name, len(batch), len(out))
		}
		told, _ := r.Agent.Flush(nil, false)
		last := `"category":"mode","type":"select","currentValue":"` + map[bool]string{true: "a", false: "b"}[name == "updates of options"] + `"`
		if n := strings.Count(string(told), "config_option_update"); n != 1 || !strings.Contains(string(told), last) {
			t.Errorf("%s: then the client is told %d times: %.200s", name, n, told)
		}
		if more, _ := r.Agent.Flush(nil, false); len(more) > 0 {
			t.Errorf("%s: then it is told once more", name)
		}
	}
}

const (
	levels = `{"id":"thought_level","category":"thought_level","type":"select","currentValue":"low","options":[{"group":"g","options":[{"value":"high"}]},{"value":"low"}]}`
	// What pi-acp 0.0.34 offers: the same levels as modes and as an option.
	pi = `{"modes":{"currentModeId":"low","availableModes":[{"id":"low"},{"id":"high"}]},"configOptions":[` + levels + `]}`
)

// An option with the values of a list is the list's other form, whatever its category is.
func TestAnOptionWithTheValuesOfAList(t *testing.T) {
	r := newRelay()
	if got := r.open(pi); got != `{"id":1,"result":`+pi+`}` {
		t.Errorf("the client gets %s", got)
	}
	for line, from := range map[string]*dispatch.Direction{
		`{"id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"high"}}`:                                                r.Client,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"high"}}}`: r.Agent,
	} {
		if got := r.pass(from, line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
	changed := `"config_option_update","configOptions":[` + strings.Replace(levels, `"currentValue":"low"`, `"currentValue":"high"`, 1) + `]`
	if got := r.update(changed); !strings.HasSuffix(got, changed+"}}}") {
		t.Errorf("the options became %s", got)
	}
	const answer = `{"id":3,"result":{}}`
	if got := r.pass(r.Agent, answer); got != answer {
		t.Errorf("the response became %s", got)
	}
	const set = `"configId":"thought_level","value":"low"`
	if got := r.set("set_config_option", set); !strings.Contains(got, "session/set_config_option") || !strings.Contains(got, set) {
		t.Errorf("the agent gets %s", got)
	}
	// An agent that does not know this method gets the same choice as a mode.
	r.pass(r.Agent, unknown)
	if want := `"method":"session/set_mode","params":{"sessionId":"s","modeId":"low"}`; !strings.Contains(r.again, want) {
		t.Errorf("the agent gets %s, want %s", r.again, want)
	}
}

// Only the same values with the same current one are the same choice.
func TestAnOptionThatIsNotTheList(t *testing.T) {
	for name, option := range map[string]string{
		"another current value": strings.Replace(levels, `"currentValue":"low"`, `"currentValue":"high"`, 1),
		"one value more":        strings.Replace(levels, `{"value":"low"}`, `{"value":"low"},{"value":"max"}`, 1),
		"one value less":        strings.Replace(levels, `{"value":"high"}`, "", 1),
		"a model":               strings.Replace(levels, `"category":"thought_level"`, `"category":"model"`, 1),
		"no select":             strings.Replace(levels, `"type":"select"`, `"type":"radio"`, 1),
	} {
		if got := newRelay().open(strings.Replace(pi, levels, option, 1)); !strings.Contains(got, `{"id":"mode",`) {
			t.Errorf("%s: the client gets %s", name, got)
		}
	}
}

// The agent may offer the option only later.
func TestAnOptionWithTheValuesOfAListComesLater(t *testing.T) {
	r := newRelay()
	if got := r.open(`{"modes":{"currentModeId":"low","availableModes":[{"id":"low"},{"id":"high"}]}}`); !strings.Contains(got, `{"id":"mode",`) {
		t.Errorf("the client gets %s", got)
	}
	if got := r.update(`"config_option_update","configOptions":[` + levels + `]`); strings.Contains(got, `{"id":"mode",`) {
		t.Errorf("the client gets %s", got)
	}
	// Its current value changes, and it stays the same choice.
	if got := r.update(`"config_option_update","configOptions":[` + strings.Replace(levels, `"currentValue":"low"`, `"currentValue":"high"`, 1) + `]`); strings.Contains(got, `{"id":"mode",`) {
		t.Errorf("the client gets %s", got)
	}
}
