package config

import (
	"regexp"
	"strings"
	"testing"

	"acpshim"
	"acpshim/filters/rule"

	"github.com/google/go-cmp/cmp"
)

// Each source changes what it names, and what it set is known by it.
func TestLayers(t *testing.T) {
	c := layered(t,
		"[plan]\npolicy = \"all\"\nprose = \"drop\"\n[agents.x]\ncommand = [\"x\", \"acp\"]\nenv = {A = \"1\"}\n",
		"plan.policy = \"latest\"\n[agents.x]\ncwd = \"/srv\"\n[agents.'y z']\ncommand = [\"y\"]\n")
	c, err := Assign(c, "--set", "gate.notices=drop")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, path := range []string{"plan.policy", "plan.prose", "plan.tools", "gate.notices", "agents.x.command", "agents.x.env", "agents.x.cwd", "agents.y z.command", "agents.y z.cwd"} {
		got[path] = c.From(path).String()
	}
	want := map[string]string{
		"plan.policy": "b:1", "plan.prose": "a:3", "plan.tools": "default", "gate.notices": "--set",
		"agents.x.command": "a:5", "agents.x.env": "a:6", "agents.x.cwd": "b:3", "agents.y z.command": "b:5", "agents.y z.cwd": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	agents := map[string]Agent{
		"x":   {Command: []string{"x", "acp"}, Env: map[string]string{"A": "1"}, Cwd: "/srv"},
		"y z": {Command: []string{"y"}},
	}
	if diff := cmp.Diff(agents, c.Agents); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	if c.Plan.Policy != "latest" || c.Plan.Prose != "drop" || c.Gate.Notices != "drop" {
		t.Errorf("got %+v", c)
	}
}

func TestParseDoesNotChangeItsBase(t *testing.T) {
	const rows = "[[profile]]\nname = \"a\"\nclient = \"x\"\n[[profile]]\nname = \"b\"\nclient = \"!*\"\njunk = \"drop\"\n[[profile]]\nclient = \"z\"\n"
	base := layered(t, "[agents.x]\ncommand = [\"x\"]\n"+rows, "[[profile]]\nclient = \"w\"\n")
	shown, warnings := base.TOML(), base.Warnings().Error()
	one, err := Parse(base, "one", "agents.x.cwd = \"/srv\"\n[[profile]]\nname = \"a\"\nclient = \"one\"\n")
	if err != nil {
		t.Fatal(err)
	}
	want := one.Warnings().Error()
	if _, err := Parse(base, "two", "[[profile]]\nname = \"b\"\nclient = \"two\"\n"); err != nil {
		t.Fatal(err)
	}
	if base.Agents["x"].Cwd != "" || base.TOML() != shown || base.Warnings().Error() != warnings || one.Warnings().Error() != want {
		t.Errorf("the base was\n%s\n%s\nand is\n%s\n%v", shown, warnings, base.TOML(), base.Warnings())
	}
}

func TestAgentProblems(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"no command", "[agents.x]\ncwd = \"/a\"\n", `
f:1:9: agents.x: want command, such as command = ["codex-acp"]`},
		{"an empty command", "[agents.x]\ncommand = []\n", `
f:1:9: agents.x: want command, such as command = ["codex-acp"]`},
		{"no program", "[agents.'x y']\ncommand = [\"\", \"a\"]\n", `
f:2:12: agents."x y": want a program, not ""`},
		{"a command line", "[agents.x]\ncommand = \"codex acp\"\n", `
f:2:11: agents.x.command: want a list of a program and its arguments in quotes, not "codex acp"`},
		{"wrong values", "[agents.x]\ncommand = [\"a\"]\ncwd = \"~/b\"\nenv = { A = 1, \"B=\" = \"\", C = \"\\u0000\" }\n", `
f:3:7: agents.x.cwd: want an absolute folder in quotes, not "~/b"
f:4:13: agents.x.env: want a text in quotes, not 1
f:4:23: agents.x.env: want the name of a variable, not "B="
f:4:31: agents.x.env: want a text without NUL bytes`},
		{"a misspelled key", "[agents.x]\ncomand = [\"a\"]\n", `
f:2:1: unknown key "agents.x.comand" (did you mean "agents.x.command"?)`},
		{"a misspelled table", "[agent.x]\ncommand = [\"a\"]\n", `
f:1:2: unknown key "agent" (did you mean "agents"?)`},
		{"no name", "[agents]\ncommand = [\"a\"]\n", `
f:2:11: agents.command: want a table, [agents.command], not a list`},
		{"a list of tables", "[[agents.x]]\ncommand = [\"a\"]\n[[agents.x]]\n", `
f:1:10: agents.x: want a table, [agents.x], not a list of tables`},
		{"a value", "agents = 1\n", `
f:1:10: agents: want a table for each, such as [agents.NAME], not 1`},
		{"an empty name", "[agents.\"\"]\ncommand = [\"a\"]\n", `
f:1:9: agents."": want a name`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { isRefused(t, test.source, test.want) })
	}
}

