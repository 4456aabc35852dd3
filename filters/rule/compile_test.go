package rule

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	drop := func(r Rule) Rule { r.Action = "drop"; return r }
	logs := func(r Rule) Rule { r.Log = true; return r }
	replies := func(r Rule) Rule { r.Reply = &Reply{Result: []byte("{}")}; return r }
	set := func(pointer, value string) []Setting { return []Setting{{pointer, []byte(value)}} }
	const always = "warning: "
	for _, test := range []struct {
		rule Rule
		want string // key and the beginning of the message, after "warning: " for one; "" for none
	}{
		{Rule{}, `action: missing: want one of rename, set`},
		{logs(Rule{}), ""},
		{logs(Rule{From: "clients"}), `from: "clients": want "agent", "client" or "both"`},
		{logs(Rule{Method: "a{b"}), `method: glob "a{b": want a }`},
		{logs(Rule{Update: "a}b"}), `update: glob`},
		{logs(Rule{ResponseTo: "{{"}), `response_to: glob`},
		{logs(Rule{Session: "}"}), `session: glob`},
		{logs(Rule{Client: "Zed >=1.a"}), `client: version range ">=1.a"`},
		{logs(Rule{Agent: "!!a"}), `agent: "!!a": want a name`},
		{logs(Rule{When: When{Agent: "!"}}), `when.agent: "!": want a name`},
		{logs(Rule{ClientHas: []string{"plan"}}), `client_has: pointer "plan": want a / at its beginning`},
		{logs(Rule{AgentLacks: []string{"/a~2"}}), `agent_lacks: pointer "/a~2": want ~0 for ~`},
		{logs(Rule{Protocol: -1}), `protocol: -1: want a version`},
		{logs(Rule{When: When{Has: []string{"a"}}}), `when.has: pointer`},
		{logs(Rule{When: When{Absent: []string{"a"}}}), `when.absent: pointer`},
		{logs(Rule{When: equalTo("/a", "{")}), `when.equals: /a: `},
		{logs(Rule{When: equalTo("a", "1")}), `when.equals: pointer`},
		{logs(Rule{When: When{Glob: values("/a", "{")}}), `when.glob: /a: glob`},
		{logs(Rule{When: When{Glob: values("/a", "")}}), `when.glob: /a: empty`},
		{logs(Rule{When: When{Regexp: values("/a", "(?=a)")}}), `when.regexp: /a: error parsing regexp`},
		{logs(Rule{When: When{Regexp: values("/a", "(a{900}){900}")}}), `when.regexp: /a: error parsing regexp`},
		{logs(Rule{When: When{Regexp: values("/a", strings.Repeat("(a{100}){9}", 3000))}}), `when.regexp: /a: too big: it is 33000 long with what it repeats, want at most 10000`},
		{logs(Rule{When: When{Regexp: values("/a", strings.Repeat("(a{100}){9}", 12))}}), `when.regexp: /a: too big: it is`},
		{logs(Rule{When: When{Regexp: values("/a", `^[0-9a-f]{64}(x|y{2,}){3}\pL{1,200}$`)}}), ""},
		{Rule{Set: set("a", "1")}, `set: pointer "a"`},
		{Rule{Set: set("", "1")}, `set: "" is the whole message`},
		{Rule{Set: set("/id", "1")}, `set: /id: the message would be another's`},
		{Rule{Delete: []string{"/jsonrpc"}}, `delete: /jsonrpc: the message`},
		{Rule{Set: set("/a", "1 2")}, `set: jsontext: `},
		{Rule{Set: set("/a", "")}, `set: `},
		{Rule{Set: set("/a", "\"\xff\"")}, `set: jsontext: invalid UTF-8`},
		{Rule{Set: set("/a", `{"a":1,"a":2}`)}, `set: jsontext: duplicate`},
		{Rule{Append: set("/a", "x")}, `append: jsontext: `},
		{Rule{Rename: []Renaming{{"/a", ""}}}, `rename: /a: empty: want the new name`},
		{Rule{JQ: ".["}, `jq: unexpected EOF`},
		{Rule{JQ: "foo"}, `jq: function not defined: foo/0`},
		{Rule{JQ: "input"}, `jq: input(s)/0 is not allowed`},
		{Rule{Hold: "always"}, `hold: "always": want "response"`},
		{Rule{Hold: "response", From: Client}, `hold: only what an agent sends is held`},
		{Rule{Hold: "response", Method: "session/new"}, `hold: only notifications are held`},
		{Rule{Action: "set"}, `action: "set": want "drop"`},
		{Rule{Reply: &Reply{}}, `reply: want one of result and error`},
		{Rule{Reply: &Reply{Result: []byte("{}"), Error: []byte("{}")}}, `reply: want one of result and error`},
		{Rule{Reply: &Reply{Error: []byte(`{"code":"1","message":"x"}`)}}, `reply.error: {"code":"1","message":"x"}: want an object with a whole number as code`},
		{Rule{Reply: &Reply{Error: []byte(`{"code":1}`)}}, `reply.error: {"code":1}: want`},
		{Rule{Reply: &Reply{Error: []byte(`{"code":-32601,"message":"x"}`)}}, ""},
		{replies(drop(Rule{})), `action: a rule with a reply drops nothing`},
		{drop(Rule{ResponseTo: "session/new"}), `action: an answer is never dropped`},
		{drop(Rule{Method: "session/prompt"}), `action: session/prompt is a request and never dropped`},
		{drop(Rule{Method: "session/*"}), always + `action: the method matches requests, too, such as session/close`},
		{drop(Rule{Method: "session/*", From: Agent}), always + `action: the method matches requests, too, such as session/request_permission`},
		{drop(Rule{Method: "fs/*", From: Client}), ""},
		{drop(Rule{Method: "_x/*"}), ""},
		{drop(Rule{Method: "{_x/y,session/prompt}"}), always + `action: the method matches requests, too, such as session/prompt`},
		{drop(Rule{}), always + `action: matches requests and answers, too: these are not dropped; want method or update`},
		{drop(Rule{When: equalTo("/method", `"_x/note"`)}), ""},
		{Rule{Hold: "response"}, always + `hold: matches requests and answers, too: these are not held; want method or update`},
		{Rule{Hold: "response", From: Agent, Method: "session/*"}, always + `hold: the method matches requests, too, such as session/request_permission: these are not held`},
		{Rule{Hold: "response", From: Agent, Update: "*"}, ""},
		{drop(Rule{Method: "session/*", Update: "plan"}), ""},
		{drop(Rule{Method: "session/update"}), ""},
		{replies(Rule{ResponseTo: "a"}), `reply: response_to matches answers`},
		{replies(Rule{Method: "session/cancel"}), `reply: session/cancel is a notification`},
		{replies(Rule{Update: "plan"}), `reply: session/update is a notification`},
		{logs(Rule{Method: "a", ResponseTo: "b"}), always + `response_to: never matches: answers have no method`},
		{logs(Rule{Update: "a", ResponseTo: "b"}), always + `response_to: never matches: answers have no update`},
		{logs(Rule{Session: "a", ResponseTo: "b"}), always + `session: never matches`},
		{logs(Rule{Update: "a", Method: "session/new"}), always + `update: never matches: only session/update`},
		{logs(Rule{Update: "a", From: Client}), always + `from: never matches: session/update is sent by the other side`},
		{logs(Rule{Method: "session/new", From: Agent}), always + `from: never matches: session/new is sent by the other side`},
		{logs(Rule{Method: "$/cancel_request", From: Agent}), ""},
		{logs(Rule{ResponseTo: "session/new", From: Client}), always + `from: never matches: session/new is answered by the other side`},
		{logs(Rule{ResponseTo: "session/cancel"}), always + `response_to: never matches: session/cancel is a notification`},
		{logs(Rule{When: When{Has: []string{"/a"}, Absent: []string{"/b", "/a"}}}), always + `when.absent: never matches: /a is asked`},
		{logs(Rule{When: When{Glob: values("/a", "x"), Absent: []string{"/a"}}}), always + `when.absent: never matches: /a is asked`},
		{logs(Rule{When: When{Has: []string{"/params/x"}, Absent: []string{"/params"}}}), always + `when.has: never matches: /params is asked not to be there`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Absent: []string{"/a"}}}), always + `when.absent: never matches: /a is asked to be there, too`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Has: []string{"/a", "/a/b"}}}), always + `when.has: never matches: /a is asked to be 1`},
		{logs(Rule{When: When{Equals: equalTo("/a", `{"b":{}}`).Equals, Has: []string{"/a/b"}, Absent: []string{"/a/c"}}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `{"b":{}}`).Equals, Absent: []string{"/a/b"}}}), always + `when.absent: never matches: /a is asked to be {"b":{}}`},
		{logs(Rule{When: When{Equals: equalTo("/a", "1").Equals, Glob: values("/a", "x*")}}), always + `when.glob: never matches: /a is asked to be 1`},
		{logs(Rule{When: When{Equals: equalTo("/a", `"xy"`).Equals, Glob: values("/a", "x*"), Regexp: values("/a", "y")}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `"xy"`).Equals, Regexp: values("/a", "z")}}), always + `when.regexp: never matches: /a is asked to be "xy"`},
		{logs(Rule{When: When{Glob: values("/a", "x*"), Has: []string{"/a/b"}}}), always + `when.has: never matches: /a is asked to be a string`},
		{logs(Rule{When: When{Glob: values("/a", "x*"), Has: []string{"/ab"}, Absent: []string{"/a/b"}}}), ""},
		{logs(Rule{Update: "tool_call", When: equalTo("/params/update/sessionUpdate", `"plan"`)}), always + `when.equals: never matches: update asks for another one`},
		{logs(Rule{Method: "fs/*", When: equalTo("/method", `"fs/read"`)}), ""},
		{logs(Rule{Method: "x", When: When{Has: []string{"/result/a"}}}), always + `when.has: never matches: only answers have a result`},
		{logs(Rule{ResponseTo: "x", When: When{Has: []string{"/params/a"}}}), always + `when.has: never matches: answers have no params`},
		{logs(Rule{ResponseTo: "x", When: When{Absent: []string{"/params"}}}), ""},
		{logs(Rule{Method: "!*"}), always + `method: never matches: "!*" is no text at all`},
		{logs(Rule{Agent: "!*"}), always + `agent: never matches: "!*" is no name at all`},
		{logs(Rule{When: When{Glob: values("/a", "!**")}}), always + `when.glob: never matches: "!**" is no text`},
		{logs(Rule{Client: "X >2 <1"}), always + `client: never matches: no version is all of "X >2 <1"`},
		{logs(Rule{Client: "!X >2 <1"}), ""},
		{logs(Rule{Client: "X >1.2.3 <1.2.4"}), ""},
		{logs(Rule{Client: "X >1.2.3-a <1.2.3-b"}), ""},
		{logs(Rule{Client: "X 4 <0.1"}), ""},
		{logs(Rule{Client: "X >=1.x"}), ""},
		{logs(Rule{Client: "X =1.2.x || >3 <2"}), ""},
		{logs(Rule{Client: "X =*"}), ""},
		{logs(Rule{Client: "Zed !=1.2"}), always + `client: never matches: "Zed !=1.2" is a name as a whole: want a space`},
		{logs(Rule{Client: "Zed>=1"}), always + `client: never matches: "Zed>=1" is a name`},
		{logs(Rule{Agent: "codex 1.2"}), always + `agent: never matches: "codex 1.2" is a name`},
		{logs(Rule{Agent: "Agent 007"}), ""},
		{logs(Rule{Client: "X ~1.2 ^1.3"}), always + `client: never matches: no version`},
		{logs(Rule{Client: "A", When: When{Client: "B"}}), always + `when.client: never matches: client asks for another one`},
		{logs(Rule{Agent: "a*", When: When{Agent: "ab >1"}}), ""},
		{logs(Rule{Agent: "!a*", When: When{Agent: "ab"}}), always + `when.agent: never matches`},
		{logs(Rule{Client: "A >2", When: When{Client: "A <=2"}}), always + `when.client: never matches`},
		{logs(Rule{Client: "A*", When: When{Client: "*B"}}), ""},
		{Rule{Method: "x", Delete: []string{"/method"}}, always + `delete: fails on every request: what it makes is refused`},
		{Rule{Delete: []string{"/params/a", "/method"}}, always + `delete: fails on every request: `},
		{Rule{Rename: []Renaming{{"/method", "m"}}, Set: set("/method", `"y"`)}, always + `rename: fails on every answer with a result: `},
		{Rule{Method: "x", Rename: []Renaming{{"/method", "m"}}, Set: set("/method", `"y"`)}, ""},
		{Rule{Set: set("/error", `{"code":1,"message":"no"}`), Delete: []string{"/result"}, When: When{Has: []string{"/result/a"}}}, ""},
		{Rule{Rename: []Renaming{{"/result", "error"}}, ResponseTo: "x"}, ""},
		{Rule{Set: set("/error", `{}`), Delete: []string{"/result"}, ResponseTo: "x"}, always + `set: fails on every answer with a result: what it makes is refused`},
		{Rule{Method: "x", Set: set("/result", `1`)}, always + `set: fails on every request: `},
		{Rule{Method: "x", Set: set("/params", `1`)}, always + `set: fails on every request: what it makes is refused`},
		{Rule{Method: "x", Delete: []string{"/result/x"}}, always + `delete: /result/x: only answers have a result; want response_to`},
		{Rule{ResponseTo: "x", Set: set("/params/x", "1")}, always + `set: /params/x: answers have no params`},
		{Rule{Method: "x", Append: set("/params/l/-", "1")}, always + `append: /params/l/- is no list, but the place behind its last element: want "/params/l"`},
		{Rule{Method: "x", Set: set("/params/l/-", "1")}, ""},
		{logs(Rule{Method: "sesion/update"}), always + `method: the protocol has no "sesion/update": did you mean "session/update"?`},
		{logs(Rule{ResponseTo: "Session/New"}), always + `response_to: the protocol has no "Session/New": did you mean "session/new"?`},
		{logs(Rule{Update: "tool_cal"}), always + `update: the protocol has no "tool_cal": did you mean "tool_call"?`},
		{logs(Rule{Update: "state_update"}), ""},
		{logs(Rule{Method: "session/unarchive"}), ""},
		{logs(Rule{Method: "_session/new"}), ""},
		{logs(Rule{Method: "cursor/update_todos"}), ""},
		{logs(Rule{ClientHas: []string{"/a"}, ClientLacks: []string{"/a"}}), always + `client_lacks: never matches`},
		{Rule{Set: set("/a/b", "1"), Delete: []string{"/a"}}, always + `delete: /a is set and then deleted`},
		{drop(Rule{Method: "x", Set: set("/a/b", "1")}), always + `action: the message goes no further`},
	} {
		test.rule.Name = "r"
		compiled, problems := Compile([]Rule{test.rule})
		var got []string
		for _, p := range problems {
			text := p.Key + ": " + p.Message
			if p.Warning {
				text = always + text
			}
			got = append(got, text)
			if want := `rule 1 "r": ` + p.Key + ": "; !strings.HasPrefix(p.Error(), want) {
				t.Errorf("the problem reads %q", p.Error())
			}
		}
		if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("%+v:\n got %q\nwant %q", test.rule, got, test.want)
		}
		if isWarning := test.want == "" || strings.HasPrefix(test.want, always); isWarning != (compiled != nil) {
			t.Errorf("%+v: compiled: %v", test.rule, compiled != nil)
		}
	}
}

