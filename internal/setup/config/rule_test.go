package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/dev/growth"

	"github.com/google/go-cmp/cmp"
)

func TestRuleProblems(t *testing.T) {
	const named = "[[rule]]\nname = \"r\"\n"
	tests := []struct{ name, source, want string }{
		{"a misspelled key", named + "metohd = \"x\"\nactoin = \"drop\"\n[rule.when]\nequal = {}\n", `
f:3:1: unknown key "rule.metohd" (did you mean "rule.method"?)
f:4:1: unknown key "rule.actoin" (did you mean "rule.action"?)
f:6:1: unknown key "rule.when.equal" (did you mean "rule.when.equals"?)`},
		{"letters that changed places", named + "mtach = \"x\"\nlgo = true\nste = {}\nform = \"agent\"\n[[agents.x]]\n", `
f:3:1: unknown key "rule.mtach" (did you mean "rule.method"?)
f:4:1: unknown key "rule.lgo" (did you mean "rule.log"?)
f:5:1: unknown key "rule.ste" (did you mean "rule.set"?)
f:6:1: unknown key "rule.form" (did you mean "rule.from"?)
f:7:10: agents.x: want a table, [agents.x], not a list of tables`},
		{"a key of when outside of it", named + "log = true\nregexp = {}\nhas = \"/a\"\nequals = {}\nregex = {}\n", `
f:4:1: unknown key "rule.regexp" (did you mean "rule.when.regexp"?)
f:5:1: unknown key "rule.has" (did you mean "rule.when.has"?)
f:6:1: unknown key "rule.equals" (did you mean "rule.when.equals"?)
f:7:1: unknown key "rule.regex" (did you mean "rule.when.regexp"?)`},
		{"other words", named + "match = \"x\"\nremove = \"/a\"\n", `
f:3:1: unknown key "rule.match" (did you mean "rule.method"?)
f:4:1: unknown key "rule.remove" (did you mean "rule.delete"?)`},
		{"nothing to switch on", "[[rule]]\nname = \"models are sent onc\"\noff = false\n", `
f:2:8: rule: cannot switch "models are sent onc" on: there is no earlier one of this name (did you mean "models are sent once"?)`},
		{"a key of another table", named + "log = true\nwords = {}\nplan.show_as = \"none\"\n", `
f:4:1: unknown key "rule.words" ("acpshim config show" lists all keys)
f:5:1: unknown key "rule.plan" (plan.show_as is a key of the whole file: write it above the first table)`},
		{"a key of the file", named + "log = true\nrules.place = \"agent\"\n", `
f:4:1: unknown key "rule.rules" (rules.place is a key of the whole file: write it above the first table)`},
		{"a wrong condition and nothing to do", named + "protocol = 0\n", `
f:1:3: rule.action: missing: want one of rename, set, append, delete, jq, log, hold, action = "drop" and reply
f:3:12: rule.protocol: want a whole number from 1 to 65535, not 0`},
		{"a wrong condition and a misspelled action", named + "protocol = 0\nactoin = \"drop\"\n", `
f:3:12: rule.protocol: want a whole number from 1 to 65535, not 0
f:4:1: unknown key "rule.actoin" (did you mean "rule.action"?)`},
		{"one list of all", "[[rules]]\nname = \"r\"\n", `
f:1:3: rules: want a table, [rules], not a list of tables (did you mean [[rule]]?)`},
		{"one table", "[rule]\nname = \"r\"\n", `
f:1:2: rule: want a list of tables, [[rule]] before each, not a table`},
		{"nothing to do", named, `
f:1:3: rule.action: missing: want one of rename, set, append, delete, jq, log, hold, action = "drop" and reply`},
		{"no name", "[[rule]]\nlog = true\n", `
f:1:3: rule.name: missing: add one, such as name = "no usage noise": logs and reports identify a rule by its name`},
		{"a name twice", named + "log = true\n" + named + "action = \"no\"\n", `
f:5:8: rule: the name "r" is already used in this file; names must be different`},
		{"wrong types", named + "from = \"editor\"\nmethod = 1\nprotocol = 0\nclient_has = [1]\nwhen.has = {}\nset = [\"/a\"]\nrename = { \"/a\" = 1 }\nlog = \"yes\"\nhold = true\n", `
f:3:8: rule.from: want "agent", "client" or "both", not "editor"
f:4:10: rule.method: want a text in quotes, not 1
f:5:12: rule.protocol: want a whole number from 1 to 65535, not 0
f:6:15: rule.client_has: want JSON Pointers in quotes, not 1
f:7:12: rule.when.has: want a list of JSON Pointers in quotes, not a table
f:8:7: rule.set: want a table such as { "/params/cwd" = "/srv" }, not a list
f:9:19: rule.rename: want the new name in quotes, not 1
f:10:7: rule.log: want true or false, not "yes"
f:11:8: rule.hold: want "response", not true`},
		{"bad globs", named + "log = true\nmethod = \"{a\"\nclient = \"!!a\"\nwhen = { agent = \"x >=a\", glob = { \"/a\" = \"b\", \"/c\" = \"}\" } }\n", `
f:4:10: rule.method: glob "{a": want a } for each {, or \{ for a brace
f:5:10: rule.client: "!!a": want a name, and at most one ! before it, as in "!JetBrains*"
f:6:18: rule.when.agent: version range ">=a": want one such as ">=0.200 <1"
f:6:55: rule.when.glob: /c: glob "}": want a { for each }, or \} for a brace`},
		{"bad regular expressions", named + "log = true\n[rule.when.regexp]\n\"/a\" = \"ok\"\n\"/b\" = \"(\"\n\"/c\" = \"(a{900}){900}\"\n", `
f:6:8: rule.when.regexp: /b: error parsing regexp: missing closing ): ` + "`(`" + `: want a regular expression of RE2 (https://golang.org/s/re2syntax)
f:7:8: rule.when.regexp: /c: error parsing regexp: invalid repeat count: ` + "`{900}`" + `: want a regular expression of RE2 (https://golang.org/s/re2syntax)`},
		{"bad pointers", named + "delete = [\"/a\", \"b\", \"/c~2\"]\nset = { \"/a\" = 1, \"x\" = 2 }\nwhen.absent = \"y\"\nappend = { \"/id\" = 1 }\n", `
f:3:17: rule.delete: pointer "b": it has to begin with /
f:3:22: rule.delete: pointer "/c~2": want ~0 for ~ and ~1 for /
f:4:25: rule.set: pointer "x": it has to begin with /
f:5:15: rule.when.absent: pointer "y": it has to begin with /
f:6:20: rule.append: /id: the message would be another's: want a place below /params, /result or /error`},
		{"what JSON has not", named + "set = { \"/a\" = [1, inf], \"/b\" = { c = -nan } }\nreply.result = nan\n", `
f:3:20: rule.set: JSON has no inf
f:3:39: rule.set: JSON has no -nan
f:4:16: rule.reply.result: JSON has no nan`},
		{"a request is dropped", named + "method = \"session/prompt\"\naction = \"drop\"\n", `
f:4:10: rule.action: session/prompt is a request and never dropped: its sender would wait forever; want reply`},
		{"a bad error", named + "method = \"x\"\nreply = { error = { code = 1.5, message = \"x\" } }\n", `
f:4:19: rule.reply.error: {"code":1.5,"message":"x"}: want an object with a whole number as code and text as message`},
		{"a bad program", named + "jq = '''\n.a |\n'''\n", `
f:3:6: rule.jq: unexpected EOF`},
		{"a wrong place", "rules.place = \"editor\"\n", `
f:1:15: rules.place: want "client" or "agent", not "editor"`},
		{"in a profile", "[[profile]]\nclient = \"a\"\n[[profile.rule]]\nname = \"x\"\n", `
f:3:11: profile.rule: does not belong in a profile: it has keys client and agent of its own, and rules_on and rules_off switch it`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { isRefused(t, test.source, test.want) })
	}
}