func TestAssign(t *testing.T) {
	base := layered(t)
	for _, test := range []struct {
		assignment string
		got        func(Config) any
		want       any
	}{
		{"plan.policy=all", func(c Config) any { return c.Plan.Policy }, "all"},
		{`plan.policy="all"`, func(c Config) any { return c.Plan.Policy }, "all"},
		{" plan.policy = 'all' ", func(c Config) any { return c.Plan.Policy }, "all"},
		{"plan.tools=false", func(c Config) any { return c.Plan.Tools }, false},
		{"limits.inspect_bytes=8_192", func(c Config) any { return c.Limits.InspectBytes }, 8192},
		{"shutdown.drain=5s", func(c Config) any { return c.Shutdown.Drain.String() }, "5s"},
		{"log.file=/a b/c=d#e", func(c Config) any { return c.Log.File }, "/a b/c=d#e"},
		{`log.file=/a"\b`, func(c Config) any { return c.Log.File }, `/a"\b`},
		{"log.file=", func(c Config) any { return c.Log.File }, ""},
		{`plan.file.roots=["/a"]`, func(c Config) any { return len(c.Plan.File.Roots) }, 1},
		{`agents.x={command=["x"], env={PORT="1"}}`, func(c Config) any { return c.Agents["x"].Env["PORT"] }, "1"},
		{`profile=[{client="x", gate.notices="drop"}]`, func(c Config) any { return c.For(rule.Peer{Name: "x"}, rule.Peer{}).Gate.Notices }, "drop"},
	} {
		c, err := Assign(base, "--set", test.assignment)
		if err != nil {
			t.Errorf("%s: %v", test.assignment, err)
		} else if got := test.got(c); got != test.want {
			t.Errorf("%s: %v, want %v", test.assignment, got, test.want)
		}
	}
	for _, test := range []struct{ assignment, want string }{
		{"plan.polcy=all", `--set plan.polcy=all: unknown key "plan.polcy" (did you mean "plan.policy"?)`},
		{"plan.policy=some", `--set plan.policy=some: plan.policy: want "checklists", "all" or "latest", not "some"`},
		{"plan.policy=3", `--set plan.policy=3: plan.policy: want "checklists", "all" or "latest", not 3`},
		{"plan.tools=yes", `--set plan.tools=yes: plan.tools: want true or false, not "yes"`},
		{"limits.inspect_bytes=many", `--set limits.inspect_bytes=many: limits.inspect_bytes: want a whole number from 4096 to 1073741824, not "many"`},
		{"plan=x", `--set plan=x: plan: want a table, [plan], not "x"`},
		{"plan.policy", `--set plan.policy: want KEY=VALUE in one line, such as plan.policy=all`},
		{"=all", `--set =all: want KEY=VALUE in one line, such as plan.policy=all`},
		{"[plan]\npolicy=all", `--set "[plan]\npolicy=all": want KEY=VALUE in one line, such as plan.policy=all`},
		{"junk=pass\nlog.level=off", `--set "junk=pass\nlog.level=off": want KEY=VALUE in one line, such as plan.policy=all`},
		{"agents.x.cwd=/a", `--set agents.x.cwd=/a: agents.x: want command, such as command = ["codex-acp"]`},
		{`profile=[{name="a"},{clint="b"}]`, `--set profile=[{name="a"},{clint="b"}]: profile: want client or agent, such as client = "Zed*"; settings for everybody belong outside of profiles
--set profile=[{name="a"},{clint="b"}]: unknown key "profile.clint" (did you mean "profile.client"?)`},
	} {
		if _, err := Assign(base, "--set", test.assignment); err == nil || err.Error() != test.want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.assignment, err, test.want)
		}
	}
	c, err := Assign(base, "--set", `profile=[{client="!*", junk="drop"}]`)
	if want := `--set: warning: profile: "!*" can never match a name`; err != nil || c.Warnings().Error() != want {
		t.Errorf("got %v, %v, want %s", c.Warnings(), err, want)
	}
}

