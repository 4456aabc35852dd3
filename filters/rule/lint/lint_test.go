package lint

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/filters/rule"

	"github.com/go-json-experiment/json/jsontext"
)

type (
	Rule     = rule.Rule
	When     = rule.When
	Reply    = rule.Reply
	Setting  = rule.Setting
	Renaming = rule.Renaming
)

const (
	Client = rule.Client
	Agent  = rule.Agent
)

func values(of ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(of); i += 2 {
		m[of[i]] = of[i+1]
	}
	return m
}

func equalTo(pointer, value string) When {
	return When{Equals: map[string]jsontext.Value{pointer: []byte(value)}}
}

func TestWarnings(t *testing.T) {
	drop := func(r Rule) Rule { r.Action = "drop"; return r }
	logs := func(r Rule) Rule { r.Log = true; return r }
	set := func(pointer, value string) []Setting { return []Setting{{Pointer: pointer, Value: []byte(value)}} }
	for _, test := range []struct {
		rule Rule
		want string // key and the beginning of the message; "" for none
	}{
		{logs(Rule{}), ""},
		{logs(Rule{When: When{Regexp: values("/a", `^[0-9a-f]{64}(x|y{2,}){3}\pL{1,200}$`)}}), ""},
		{Rule{Reply: &Reply{Error: []byte(`{"code":-32601,"message":"x"}`)}}, ""},
		{drop(Rule{Method: "session/*"}), `action: the method matches requests, too, such as session/close`},
		{drop(Rule{Method: "session/*", From: Agent}), `action: the method matches requests, too, such as session/request_permission`},
		{drop(Rule{Method: "fs/*", From: Client}), ""},
		{drop(Rule{Method: "_x/*"}), ""},
		{drop(Rule{Method: "{_x/y,session/prompt}"}), `action: the method matches requests, too, such as session/prompt`},
		{drop(Rule{}), `action: matches requests and responses, too: these are not dropped; want method or update`},
		{drop(Rule{When: equalTo("/method", `"_x/note"`)}), ""},
		{Rule{Hold: "response"}, `hold: matches requests and responses, too: these are not held; want method or update`},
		{Rule{Hold: "response", From: Agent, Method: "session/*"}, `hold: the method matches requests, too, such as session/request_permission: these are not held`},
		{Rule{Hold: "response", From: Agent, Update: "*"}, ""},
		{drop(Rule{Method: "session/*", Update: "plan"}), ""},
		{drop(Rule{Method: "session/update"}), ""},
		{logs(Rule{Method: "a", ResponseTo: "b"}), `response_to: never matches: responses have no method`},
		{logs(Rule{Update: "a", ResponseTo: "b"}), `response_to: never matches: responses have no update`},
		{logs(Rule{Session: "a", ResponseTo: "b"}), `session: never matches`},
		{logs(Rule{Update: "a", Method: "session/new"}), `update: never matches: only session/update`},
		{logs(Rule{Update: "a", From: Client}), `from: never matches: session/update is sent by the other side`},
		{logs(Rule{Method: "session/new", From: Agent}), `from: never matches: session/new is sent by the other side`},
		{logs(Rule{Method: "$/cancel_request", From: Agent}), ""},
		{logs(Rule{ResponseTo: "session/new", From: Client}), `from: never matches: session/new is answered by the other side`},
		{logs(Rule{ResponseTo: "session/cancel"}), `response_to: never matches: session/cancel is a notification`},
		{logs(Rule{When: When{Has: []string{"/a"}, Absent: []string{"/b", "/a"}}}), `when.absent: never matches: /a is asked`},
		{logs(Rule{When: When{Glob: values("/a", "x"), Absent: []string{"/a"}}}), `when.absent: never matches: /a is asked`},
		{logs(Rule{When: When{Has: []string{"/params/x"}, Absent: []string{"/params"}}}), `when.has: never matches: /params is asked not to be there`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Absent: []string{"/a"}}}), `when.absent: never matches: /a is asked to be there, too`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Has: []string{"/a", "/a/b"}}}), `when.has: never matches: /a is asked to be 1`},
		{logs(Rule{When: When{Equals: equalTo("/a", `{"b":{}}`).Equals, Has: []string{"/a/b"}, Absent: []string{"/a/c"}}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `{"b":{}}`).Equals, Absent: []string{"/a/b"}}}), `when.absent: never matches: /a is asked to be {"b":{}}`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Glob: values("/a", "x*")}}), `when.glob: never matches: /a is asked to be 1`},
		{logs(Rule{When: When{Equals: equalTo("/a", `"xy"`).Equals, Glob: values("/a", "x*"), Regexp: values("/a", "y")}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `"xy"`).Equals, Regexp: values("/a", "z")}}), `when.regexp: never matches: /a is asked to be "xy"`},
		{logs(Rule{When: When{Glob: values("/a", "x*"), Has: []string{"/a/b"}}}), `when.has: never matches: /a is asked to be a string`},
		{logs(Rule{When: When{Glob: values("/a", "x*"), Has: []string{"/ab"}, Absent: []string{"/a/b"}}}), ""},
		{logs(Rule{Update: "tool_call", When: equalTo("/params/update/sessionUpdate", `"plan"`)}), `when.equals: never matches: update asks for another one`},
		{logs(Rule{Update: "tool_call", When: When{Has: []string{"/params/update/sessionUpdate"}}}), ""},
		{logs(Rule{Update: "tool_call", When: equalTo("/x", `"plan"`)}), ""},
		{logs(Rule{Update: "tool_call", When: equalTo("/params/sessionId", "1")}), ""},
		{logs(Rule{Session: "s", When: equalTo("/params/sessionId", "1")}), `when.equals: never matches: session asks for another one`},
		{logs(Rule{Method: "fs/*", When: equalTo("/method", `"fs/read"`)}), ""},
		{logs(Rule{Method: "x", When: When{Has: []string{"/result/a"}}}), `when.has: never matches: only responses have a result`},
		{logs(Rule{ResponseTo: "x", When: When{Has: []string{"/params/a"}}}), `when.has: never matches: responses have no params`},
		{logs(Rule{ResponseTo: "x", When: When{Absent: []string{"/params"}}}), ""},
		{logs(Rule{Method: "!*"}), `method: never matches: "!*" is no text at all`},
		{logs(Rule{Update: "!*"}), `update: never matches: "!*" is no text at all`},
		{logs(Rule{ResponseTo: "!*"}), `response_to: never matches: "!*" is no text at all`},
		{logs(Rule{Session: "!*"}), `session: never matches: "!*" is no text at all`},
		{logs(Rule{Client: "!*"}), `client: never matches: "!*" is no name at all`},
		{logs(Rule{When: When{Client: "!*"}}), `when.client: never matches: "!*" is no name at all`},
		{logs(Rule{When: When{Agent: "!*"}}), `when.agent: never matches: "!*" is no name at all`},
		{logs(Rule{Agent: "!*"}), `agent: never matches: "!*" is no name at all`},
		{logs(Rule{When: When{Glob: values("/a", "!**")}}), `when.glob: never matches: "!**" is no text`},
		{logs(Rule{Client: "X >2 <1"}), `client: never matches: no version is all of "X >2 <1"`},
		{logs(Rule{Client: "!X >2 <1"}), ""},
		{logs(Rule{Client: "X >1.2.3 <1.2.4"}), ""},
		{logs(Rule{Client: "X >1.2.3-a <1.2.3-b"}), ""},
		{logs(Rule{Client: "X 4 <0.1"}), ""},
		{logs(Rule{Client: "X >=1.x"}), ""},
		{logs(Rule{Client: "X =1.2.x || >3 <2"}), ""},
		{logs(Rule{Client: "X =*"}), ""},
		{logs(Rule{Client: "Zed !=1.2"}), `client: never matches: "Zed !=1.2" is a name as a whole: want a space`},
		{logs(Rule{Client: "Zed>=1"}), `client: never matches: "Zed>=1" is a name`},
		{logs(Rule{Agent: "codex 1.2"}), `agent: never matches: "codex 1.2" is a name`},
		{logs(Rule{Agent: "Agent 007"}), ""},
		{logs(Rule{Client: "X ~1.2 ^1.3"}), `client: never matches: no version`},
		{Rule{Method: "x", Delete: []string{"/method"}}, `delete: fails on every request: what it makes is refused`},
		{Rule{Method: "x", Delete: []string{"/method"}, When: When{Has: []string{"", "/params"}}}, `delete: fails on every request: `},
		{Rule{Method: "x", Delete: []string{"/method"}, Rename: []Renaming{{Pointer: "/params/a", Name: "b"}}}, `delete: fails on every request: `},
		{Rule{ResponseTo: "x", Delete: []string{"/method"}}, `delete: /method: responses have no method`},
		{Rule{Delete: []string{"/params/a", "/method"}}, `delete: fails on every request: `},
		{Rule{Rename: []Renaming{{Pointer: "/method", Name: "m"}}, Set: set("/method", `"y"`)}, `rename: fails on every response with a result: `},
		{Rule{Method: "x", Rename: []Renaming{{Pointer: "/method", Name: "m"}}, Set: set("/method", `"y"`)}, ""},
		{Rule{Set: set("/error", `{"code":1,"message":"no"}`), Delete: []string{"/result"}, When: When{Has: []string{"/result/a"}}}, ""},
		{Rule{Rename: []Renaming{{Pointer: "/result", Name: "error"}}, ResponseTo: "x"}, ""},
		{Rule{Set: set("/error", `{}`), Delete: []string{"/result"}, ResponseTo: "x"}, `set: fails on every response with a result: what it makes is refused`},
		{Rule{Method: "x", Set: set("/result", `1`)}, `set: fails on every request: `},
		{Rule{Method: "x", Set: set("/params", `1`)}, `set: fails on every request: what it makes is refused`},
		{Rule{Method: "x", Delete: []string{"/result/x"}}, `delete: /result/x: only responses have a result; want response_to`},
		{Rule{ResponseTo: "x", Set: set("/params/x", "1")}, `set: /params/x: responses have no params`},
		{Rule{Method: "x", Append: set("/params/l/-", "1")}, `append: /params/l/- is no list, but the place behind its last element: want "/params/l"`},
		{Rule{Method: "x", Set: set("/params/l/-", "1")}, ""},
		{Rule{Update: "plan", Delete: []string{"/method"}}, `delete: fails on every notification: `},
		{Rule{Method: "session/prompt", Delete: []string{"/method"}}, `delete: fails on every request: `},
		{Rule{Method: "x", Delete: []string{"/method"}, When: When{Absent: []string{"/params"}}}, ""},
		{Rule{Method: "x", Delete: []string{"/method"}, When: When{Absent: []string{"/params/a"}}}, `delete: fails on every request: `},
		{logs(Rule{ResponseTo: "x", When: When{Has: []string{"/method"}}}), `when.has: never matches: responses have no method`},
		{logs(Rule{ResponseTo: "x", When: When{Has: []string{"/result/a"}}}), ""},
		{logs(Rule{Client: "X >=9.0.9 <9.0.10"}), ""},
		{logs(Rule{Client: "X =1.0.0-az"}), ""},
		{logs(Rule{Client: "X =1.0.0-AZ"}), ""},
		{logs(Rule{Method: "session/nwe"}), `method: the protocol has no "session/nwe": did you mean "session/new"?`},
		{logs(Rule{Method: "sessio/nw"}), `method: the protocol has no "sessio/nw": did you mean "session/new"?`},
		{logs(Rule{Method: "sesssion/neww"}), `method: the protocol has no "sesssion/neww": did you mean "session/new"?`},
		{logs(Rule{Update: "pxxn"}), ""},
		{logs(Rule{Method: "sesion/update"}), `method: the protocol has no "sesion/update": did you mean "session/update"?`},
		{logs(Rule{ResponseTo: "Session/New"}), `response_to: the protocol has no "Session/New": did you mean "session/new"?`},
		{logs(Rule{Update: "tool_cal"}), `update: the protocol has no "tool_cal": did you mean "tool_call"?`},
		{logs(Rule{Update: "state_update"}), ""},
		{logs(Rule{Method: "session/unarchive"}), ""},
		{logs(Rule{Method: "_session/new"}), ""},
		{logs(Rule{Method: "cursor/update_todos"}), ""},
		{logs(Rule{ClientHas: []string{"/a"}, ClientLacks: []string{"/a"}}), `client_lacks: never matches`},
		{logs(Rule{ClientHas: []string{"/a"}, ClientLacks: []string{"/b"}, AgentLacks: []string{"/a"}}), ""},
		{Rule{Set: set("/a/b", "1"), Delete: []string{"/a"}}, `delete: /a is set and then deleted`},
		{drop(Rule{Method: "x", Set: set("/a/b", "1")}), `action: the message goes no further`},
		// Each of two conditions may be about another element.
		{logs(Rule{When: When{Equals: equalTo("/l/*", "1").Equals, Has: []string{"/l/*/a"}}}), ""},
		{logs(Rule{When: When{Glob: values("/l/*/a", "x*"), Has: []string{"/l/*/a/b"}}}), ""},
		{logs(Rule{When: When{Has: []string{"/l/*/a"}, Absent: []string{"/l/*/a"}}}), `when.absent: never matches: /l/*/a is asked to be there, too`},
		{logs(Rule{When: When{Has: []string{"/l/*/a/b"}, Absent: []string{"/l/*/a"}}}), `when.has: never matches: /l/*/a is asked not to be there`},
		{logs(Rule{When: When{Equals: equalTo("/l/*", `{"a":1}`).Equals, Absent: []string{"/l/*/a"}}}), `when.absent: never matches: /l/*`},
		{logs(Rule{When: When{Equals: equalTo("/l", `[{"a":1},{"b":1}]`).Equals, Has: []string{"/l/*/b"}}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/l", `[{"a":1},{"b":1}]`).Equals, Has: []string{"/l/*/c"}}}), `when.has: never matches: /l is asked to be [{"a":1},{"b":1}]`},
		{logs(Rule{When: When{Has: []string{"/*/a"}}}), `when.has: /*/a: * names elements of lists, and a message is an object, in which it is a plain name`},
		{logs(Rule{When: When{Absent: []string{"/*/a"}}}), ""},
		{Rule{Update: "plan", Delete: []string{"/params/*"}}, `delete: /params/*: * names elements of lists, and /params is an object`},
		{Rule{Update: "plan", Delete: []string{"/params/update/[a=b]"}}, `delete: /params/update/[a=b]: [a=b] names elements of lists, and /params/update is an object`},
		{Rule{ResponseTo: "session/new", Delete: []string{"/result/*"}}, `delete: /result/*: * names elements of lists, and /result is an object`},
		{Rule{Method: "_x/y", Delete: []string{"/params/*"}}, ""},
		{Rule{ResponseTo: "session/new", Delete: []string{"/result/models/availableModels/*"}}, ""},
		{Rule{Rename: []Renaming{{Pointer: "/l/*", Name: "x"}}}, `rename: /l/*: elements of a list have no name to change`},
	} {
		test.rule.Name = "r"
		if set, problems := rule.Compile([]Rule{test.rule}); set == nil {
			t.Errorf("%+v: %v", test.rule, problems)
		}
		var got []string
		for _, p := range Check([]Rule{test.rule}, rule.BesideClient, nil) {
			got = append(got, p.Key+": "+p.Message)
			if p.Rule != 0 || p.Name != "r" {
				t.Errorf("the problem is of rule %d %q", p.Rule, p.Name)
			}
			if !p.Warning {
				t.Errorf("%+v: %q is no warning", test.rule, p.Message)
			}
		}
		if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("%+v:\n got %q\nwant %q", test.rule, got, test.want)
		}
	}
}

