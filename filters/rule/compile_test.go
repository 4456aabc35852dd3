package rule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	drop := func(r Rule) Rule { r.Action = "drop"; return r }
	logs := func(r Rule) Rule { r.Log = true; return r }
	replies := func(r Rule) Rule { r.Reply = &Reply{Result: []byte("{}")}; return r }
	set := func(pointer, value string) []Setting { return []Setting{{pointer, []byte(value)}} }
	for _, test := range []struct {
		rule Rule
		want string // key and the beginning of the message; "" for none
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
		{logs(Rule{ClientHas: []string{"plan"}}), `client_has: pointer "plan": it has to begin with /`},
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
		{logs(Rule{When: When{Regexp: values("/a", strings.Repeat("a", maxRegexp))}}), ""},
		{logs(Rule{When: When{Regexp: values("/a", strings.Repeat("a", maxRegexp+1))}}), `when.regexp: /a: too big: it is 10001 long`},
		{logs(Rule{When: When{Regexp: values("/a", strings.Repeat("{a}", maxRegexp/3)+"b")}}), ""},
		{logs(Rule{When: When{Regexp: values("/a", `^[0-9a-f]{64}(x|y{2,}){3}\pL{1,200}$`)}}), ""},
		{logs(Rule{When: When{Has: []string{"/a/[modelId="}}}), `when.has: pointer "/a/[modelId=": step "[modelId=": write [NAME=VALUE], as in [modelId=gpt-5], with ~1 for a / in it`},
		{logs(Rule{When: When{Has: []string{"/a/[id=x/y]/b"}}}), `when.has: pointer "/a/[id=x/y]/b": step "[id=x": write [NAME=VALUE]`},
		{logs(Rule{When: When{Absent: []string{"/a/[=x]"}}}), `when.absent: pointer "/a/[=x]": step "[=x]": write [NAME=VALUE]`},
		{logs(Rule{ClientHas: []string{"/a/[x]"}}), `client_has: pointer "/a/[x]": step "[x]": write [NAME=VALUE], as in [modelId=gpt-5], or * for each element, or 0 for the first; write ~2`},
		{Rule{Delete: []string{"/a/[*]"}}, `delete: pointer "/a/[*]": step "[*]": write`},
		{Rule{Rename: []Renaming{{"/a/[]", "b"}}}, `rename: pointer "/a/[]": step "[]": write`},
		{Rule{Append: set("/a/[b=", "1")}, `append: pointer`},
		{Rule{Set: set("/a/b~2", "1")}, `set: pointer "/a/b~2": want ~0 for ~ and ~1 for /`},
		{Rule{Delete: []string{"/a/~2b]", "/a/[b", "/a/b]", "/a/**", "/a/*b", "/a/[b=]"}}, ""},
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
		{drop(Rule{ResponseTo: "session/new"}), `action: a response is never dropped`},
		{drop(Rule{Method: "session/prompt"}), `action: session/prompt is a request and never dropped`},
		{drop(Rule{Method: "fs/*", From: Client}), ""},
		{drop(Rule{Method: "_x/*"}), ""},
		{drop(Rule{When: equalTo("/method", `"_x/note"`)}), ""},
		{Rule{Hold: "response", From: Agent, Update: "*"}, ""},
		{drop(Rule{Method: "session/*", Update: "plan"}), ""},
		{drop(Rule{Method: "session/update"}), ""},
		{replies(Rule{ResponseTo: "a"}), `reply: response_to matches responses`},
		{replies(Rule{Method: "session/cancel"}), `reply: session/cancel is a notification`},
		{replies(Rule{Update: "plan"}), `reply: session/update is a notification`},
		{logs(Rule{Method: "$/cancel_request", From: Agent}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `{"b":{}}`).Equals, Has: []string{"/a/b"}, Absent: []string{"/a/c"}}}), ""},
		{logs(Rule{When: When{Equals: equalTo("/a", `"xy"`).Equals, Glob: values("/a", "x*"), Regexp: values("/a", "y")}}), ""},
		{logs(Rule{When: When{Glob: values("/a", "x*"), Has: []string{"/ab"}, Absent: []string{"/a/b"}}}), ""},
		{logs(Rule{Method: "fs/*", When: equalTo("/method", `"fs/read"`)}), ""},
		{logs(Rule{ResponseTo: "x", When: When{Absent: []string{"/params"}}}), ""},
		{logs(Rule{Client: "!X >2 <1"}), ""},
		{logs(Rule{Client: "X >1.2.3 <1.2.4"}), ""},
		{logs(Rule{Client: "X >1.2.3-a <1.2.3-b"}), ""},
		{logs(Rule{Client: "X 4 <0.1"}), ""},
		{logs(Rule{Client: "X >=1.x"}), ""},
		{logs(Rule{Client: "X =1.2.x || >3 <2"}), ""},
		{logs(Rule{Client: "X =*"}), ""},
		{logs(Rule{Agent: "Agent 007"}), ""},
		{logs(Rule{Agent: "a*", When: When{Agent: "ab >1"}}), ""},
		{logs(Rule{Client: "A*", When: When{Client: "*B"}}), ""},
		{Rule{Method: "x", Rename: []Renaming{{"/method", "m"}}, Set: set("/method", `"y"`)}, ""},
		{Rule{Set: set("/error", `{"code":1,"message":"no"}`), Delete: []string{"/result"}, When: When{Has: []string{"/result/a"}}}, ""},
		{Rule{Rename: []Renaming{{"/result", "error"}}, ResponseTo: "x"}, ""},
		{Rule{Method: "x", Set: set("/params/l/-", "1")}, ""},
		{logs(Rule{Update: "state_update"}), ""},
		{logs(Rule{Method: "session/unarchive"}), ""},
		{logs(Rule{Method: "_session/new"}), ""},
		{logs(Rule{Method: "cursor/update_todos"}), ""},
	} {
		test.rule.Name = "r"
		compiled, problems := Compile([]Rule{test.rule})
		var got []string
		for _, p := range problems {
			got = append(got, p.Key+": "+p.Message)
			if p.Rule != 0 || p.Name != "r" {
				t.Errorf("the problem is of rule %d %q", p.Rule, p.Name)
			}
			if p.Warning {
				t.Errorf("%+v: %q is a warning", test.rule, p.Message)
			}
		}
		if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("%+v:\n got %q\nwant %q", test.rule, got, test.want)
		}
		if (test.want == "") != (compiled != nil) {
			t.Errorf("%+v: compiled: %v", test.rule, compiled != nil)
		}
	}
}