// What TOML returns gives the same configuration again, for every client.
func TestTOMLIsReadAgain(t *testing.T) {
	c := layered(t, acpshim.DefaultConfig(), `
plan.show_as = "thought" # hides a shipped profile's
log.file = "/a \"b\"\\\u0007é"
[agents."a.b"]
command = ["x", "--y=z"]
env = { B = "2", "A\"" = "1" }
[[plan.tool]]
name = "mine"
title = ["*"]
list = ["/a", "/a~1b"]
status = []
words = { "not yet" = "pending" }
[[profile]]
name = "CodeCompanion draws no plans"
off = true
[[profile]]
client = "!Zed*"
agent = "[a-c]?"
rules_on = ["models are sent once", "x"]
plan.file.roots = ["/srv"]
plan.tools = false
[[rule]]
name = "models are sent once"
off = false
[[rule]]
name = "x"
off = true
client_has = "/a"
when.has = ["/b", "/c"]
when.equals = { "/d e" = 1.50, "/f" = [1_000, 0x1F, +1e+06, 2026-11-21, true, { "b c" = [], a = {} }] }
when.regexp = { "/g" = '\d"' }
rename = { "/z" = "y", "/a" = "b" }
set = { "/z/~1" = "é\"", "/a" = 2026-11-21T08:00:00Z }
append."/l" = { type = "x" }
reply.error = { message = "no", code = -1 }
[[rule]]
name = "results"
[rule.reply.result]
b = 1
a.c = [{}]
`)
	if c.From("plan.show_as").String() != "b:2" {
		t.Fatalf("show_as is of %v", c.From("plan.show_as"))
	}
	checkReadAgain(t, c)
	shown := c.TOML()
	for _, line := range []string{
		`show_as = "thought"            # b:2`,
		`# plan.show_as = "message"     # overridden by: b:2`,
		`[[profile]]                    # b:16`,
		`[[plan.tool]]                  # b:7`,
		`env = { "A\"" = "1", B = "2" } # b:6`,
		`[[rule]]                       # b:25`,
		`when.has = ["/b", "/c"]`,
		`when.equals = { "/d e" = 1.50, "/f" = [1000, 31, 1e+06, "2026-11-21", true, { "b c" = [], a = {} }] }`,
		`rename = { "/z" = "y", "/a" = "b" }`,
		`set = { "/z/~1" = "é\"", "/a" = "2026-11-21T08:00:00Z" }`,
		`reply.error = { message = "no", code = -1 }`,
		`reply.result = { b = 1, a = { c = [{}] } }`,
	} {
		if !strings.Contains(shown, "\n"+line+"\n") {
			t.Errorf("there is no line %s in:\n%s", line, shown)
		}
	}
}