// Only a limited number of conditions is compared, because the time grows with the square.
func TestManyConditions(t *testing.T) {
	r := Rule{Name: "r", Log: true, When: When{Absent: []string{"/a0"}}}
	for i := range maxCompared - 1 {
		r.When.Has = append(r.When.Has, fmt.Sprint("/a", i))
	}
	if got := Check([]Rule{r}, rule.BesideClient, nil); len(got) != 1 {
		t.Errorf("%d conditions: %v", maxCompared, got)
	}
	r.When.Has = append(r.When.Has, "/b")
	if got := Check([]Rule{r}, rule.BesideClient, nil); len(got) != 0 {
		t.Errorf("%d conditions: %v", maxCompared+1, got)
	}
}

// Rules with errors are skipped, and other rules are checked.
func TestRulesWithErrors(t *testing.T) {
	rules := []Rule{
		{Name: "wrong", Method: "{", Update: "!*", Action: "drop"},
		{Name: "never", Update: "!*", Log: true},
		{Name: "all", Update: "plan", Action: "drop"},
		{Name: "shadowed", Update: "plan", Log: true},
	}
	_, errs := rule.Compile(rules)
	if len(errs) != 1 {
		t.Fatal(errs)
	}
	got := Check(rules, rule.BesideClient, errs)
	if len(got) != 1 || got[0].Name != "never" || got[0].Rule != 1 {
		t.Errorf("warnings with an error: %v", got)
	}
	if got = Check(rules[1:], rule.BesideClient, nil); len(got) != 2 || got[1].Name != "shadowed" || got[1].Rule != 2 {
		t.Errorf("warnings without errors: %v", got)
	}
}