// The names of the protocol are those of its schemas.
func TestNamesOfTheProtocol(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	paths, _ := filepath.Glob(shared + "/schema/v*/*.json")
	if len(paths) == 0 {
		t.Fatal("there are no schemas")
	}
	all := slices.Concat(otherMethods, slices.Collect(maps.Keys(methods)))
	for _, path := range paths {
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

// All problems are told at once.
func TestAllProblems(t *testing.T) {
	_, problems := Compile([]Rule{
		{Log: true},
		{Name: "a", Method: "}", Update: "{", Log: true},
		{Name: "a", Log: true},
	})
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`rule 1 "": name: missing: want one, as reports tell it`,
		`rule 2 "a": method: glob "}": want a { for each }, or \} for a brace`,
		`rule 2 "a": update: glob "{": want a } for each {, or \{ for a brace`,
		`rule 3 "a": name: rule 2 has this name, too: want another`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestHidden(t *testing.T) {
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
		{drop(Rule{From: Agent}), Rule{Update: "plan"}, true}, // only an agent sends it
		{drop(Rule{From: Agent, Method: "session/update"}), Rule{Update: "tool_call"}, true},
		{drop(Rule{From: Client}), Rule{Method: "session/cancel"}, true},
		{drop(Rule{From: Client}), Rule{Method: "$/cancel_request"}, false},
		{drop(Rule{From: Agent}), Rule{Method: "_x/note"}, false},
		{drop(Rule{}), Rule{Method: "session/prompt"}, false},
		{drop(Rule{}), Rule{}, false},
		{drop(Rule{Update: "plan"}), Rule{Method: "session/update"}, false},
		{drop(Rule{Session: "a"}), Rule{Update: "plan", Session: "b"}, false},
		{Rule{Name: "first", Log: true}, Rule{Update: "plan"}, false},
		{Rule{Name: "first", Method: "fs/*", Reply: &Reply{Result: []byte("1")}}, Rule{Method: "fs/read_text_file"}, true},
		{Rule{Name: "first", Method: "fs/*", Reply: &Reply{Result: []byte("1")}}, Rule{Method: "fs/other"}, false},
	} {
		test.later.Name, test.later.Log = "later", true
		_, problems := Compile([]Rule{test.first, test.later})
		hidden := len(problems) > 0 && problems[len(problems)-1].Rule == 1 && strings.Contains(problems[len(problems)-1].Message, `ends at rule "first"`)
		if hidden != test.want {
			t.Errorf("%+v\nbehind %+v: %v", test.later, test.first, problems)
		}
	}
}