// Conditions and edits skip invalid parts.
func TestInvalidPartsAreSkipped(t *testing.T) {
	r := Rule{When: When{Has: []string{"/a", "b"}}, Delete: []string{"/a", "b", "", "/id"}}
	if c := r.When.Conditions(); len(c) != 1 || c[0].Key != "when.has" || c[0].Pointer.String() != "/a" {
		t.Errorf("conditions: %v", c)
	}
	if e := r.Edits(); len(e) != 1 || e[0].Action != "delete" || e[0].At.String() != "/a" {
		t.Errorf("edits: %v", e)
	}
}

// Compile returns all problems at once.
func TestAllProblems(t *testing.T) {
	_, problems := Compile([]Rule{
		{Log: true},
		{Name: "a", Method: "}", Update: "{", Log: true},
		{Name: "a", Log: true},
	})
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("rule %d %q: %s: %s", p.Rule+1, p.Name, p.Key, p.Message))
	}
	want := []string{
		`rule 1 "": name: missing: add one, such as name = "no usage noise": logs and reports identify a rule by its name`,
		`rule 2 "a": method: glob "}": want a { for each }, or \} for a brace`,
		`rule 2 "a": update: glob "{": want a } for each {, or \{ for a brace`,
		`rule 3 "a": name: rule 2 has this name, too: want another`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