func TestRuleWarnings(t *testing.T) {
	const drop = "[[rule]]\nname = \"all\"\nupdate = \"tool*\"\naction = \"drop\"\n"
	for _, test := range []struct{ name, source, want string }{
		{"it is hidden", drop + "[[rule]]\nname = \"some\"\nupdate = \"tool_call\"\nlog = true\n",
			`f:6:8: warning: rule.name: never matches: every message that it could match ends at rule "all" before it`},
		{"not by one that is off", drop + "off = true\n[[rule]]\nname = \"some\"\nupdate = \"tool_call\"\nlog = true\n", ""},
		{"contradictions", "[[rule]]\nname = \"r\"\nlog = true\nfrom = \"client\"\nupdate = \"plan\"\nwhen.has = \"/a\"\nwhen.absent = [\"/b\", \"/a\"]\n",
			`f:4:8: warning: rule.from: never matches: session/update is sent by the other side
f:7:22: warning: rule.when.absent: never matches: /a is asked to be there, too`},
		{"nothing to switch off", "[[rule]]\nname = \"models are sent onc\"\noff = true\n",
			`f:2:8: warning: rule: cannot switch "models are sent onc" off: there is no earlier one of this name (did you mean "models are sent once"?)`},
	} {
		c, err := Parse(Default(), "f", test.source)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if diff := cmp.Diff(test.want, withoutCarets(c.Warnings().Error())); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", test.name, diff)
		}
	}
	c, err := Assign(Default(), "--set", `rule=[{name="r", log=true, from="client", update="x"}]`)
	if want := "--set: warning: rule.from: never matches: session/update is sent by the other side"; err != nil || c.Warnings().Error() != want {
		t.Errorf("got %v, %v, want %s", c.Warnings(), err, want)
	}
}