// What a terminal would obey, and what cannot be seen, is shown in escapes of TOML, and
// is the same when it is read again. So is what it says of where a value is from.
func TestHiddenCharactersAreShownInEscapes(t *testing.T) {
	const evil = `"\u001b\u007f\u0080\u009b\u2028\u202e\u2066\ufeff\U000e0041 é \u200d"`
	text := strings.ReplaceAll(`
redact.keys = [@]
[agents.@]
command = [@]
env = { A = @ }
[[profile]]
name = @
client = @
plan.file.roots = ["/x"]
rules_on = [@]
[[plan.tool]]
name = @
title = [@]
list = ["/x"]
[[rule]]
name = @
from = "both"
when.equals = { "/x" = { @ = [@] } }
when.glob = { "/y" = @ }
set = { "/z" = @ }
jq = '. + {"a": "RLO"}'
`, "@", evil)
	c, err := Parse(Default(), "a\x1b\u202e\n\xff.toml", strings.NewReplacer(`\u202e`, "\u202e", "RLO", "\u202e").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	checkReadAgain(t, c)
	for i, r := range c.TOML() {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u2028\u202e\u2066\ufeff\U000e0041", r) {
			t.Fatalf("%U is shown behind %q", r, c.TOML()[max(0, i-100):i])
		}
	}
	if shown := c.TOML(); !strings.Contains(shown, `"\u001b\u007f\u0080\u009b\u2028\u202e\u2066\ufeff\U000e0041 é `+"\u200d") || strings.Contains(shown, "\n\n.toml") {
		t.Errorf("shown:\n%s", shown)
	}
}

func checkReadAgain(t *testing.T, c Config) {
	t.Helper()
	again, err := Parse(Default(), "shown", c.TOML())
	if err != nil {
		t.Fatalf("%v\nin:\n%s", err, c.TOML())
	}
	for _, client := range []rule.Peer{{}, {Name: "Zed"}, {Name: "CodeCompanion.nvim"}} {
		for _, agent := range []rule.Peer{{}, {Name: "b1"}, {Name: "x/claude-agent-acp"}} {
			if diff := cmp.Diff(c.For(client, agent), again.For(client, agent), settingsOnly); diff != "" {
				t.Errorf("for %v and %v (-shown +read again):\n%s\nshown:\n%s", client, agent, diff, c.TOML())
			}
		}
	}
}

// The file to start with sets nothing, and each of its tables can be used as it is written.
func TestStarterConfig(t *testing.T) {
	text := acpshim.StarterConfig
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("it has %d lines, want at most 40", n)
	}
	base := Default()
	c, err := Parse(base, "f", text)
	if err != nil || c.TOML() != base.TOML() {
		t.Errorf("as it is, it changes the configuration, or is wrong: %v", err)
	}
	paragraphs := strings.Split(text, "\n\n")[1:]
	for _, p := range append(paragraphs, strings.Join(paragraphs, "\n")) {
		p = regexp.MustCompile(`(?m)^#(\S)`).ReplaceAllString(p, "$1")
		c, err := Parse(base, "f", p)
		if err != nil || len(c.Warnings()) > 0 {
			t.Errorf("%s\n%v %v", p, err, c.Warnings())
		}
		if c.TOML() == base.TOML() {
			t.Errorf("it changes nothing:\n%s", p)
		}
	}
}

// Effect is the same where no message is treated otherwise.
func TestEffect(t *testing.T) {
	shipped := layered(t).Effect()
	for source, same := range map[string]bool{
		"": true,
		"record.enabled = true\nrecord.keep_days = 1": true,
		"redact.keys = [\"x\"]":                       true,
		"log.level = \"debug\"":                       true,
		"shutdown.drain = \"9s\"":                     true,
		"[agents.a]\ncommand = [\"x\"]":               true,
		"junk = \"pass\"":                             layered(t).Junk == "pass",
		"plan.advertise = false":                      false,
		"plan.policy = \"latest\"":                    false,
		"[[rule]]\nname = \"x\"\naction = \"drop\"\nfrom = \"agent\"\nmethod = \"y\"": false,
		"[[profile]]\nclient = \"a\"\nplan.tools = false":                             false,
	} {
		if got := layered(t, source).Effect(); (got == shipped) != same {
			t.Errorf("%q: the same %v, want %v", source, got == shipped, same)
		}
	}
}