// The names of the protocol are those in its schemas.
func TestNamesOfTheProtocol(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	paths, _ := filepath.Glob(shared + "/schema/v*/*.json")
	newer, _ := filepath.Glob(shared + "/schema/*/v*/*.json")
	if len(paths) == 0 || len(newer) == 0 {
		t.Fatal("there are no schemas")
	}
	all := slices.Concat(otherMethods, slices.Collect(maps.Keys(rule.Methods)))
	for _, path := range slices.Concat(paths, newer) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"x-method": *"([^"]*)"`).FindAllSubmatch(text, -1) {
			if !slices.Contains(all, string(m[1])) {
				t.Errorf("%s: there is no method %s", path, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`"sessionUpdate": *{[^}]*"const": *"([^"]*)"`).FindAllSubmatch(text, -1) {
			if !slices.Contains(updates, string(m[1])) {
				t.Errorf("%s: there is no update %s", path, m[1])
			}
		}
	}
}

func TestShadowed(t *testing.T) {
	drop := func(r Rule) Rule { r.Name, r.Action = "first", "drop"; return r }
	for _, test := range []struct {
		first, later Rule
		want         bool
	}{
		{drop(Rule{Update: "plan"}), Rule{Update: "plan"}, true},
		{drop(Rule{Update: "p*"}), Rule{Update: "plan"}, true},
		{drop(Rule{Update: "p*"}), Rule{Update: "{plan,plan_update}"}, true},
		{drop(Rule{Update: "{plan,[a-c]*}"}), Rule{Update: "{plan,about}"}, true},
		{drop(Rule{Update: "{plan,a*}"}), Rule{Update: "{plan,config}"}, false},
		{drop(Rule{Update: "!a*"}), Rule{Update: "{plan,config}"}, true},
		{drop(Rule{Update: "plan"}), Rule{Update: "!plan"}, false},
		{drop(Rule{Update: "pla*"}), Rule{Update: "p*"}, false},
		{drop(Rule{Update: "[p]lan"}), Rule{Update: `\plan`}, true},
		{drop(Rule{Method: "session/update"}), Rule{Update: "plan", From: Agent}, true},
		{drop(Rule{Method: "session/update"}), Rule{Method: "session/update", When: When{Has: []string{"/a"}}}, true},
		{drop(Rule{}), Rule{Method: "session/update"}, true},
		{drop(Rule{Client: "Zed"}), Rule{Update: "plan", Client: "Zed"}, true},
		{drop(Rule{When: equalTo("/a", "1")}), Rule{Update: "plan", When: equalTo("/a", "1.0")}, true},
		{drop(Rule{When: equalTo("/a", "1")}), Rule{Update: "plan", When: equalTo("/a", "2")}, false},
		{drop(Rule{Client: "Zed"}), Rule{Update: "plan", Client: "Ze*"}, false},
		{drop(Rule{Client: "Zed"}), Rule{Update: "plan"}, false},
		{drop(Rule{When: When{Has: []string{"/a"}}}), Rule{Update: "plan"}, false},
		{drop(Rule{When: When{Has: []string{"/a"}}}), Rule{Update: "plan", When: When{Has: []string{"/b", "/a"}}}, true},
		{drop(Rule{AgentHas: []string{"/a"}}), Rule{Update: "plan", AgentLacks: []string{"/a"}}, false},
		{drop(Rule{AgentHas: []string{"/a"}}), Rule{Update: "plan", AgentHas: []string{"/b", "/a"}}, true},
		{drop(Rule{Protocol: 1}), Rule{Update: "plan"}, false},
		{drop(Rule{Protocol: 1}), Rule{Update: "plan", Protocol: 2}, false},
		{drop(Rule{Protocol: 1}), Rule{Update: "plan", Protocol: 1}, true},
		{drop(Rule{}), Rule{Update: "plan", Off: true}, false},
		{drop(Rule{From: Agent}), Rule{Update: "plan"}, true}, // only an agent sends it
		{drop(Rule{From: Agent, Method: "session/update"}), Rule{Update: "tool_call"}, true},
		{drop(Rule{From: Client}), Rule{Method: "session/cancel"}, true},
		{drop(Rule{From: Client}), Rule{Method: "$/cancel_request"}, false},
		{drop(Rule{From: Agent}), Rule{Method: "_x/note"}, false},
		{drop(Rule{}), Rule{Method: "session/prompt"}, false},
		{drop(Rule{From: Agent}), Rule{Method: "_x/note", From: Agent, Action: "drop"}, true},
		{drop(Rule{From: Agent}), Rule{Method: "_x/note", From: Client, Action: "drop"}, false},
		{drop(Rule{Method: "session/update"}), Rule{Method: "session/cancel"}, false},
		{drop(Rule{Method: "session/cancel"}), Rule{Update: "plan"}, false},
		{drop(Rule{Session: "*"}), Rule{Update: "plan"}, false}, // which may have none
		{Rule{Name: "first", Log: true}, Rule{Method: "session/prompt"}, false},
		{drop(Rule{}), Rule{}, false},
		{drop(Rule{Update: "plan"}), Rule{Method: "session/update"}, false},
		{drop(Rule{Session: "a"}), Rule{Update: "plan", Session: "b"}, false},
		{Rule{Name: "first", Log: true}, Rule{Update: "plan"}, false},
		{Rule{Name: "first", Method: "fs/*", Reply: &Reply{Result: []byte("1")}}, Rule{Method: "fs/read_text_file"}, true},
		{Rule{Name: "first", Method: "fs/*", Reply: &Reply{Result: []byte("1")}}, Rule{Method: "fs/other"}, false},
		{Rule{Name: "first", Method: "session/*", Reply: &Reply{Result: []byte("1")}}, Rule{Method: "session/cancel"}, false},
	} {
		test.later.Name, test.later.Log = "later", true
		problems := Check([]Rule{test.first, test.later}, rule.BesideClient, nil)
		shadowed := len(problems) > 0 && problems[len(problems)-1].Rule == 1 && strings.Contains(problems[len(problems)-1].Message, `ends at rule "first"`)
		if shadowed != test.want {
			t.Errorf("%+v\nbehind %+v: %v", test.later, test.first, problems)
		}
	}
}