// A later row of a name takes the place of the earlier one, or switches it.
func TestRulesOfOneName(t *testing.T) {
	const first = "[[rule]]\nname = \"a\"\nlog = true\n[[rule]]\nname = \"b\"\nlog = true\noff = true\n[[rule]]\nname = \"c\"\nlog = true\n"
	c := Default()
	c.Rules = nil
	c.Profiles = nil
	for _, source := range []string{first, "[[rule]]\nname = \"c\"\njq = \".\"\n[[rule]]\nname = \"b\"\noff = false\n[[rule]]\nname = \"d\"\nlog = true\n", "[[rule]]\nname = \"a\"\noff = true\n"} {
		var err error
		if c, err = Parse(c, "f", source); err != nil || len(c.Warnings()) > 0 {
			t.Fatal(err, c.Warnings())
		}
	}
	want := []rule.Rule{{Name: "a", Off: true, Log: true}, {Name: "b", Log: true}, {Name: "c", JQ: "."}, {Name: "d", Log: true}}
	var got []rule.Rule
	for _, r := range c.Rules {
		got = append(got, r.Rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if c.RuleSet() == nil {
		t.Error("they do not compile")
	}
}

// Actions on places are carried out in the order in which a file has them.
func TestRulesKeepTheOrderOfTheFile(t *testing.T) {
	c := layered(t, "[[rule]]\nname = \"r\"\nset.\"/z\" = 1\nset.\"/b\" = [2.0]\nset.\"/a\" = { z = 1, a = 2 }\n[rule.rename]\n\"/y\" = \"x\"\n\"/a\" = \"b\"\n")
	r := c.Rules[len(c.Rules)-1]
	want := []rule.Setting{{Pointer: "/z", Value: []byte("1")}, {Pointer: "/b", Value: []byte("[2.0]")}, {Pointer: "/a", Value: []byte(`{"z":1,"a":2}`)}}
	if diff := cmp.Diff(want, r.Set); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]rule.Renaming{{Pointer: "/y", Name: "x"}, {Pointer: "/a", Name: "b"}}, r.Rename); diff != "" {
		t.Errorf("rename (-want +got):\n%s", diff)
	}
}

// Each rule is compared with those before it: their number is bounded, without those
// that are shipped.
func TestManyRules(t *testing.T) {
	var source strings.Builder
	for i := range maxRules {
		fmt.Fprintf(&source, "[[rule]]\nname='r%d'\nmethod='m%d'\naction='drop'\n", i, i)
	}
	base := Default()
	c, err := Parse(base, "f", source.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(c, "g", "[[rule]]\nname='one more'\nlog=true\n"); err == nil || !strings.Contains(err.Error(), "rule: want at most 1000 rules") {
		t.Errorf("of two sources: %.300v", err)
	}
	growth.Linear(t, "rules", maxRules/5, func(size int) func() {
		var source strings.Builder
		for i := range size {
			fmt.Fprintf(&source, "[[rule]]\nname='%d'\nmethod='m%d'\naction='drop'\n", i, i)
		}
		return func() {
			_, err := Parse(base, "f", source.String())
			if isTooMany := err != nil && strings.Contains(err.Error(), "rule: want at most 1000 rules"); isTooMany != (size > maxRules) {
				t.Errorf("%d rules: %.300v", size, err)
			}
		}
	})
}

// Whatever a value holds, what a rule makes of a line is one line of JSON.
func TestRuleValuesStayOnOneLine(t *testing.T) {
	c := layered(t, `
[[rule]]
name = "r"
method = "n"
set = { "/a" = """one
two\u0000\u0085\u2028""", "/b" = { "\n" = "\u007f" } }
rename = { "/c" = "d\n\"" }
`)
	talk := conversation.New(conversation.Options{})
	chain := c.RuleSet().NewChain(rule.Options{Conversation: talk})
	relay := dispatch.New(talk, dispatch.Options{Adapters: []dispatch.Adapter{chain}})
	line, _ := relay.FromAgent().Rewrite(nil, []byte(`{"method":"n","a":0,"c":1}`+"\n"))
	got := string(line)
	want := `{"method":"n","a":"one\ntwo\u0000` + "\u0085\u2028" + `","d\n\"":1,"b":{"\n":"` + "\u007f" + `"}}` + "\n"
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	_, err := Parse(c, "f", "[[rule]]\nname = \"s\"\nset = { \"/a\" = \"\xff\" }\n")
	if err == nil || !strings.HasPrefix(err.Error(), "f:3:") {
		t.Errorf("what is no UTF-8: %v", err)
	}
}
