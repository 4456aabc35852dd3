package explain

import (
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	rules, problems := rule.Compile([]rule.Rule{
		{Name: "title", Set: []rule.Setting{{Pointer: "/params/title", Value: []byte(`"a"`)}}},
		{Name: "client's", From: rule.Client, Log: true},
	})
	if rules == nil {
		t.Fatal(problems)
	}
	var b strings.Builder
	known := rule.Known{From: rule.Agent}
	does := func(line []byte) []rule.Step { return rules.Explain(line, known) }
	unknown := func(step rule.Step) string { return " (of " + step.Rule + ")" }
	unclear := Lines(&b, []byte("{\"method\":\"x\",\"params\":{\"title\":\"\x1b\"}}\n\nnpm warn\n"), does, known.From, unknown)
	want := "from the agent: no clear message, it meets no rule\n"
	if !strings.Contains(b.String(), want) || unclear != 2 {
		t.Errorf("%d lines are unclear, want 2:\n%s", unclear, b.String())
	}
	b.Reset()
	unclear = Lines(&b, []byte(`{"method":"x","params":{"title":"b"}}`), does, known.From, unknown)
	want = `from the agent: x
  title     matches: changes it
    /params/title: "b" becomes "a"
  client's  no: from (of client's)
- {"method":"x","params":{"title":"b"}}
+ {"method":"x","params":{"title":"a"}}

`
	if diff := cmp.Diff(want, b.String()); diff != "" || unclear != 0 {
		t.Errorf("%d lines are unclear (-want +got):\n%s", unclear, diff)
	}
}

// The explanation lists what each rule did with a message, the values that it changed, and the
// result.
func TestOutcomes(t *testing.T) {
	set := func(pointer, value string) []rule.Setting {
		return []rule.Setting{{Pointer: pointer, Value: []byte(value)}}
	}
	for _, test := range []struct {
		rules      []rule.Rule
		line, want string
	}{
		{[]rule.Rule{{Name: "new", Set: set("/params/b", "2")}, {Name: "gone", Delete: []string{"/params/a"}}, {Name: "same", Log: true}},
			`{"method":"x","params":{"a":1}}`, `from the agent: x
  new   matches: changes it
    /params/b: 2 is new
  gone  matches: changes it
    /params/a: 1 is gone
  same  matches: logs it
- {"method":"x","params":{"a":1}}
+ {"method":"x","params":{"b":2}}

`},
		{[]rule.Rule{{Name: "spelled", Set: set("/params/a", `"b"`)}, {Name: "nothing", Delete: []string{"/params/b"}}},
			`{"method":"x","params":{"a":"\u0062"}}`, `from the agent: x
  spelled  matches: changes it
    spelled otherwise, and the same
  nothing  matches, and finds nothing to change
- {"method":"x","params":{"a":"\u0062"}}
+ {"method":"x","params":{"a":"b"}}

`},
		{[]rule.Rule{{Name: "other", When: rule.When{Equals: map[string]jsontext.Value{"/params/a": []byte("2")}}, Log: true}, {Name: "off", Off: true, Log: true}},
			`{"method":"x","params":{"a":1}}`, `from the agent: x
  other  no: when.equals /params/a, want 2, is 1
  off    is off
= {"method":"x","params":{"a":1}}

`},
		{[]rule.Rule{{Name: "drop", Action: "drop"}}, `[{"method":"x"},{"id":1,"result":{}}]`, `from the agent: x
  drop  matches: drops it
- {"method":"x"}

from the agent: a response
  drop  matches, and fails: only notifications are dropped: whoever waits for a response would wait forever
= {"id":1,"result":{}}

`},
		{[]rule.Rule{{Name: "two", Method: "x", JQ: `., {method: "y"}`}, {Name: "drop", Method: "x", Action: "drop"}}, `{"method":"x"}`, `from the agent: x
  two   matches: makes 2 of it
  drop  matches: drops it
  drop  no: method, want "x", is "y"
- {"method":"x"}
+ {"method":"y"}

`},
		{[]rule.Rule{{Name: "reply", Reply: &rule.Reply{Result: []byte("2")}, Log: true}}, `{"id":1,"method":"x"}`, `from the agent: x
  reply  matches: replies, logs it
- {"id":1,"method":"x"}
to the agent: {"jsonrpc":"2.0","id":1,"result":2}

`},
		{[]rule.Rule{{Name: "hold", From: rule.Agent, Hold: "response"}, {Name: "last", Log: true}}, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`, `from the agent: session/update plan
  hold  matches: holds it
  last  matches: logs it
= {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}
it waits, if its session is not open yet

`},
		{[]rule.Rule{{Name: "r", Method: "y", Log: true}}, `{"method":"x","params":{"a":1,"a":2}}`, `from the agent: a message
  r  no: method, want "y", is "x"
= {"method":"x","params":{"a":1,"a":2}}

`},
		{[]rule.Rule{{Name: "r", Log: true}}, "[5]\n", `from the agent: no clear message, it meets no rule
  none in the list is a message
= [5]

`},
	} {
		rules, problems := rule.Compile(test.rules)
		if rules == nil {
			t.Fatal(problems)
		}
		var b strings.Builder
		does := func(line []byte) []rule.Step { return rules.Explain(line, rule.Known{From: rule.Agent}) }
		Lines(&b, []byte(test.line), does, rule.Agent, func(rule.Step) string { return "" })
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.line, diff)
		}
	}
}

func TestPeer(t *testing.T) {
	p, err := Peer("JetBrains IDE 2026.1.0", []string{"/fs/readTextFile", "/fs", "/fs/writeTextFile", "/terminal"})
	if err != nil || p.Implementation != (conversation.Implementation{Name: "JetBrains IDE", Version: "2026.1.0"}) || string(p.Capabilities) != `{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}` {
		t.Errorf("%+v, %s, %v", p, p.Capabilities, err)
	}
	for _, name := range []string{"Visual Studio", "007"} {
		if p := Named(name); p.Name != name || p.Version != "" {
			t.Errorf("%+v", p)
		}
	}
	for _, pointer := range []string{"", "fs"} {
		if _, err := Peer("x", []string{pointer}); err == nil {
			t.Errorf("%q is a pointer to a capability", pointer)
		}
	}
}