// A rule that two earlier rules shadow is reported once.
func TestShadowedByTwo(t *testing.T) {
	drop := Rule{Name: "drop", Update: "plan", Action: "drop"}
	later := Rule{Name: "later", Update: "plan", Log: true, AgentHas: []string{"/a"}, AgentLacks: []string{"/a"}}
	var got []string
	for _, p := range Check([]Rule{drop, drop, later}, rule.BesideClient, nil) {
		got = append(got, fmt.Sprint(p.Rule, " ", p.Key))
	}
	if want := []string{"2 agent_lacks", "1 name", "2 name"}; !slices.Equal(got, want) {
		t.Errorf("warnings are about %q, want %q", got, want)
	}
}

// A name that is similar to a known name is reported as a mistake.
func TestMisnamed(t *testing.T) {
	for _, test := range []struct{ key, text, want string }{
		{"client", "Zde*", `no known client is called "zde": did you mean "zed"?`},
		{"when.client", "!JetBrian*", `no known client is called "jetbrian": did you mean "JetBrains.IntelliJ IDEA"?`},
		{"client", "CodeCompanion.nvm >=1", `no known client is called "codecompanion.nvm": did you mean "CodeCompanion.nvim"?`},
		{"agent", "*codxe-acp", `no known agent is called "codxe-acp": did you mean "codex-acp"?`},
		{"client", "Zed*", ""},
		{"client", "Zed Nightly", ""},
		{"client", "zen", ""},
		{"client", "acp", ""},
		{"agent", "OpenCode Desktop", ""},
		{"agent", "GitHub Copilto", `no known agent is called "github copilto": did you mean "GitHub Copilot"?`},
		{"client", "my-editor", ""},
		{"client", "z*", ""},
		{"agent", "*", ""},
	} {
		got := ""
		if err := Misnamed(test.key, test.text); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s = %q: got %s, want %s", test.key, test.text, got, test.want)
		}
	}
}

// A rule beside the client for updates that only capable clients get is reported.
func TestRulesOnPlanUpdates(t *testing.T) {
	r := rule.Rule{Name: "r", Update: "plan_update", Action: "drop"}
	capable := r
	capable.ClientHas = []string{"/plan"}
	both := r
	both.Update = "{plan,plan_update}"
	for _, test := range []struct {
		rule  rule.Rule
		place rule.Place
		want  int
	}{{r, rule.BesideClient, 1}, {r, rule.BesideAgent, 0}, {capable, rule.BesideClient, 0}, {both, rule.BesideClient, 0}} {
		if got := Check([]rule.Rule{test.rule}, test.place, nil); len(got) != test.want {
			t.Errorf("%+v: %+v", test.rule, got)
		}
	}
}
