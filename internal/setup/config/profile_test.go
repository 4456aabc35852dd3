package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/filters/rule"

	"github.com/google/go-cmp/cmp"
)

// layered returns the sources read one over the other, with the shipped keys
// below them and no shipped profile.
func layered(t *testing.T, sources ...string) Config {
	t.Helper()
	c := Default()
	c.Profiles = nil
	for i, source := range sources {
		var err error
		if c, err = Parse(c, string(rune('a'+i)), source); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestProfilesApply(t *testing.T) {
	const zed = "[[profile]]\nname = \"zed\"\nclient = \"Zed*\"\nplan.show_as = \"message\"\n"
	tests := []struct {
		name    string
		sources []string
		client  string
		agent   string
		want    string // show_as
		from    string
	}{
		{"it matches", []string{zed}, "Zed", "", "message", `profile "zed", a:4`},
		{"it does not", []string{zed}, "other", "", "plan", "default"},
		{"case does not count", []string{zed}, "zed", "", "message", `profile "zed", a:4`},
		{"no name", []string{zed}, "", "", "plan", "default"},
		{"the later one wins", []string{zed + "[[profile]]\nclient = \"*\"\n[profile.plan]\nshow_as = \"thought\"\n"}, "Zed", "", "thought", "profile, a:8"},
		{"not what does not match", []string{zed + "[[profile]]\nclient = \"x\"\nplan.show_as = \"thought\"\n"}, "Zed", "", "message", `profile "zed", a:4`},
		{"a later source wins", []string{zed, "[[profile]]\nclient = \"Z*\"\nplan.show_as = \"none\"\n"}, "Zed", "", "none", "profile, b:3"},
		{"one of the same name replaces", []string{zed, "[[profile]]\nname = \"zed\"\nclient = \"Other\"\nplan.show_as = \"none\"\n"}, "Zed", "", "plan", "default"},
		{"and comes last", []string{zed, "[[profile]]\nclient = \"*\"\nplan.show_as = \"none\"\n" + zed}, "Zed", "", "message", `profile "zed", b:7`},
		{"off", []string{zed, "[[profile]]\nname = \"zed\"\noff = true\n"}, "Zed", "", "plan", "default"},
		{"negated", []string{"[[profile]]\nclient = \"!Jet*\"\nplan.show_as = \"none\"\n"}, "Zed", "", "none", "profile, a:3"},
		{"negated, matching", []string{"[[profile]]\nclient = \"!Jet*\"\nplan.show_as = \"none\"\n"}, "JetBrains", "", "plan", "default"},
		{"negated, without a name", []string{"[[profile]]\nclient = \"!Jet*\"\nplan.show_as = \"none\"\n"}, "", "", "none", "profile, a:3"},
		{"a literal !", []string{"[[profile]]\nclient = '\\!Jet'\nplan.show_as = \"none\"\n"}, "!Jet", "", "none", "profile, a:3"},
		{"an agent", []string{"[[profile]]\nagent = \"*/codex\"\nplan.show_as = \"none\"\n"}, "Zed", "@x/codex", "none", "profile, a:3"},
		{"an unknown agent", []string{"[[profile]]\nagent = \"*\"\nplan.show_as = \"none\"\n"}, "Zed", "", "plan", "default"},
		{"an unknown agent, negated", []string{"[[profile]]\nagent = \"!x\"\nplan.show_as = \"none\"\n"}, "Zed", "", "plan", "default"},
		{"both", []string{"[[profile]]\nclient = \"Zed\"\nagent = \"x\"\nplan.show_as = \"none\"\n"}, "Zed", "x", "none", "profile, a:4"},
		{"both, one matches", []string{"[[profile]]\nclient = \"Zed\"\nagent = \"x\"\nplan.show_as = \"none\"\n"}, "Zed", "y", "plan", "default"},
		{"a key of its source", []string{"plan.show_as = \"thought\"\n" + zed}, "Zed", "", "message", `profile "zed", a:5`},
		{"a key of a source below", []string{"plan.show_as = \"thought\"\n", zed}, "Zed", "", "message", `profile "zed", b:4`},
		{"a key of a source above", []string{zed, "\nplan.show_as = \"thought\"\n"}, "Zed", "", "thought", "b:2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := layered(t, test.sources...)
			before := c.TOML()
			got := c.For(rule.Peer{Name: test.client}, rule.Peer{Name: test.agent})
			if from := got.From("plan.show_as").String(); got.Plan.ShowAs != test.want || from != test.from {
				t.Errorf("show_as is %q of %s, want %q of %s", got.Plan.ShowAs, from, test.want, test.from)
			}
			if c.TOML() != before {
				t.Error("For changed its receiver")
			}
		})
	}
}

// What a profile asks of the two is what a rule may ask.
func TestProfilesMatchAsRulesDo(t *testing.T) {
	for _, test := range []struct {
		pattern, name, version string
		want                   bool
	}{
		{"Zed >=0.200 <1", "Zed", "0.201.5", true},
		{"Zed >=0.200 <1", "Zed", "1.0.0", false},
		{"Zed >=0.200 <1", "Zed", "", false},
		{"!Zed >=0.200", "Zed", "0.199.0", true},
		{"!Zed >=0.200", "Zed", "0.200.0", false},
		{"!Zed >=0.200", "JetBrains", "", true},
		{"{Zed,Emacs}", "Emacs", "1", true},
		{"!{Zed,Emacs}", "Emacs", "1", false},
		{`Zed\ >1`, "Zed >1", "", true},
	} {
		c := layered(t, "[[profile]]\nclient = '"+test.pattern+"'\nplan.show_as = \"none\"\n"+"[[profile]]\nagent = '"+test.pattern+"'\njunk = \"drop\"\n")
		who := rule.Peer{Name: test.name, Version: test.version}
		if got := c.For(who, who); (got.Plan.ShowAs == "none") != test.want || (got.Junk == "drop") != test.want {
			t.Errorf("%q matches %q %q: client %v, agent %v", test.pattern, test.name, test.version, got.Plan.ShowAs == "none", got.Junk == "drop")
		}
	}
}

func TestProfilesSwitchRules(t *testing.T) {
	log := func(name string) string { return "[[rule]]\nname = \"" + name + "\"\nlog = true\n" }
	const profile = `
[[profile]]
client = "*"
rules_off = ["a", "b", "mine"]
[[profile]]
client = "Zed"
rules_on = ["b", "c", "switched"]
junk = "drop"
plan.file.roots = ["/srv"]
`
	c := layered(t, log("a")+log("b")+log("c")+log("mine")+log("switched")+profile,
		log("mine")+"[[rule]]\nname = \"switched\"\noff = true\n")
	got := c.For(rule.Peer{Name: "Zed"}, rule.Peer{})
	if diff := cmp.Diff(map[string]bool{"a": false, "b": true, "c": true}, got.Switches); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if got.Junk != "drop" || len(got.Plan.File.Roots) != 1 {
		t.Errorf("junk is %q, roots are %q", got.Junk, got.Plan.File.Roots)
	}
	if again := got.For(rule.Peer{Name: "x"}, rule.Peer{}); c.Switches != nil || again.Switches["b"] || !got.Switches["b"] {
		t.Error("For changed its receiver")
	}
}

// The shipped profiles do what they are named for.
func TestShippedProfiles(t *testing.T) {
	c := Default()
	for _, test := range []struct{ client, agent, path, want string }{
		{"CodeCompanion.nvim", "", "plan.show_as", "message"},
		{"Jupyter AI", "", "plan.show_as", "message"},
		{"agent-shell", "", "gate.compaction", "drop"},
		{"Agentic.nvim", "", "gate.compaction", "drop"},
		{"Agentic.nvim", "", "plan.show_as", "plan"},
		{"agentic", "", "gate.notices", "drop"},
		{"agentic", "", "plan.show_as", "message"},
		{"jetbrains.webstorm", "", "gate.notices", "pass"},
		{"jetbrains.webstorm", "", "gate.subagents", "drop"},
		{"CodeCompanion.nvim", "", "questions.ask", "pass"},
		{"avante", "", "questions.ask", "pass"},
		{"avante", "", "repair.option_ids", "true"},
		{"", "", "repair.option_ids", "false"},
		{"CodeCompanion.nvim", "@agentclientprotocol/codex-acp 1.7.0", "repair.one_reject", "true"},
		{"avante", "@agentclientprotocol/codex-acp 2.6.0", "repair.one_reject", "true"},
		{"kandev-agentctl", "@agentclientprotocol/codex-acp 2.6.0", "repair.one_reject", "true"},
		{"acpx 0.15.1", "@agentclientprotocol/codex-acp 2.6.0", "repair.one_reject", "true"},
		{"acpx 0.16.0", "@agentclientprotocol/codex-acp 2.6.0", "repair.one_reject", "false"},
		{"acpx 0.15.1", "@agentclientprotocol/codex-acp 1.6.0", "repair.one_reject", "false"},
		{"acpx 0.15.1", "OpenCode 1.18.33", "repair.one_reject", "false"},
		{"zed", "@agentclientprotocol/codex-acp 2.6.0", "repair.one_reject", "false"},
		{"kirocrew", "Kiro CLI Agent 1.28.1", "repair.dismiss", "true"},
		{"kcap-daemon", "cursor-agent", "repair.dismiss", "true"},
		{"kcap-daemon", "@agentclientprotocol/claude-agent-acp", "repair.dismiss", "false"},
		{"zed", "Kiro CLI Agent 1.28.1", "repair.dismiss", "false"},
		{"zed", "@agentclientprotocol/claude-agent-acp", "plan.prose", "drop"},
		{"zed", "@zed-industries/claude-agent-acp", "plan.prose", "drop"},
		{"zed", "@agentclientprotocol/codex-acp", "plan.prose", "message"},
		{"zed", "", "plan.prose", "message"},
	} {
		peer := func(text string) rule.Peer {
			if i := strings.LastIndex(text, " "); i > 0 && text[i+1] < 'A' {
				return rule.Peer{Name: text[:i], Version: text[i+1:]}
			}
			return rule.Peer{Name: text}
		}
		got := c.For(peer(test.client), peer(test.agent))
		for _, k := range got.keys() {
			if k.path == test.path && fmt.Sprint(k.value()) != test.want {
				t.Errorf("%s of %q and %q is %v, want %s", test.path, test.client, test.agent, k.value(), test.want)
			}
		}
	}
	for _, p := range c.Profiles {
		if p.Name == "" {
			t.Errorf("%+v has no name to switch it off by", p)
		}
	}
}

func TestProfileProblems(t *testing.T) {
	const whole = "[[profile]]\nclient = \"a\"\n"
	tests := []struct{ name, source, want string }{
		{"nobody", "[[profile]]\nplan.show_as = \"none\"\n", `
f:1:3: profile: want client or agent, such as client = "Zed*"; settings for everybody belong outside of profiles`},
		{"off without a name", "[[profile]]\noff = true\n", `
f:1:3: profile: want the name of the profile that is switched off`},
		{"a misspelled key", "[[profile]]\nclint = \"a\"\n", `
f:2:1: unknown key "profile.clint" (did you mean "profile.client"?)`},
		{"a misspelled setting", whole + "plan.showas = \"none\"\n[profile.gate]\nnotice = \"drop\"\n", `
f:3:6: unknown key "profile.plan.showas" (did you mean "profile.plan.show_as"?)
f:5:1: unknown key "profile.gate.notice" (did you mean "profile.gate.notices"?)`},
		{"a setting without its table", whole + "show_as = \"none\"\n", `
f:3:1: unknown key "profile.show_as" (did you mean "profile.plan.show_as"?)`},
		{"wrong values", whole + "agent = \"[\"\nplan.policy = 1\ngate = \"drop\"\nrules_on = \"x\"\n", `
f:3:9: profile.agent: glob "[": want a ] for each [, or \[ for a bracket
f:4:15: profile.plan.policy: want "checklists", "all" or "latest", not 1
f:5:8: profile.gate: want a table, [profile.gate], not "drop"
f:6:12: profile.rules_on: want a list of names in quotes, not "x"`},
		{"what is the same for all", whole + "log.level = \"off\"\n[[profile.plan.tool]]\n[profile.agents.x]\n", `
f:3:13: profile.log.level: is the same for all clients and agents: a profile may have keys of plan, choices, version, questions, repair, prompt, opening, output, login, turns, deadline, images, services, gate and junk
f:4:16: profile.plan.tool: does not belong in a profile: it has a key agent of its own
f:5:10: profile.agents: is the same for all clients and agents: a profile may have keys of plan, choices, version, questions, repair, prompt, opening, output, login, turns, deadline, images, services, gate and junk`},
		{"empty patterns", "[[profile]]\nclient = \"\"\nagent = \"!\"\njunk = \"drop\"\n", `
f:2:10: profile.client: want a glob in quotes, such as "Zed*" or "!Zed*", not ""
f:3:9: profile.agent: "!": want a name, and at most one ! before it, as in "!JetBrains*"`},
		{"negated twice", "[[profile]]\nclient = \"!!a\"\n", `
f:2:10: profile.client: "!!a": want a name, and at most one ! before it, as in "!JetBrains*"`},
		{"a range that is none", "[[profile]]\nclient = \"Zed >=1.a\"\n", `
f:2:10: profile.client: version range ">=1.a": want one such as ">=0.200 <1"`},
		{"a rule on and off", whole + "rules_on = [\"models are sent once\"]\nrules_off = [\"y\", \"models are sent once\", \"models are sent one\"]\n", `
f:4:14: profile.rules_off: there is no rule "y"
f:4:19: profile: "models are sent once" is also in rules_on
f:4:43: profile.rules_off: there is no rule "models are sent one" (did you mean "models are sent once"?)`},
		{"a name twice", strings.Repeat(whole+"name = \"n\"\n", 2), `
f:1:3: warning: profile: changes nothing: want keys of plan, choices, version, questions, repair, prompt, opening, output, login, turns, deadline, images, services, gate or junk, rules_on or rules_off
f:6:8: profile: the name "n" is already used in this file; names must be different`},
		{"one table", "[profile]\nclient = \"a\"\n", `
f:1:2: profile: want a list of tables, [[profile]] before each, not a table`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { isRefused(t, test.source, test.want) })
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"no version", "[[profile]]\nclient = \"Zed >2 <1\"\njunk = \"drop\"\n", `f:2:10: warning: profile: never matches: no version is all of "Zed >2 <1"`},
		{"none", "[[profile]]\nclient = \"a\"\njunk = \"drop\"\n[[profile]]\nclient = \"a\"\nagent = \"b\"\njunk = \"drop\"\n", ""},
		{"a shipped one is replaced", "[[profile]]\nname = \"CodeCompanion draws no plans\"\noff = true\n", ""},
		{"nothing to switch off", "[[profile]]\nname = \"CodeCompanion draws no plan\"\noff = true\n[[plan.tool]]\nname = \"x\"\noff = true\n",
			`f:2:8: warning: profile: cannot switch "CodeCompanion draws no plan" off: there is no earlier one of this name (did you mean "CodeCompanion draws no plans"?)
f:5:8: warning: plan.tool: cannot switch "x" off: there is no earlier one of this name`},
		{"no name matches", "[[profile]]\nclient = \"!**\"\njunk = \"drop\"\n", `f:2:10: warning: profile: "!**" can never match a name`},
		{"nothing changes", "[[profile]]\nclient = \"x\"\n", `f:1:3: warning: profile: changes nothing: want keys of plan, choices, version, questions, repair, prompt, opening, output, login, turns, deadline, images, services, gate or junk, rules_on or rules_off`},
		{"too late", "[[profile]]\nagent = \"x\"\nplan.advertise = false\nplan.prose = \"drop\"\n",
			`f:3:18: warning: profile: plan.advertise applies before the agent has sent its name; a profile with agent needs --agent for it`},
		{"the same twice", "[[profile]]\nclient = \"x\"\njunk = \"drop\"\n[[profile]]\nclient = \"x\"\n[profile.plan]\nprose = \"drop\"\n[[profile]]\nclient = \"x\"\njunk = \"pass\"\n",
			`f:10:8: warning: profile: junk is also set for the same client and agent in line 3; this later one counts`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Parse(Default(), "f", test.source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, withoutCarets(c.Warnings().Error())); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// withoutCarets leaves the lines of the file out of a list of problems.
func withoutCarets(text string) string {
	var got []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(line[:min(8, len(line))], "| ") {
			got = append(got, line)
		}
	}
	return strings.Join(got, "\n")
}

func TestAppliedProfilesAndTheirChanges(t *testing.T) {
	c, err := Parse(Config{}, "shipped", `[[profile]]
name = "a"
client = "Zed*"
plan.show_as = "message"
gate.notices = "drop"
rules_on = ["r"]
[[profile]]
agent = "x"
plan.prose = "drop"
[[rule]]
name = "r"
off = true
update = "u"
action = "drop"`)
	if err == nil {
		c, err = Parse(c, "mine", "gate.notices = \"pass\"")
	}
	if err != nil {
		t.Fatal(err)
	}
	applied := c.Applied(rule.Peer{Name: "Zed"}, rule.Peer{})
	if len(applied) != 1 || applied[0].Name != "a" {
		t.Fatalf("%v apply", applied)
	}
	want := []string{`plan.show_as = "message"`, `rules_on = ["r"]`}
	if got := c.Changes(applied[0]); !slices.Equal(got, want) {
		t.Errorf("it changes %q, want %q", got, want)
	}
}
