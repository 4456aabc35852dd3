package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The rows of config.toml and the one that stands there as a comment, with no
// space behind the #, have all keys of a row between them.
func TestDefaultHasEveryKeyAndNoOther(t *testing.T) {
	var c Config
	var want []string
	settings := map[string]bool{}
	for _, k := range c.keys() {
		var of row
		switch {
		case k.row != nil:
			of = k.row(Place{})
		case k.named != nil:
			of = k.named("NAME")
		default:
			settings[k.path] = true
			want = append(want, k.path)
			continue
		}
		for _, inner := range of.keys {
			want = append(want, k.path+"."+inner.path)
		}
	}
	// A profile has keys of others, which are not described again.
	ofOthers := func(path string) bool {
		path, ok := strings.CutPrefix(path, "profile.")
		table, _, _ := strings.Cut(path, ".")
		return ok && (settings[path] || slices.Contains([]string{"plan", "agents", "profile", "path", "permission", "command", "rule"}, table))
	}
	want = slices.DeleteFunc(want, ofOthers)
	source := regexp.MustCompile(`(?m)^#(\S)`).ReplaceAllString(acpshim.DefaultConfig(), "$1")
	tree := map[string]any{}
	if _, err := toml.Decode(source, &tree); err != nil {
		t.Fatal(err)
	}
	if agents, _ := tree["agents"].(map[string]any); len(agents) == 1 {
		for _, agent := range agents {
			tree["agents"] = agent // whatever its name
		}
	}
	got := map[string]bool{}
	var leaves func(map[string]any, string)
	leaves = func(table map[string]any, prefix string) {
		for name, v := range table {
			switch v := v.(type) {
			case map[string]any:
				if slices.Contains(want, prefix+name) {
					got[prefix+name] = true // the user's own names are in it
				} else {
					leaves(v, prefix+name+".")
				}
			case []map[string]any:
				for _, row := range v {
					leaves(row, prefix+name+".")
				}
			default:
				got[prefix+name] = true
			}
		}
	}
	leaves(tree, "")
	slices.Sort(want)
	maps.DeleteFunc(got, func(path string, _ bool) bool { return ofOthers(path) })
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("keys of config.toml (-in the code +in the file):\n%s", diff)
	}
	base := Default()
	if _, err := Parse(base, "config.toml", acpshim.DefaultConfig()); err != nil {
		t.Errorf("the default does not parse: %v", err)
	}
	all, err := Parse(base, "config.toml", source)
	if err != nil {
		t.Errorf("the default with its example does not parse: %v", err)
	}
	if len(all.Plan.Tool) != len(base.Plan.Tool)+1 || len(all.Profiles) != len(base.Profiles)+1 || len(all.Rules) != len(base.Rules)+5 || len(all.Agents) != 1 {
		t.Errorf("with the examples these rows: %v, %v, %v", all.Plan.Tool, all.Profiles, all.Agents)
	}
	if len(base.Warnings())+len(all.Warnings()) > 0 {
		t.Errorf("warnings:\n%v\n%v", base.Warnings(), all.Warnings())
	}
}

func TestDefaultNeedsEveryKey(t *testing.T) {
	for _, source := range []string{
		strings.Replace(acpshim.DefaultConfig(), "\njunk =", "\n# junk =", 1),
		strings.Replace(acpshim.DefaultConfig(), "\ndrain =", "\n# drain =", 1),
		acpshim.DefaultConfig() + "[[plan.tool]]\n",
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a default with a hole is taken")
				}
			}()
			parseDefault(source)
		}()
	}
}

// settingsOnly leaves places out of a comparison.
var settingsOnly = cmpopts.IgnoreUnexported(Config{}, Profile{}, Rule{})

func TestParseOverrides(t *testing.T) {
	base := Default()
	got, err := Parse(base, "f", "\ufeff[plan]\r\npolicy = \"all\"\r\nfile.roots = [\"/srv/plans\"]\r\n[shutdown]\r\ndrain = \"0s\"\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := base
	want.Plan.Policy = "all"
	want.Plan.File.Roots = []string{"/srv/plans"}
	want.Shutdown.Drain = 0
	if diff := cmp.Diff(want, got, settingsOnly); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	if base.Shutdown.Drain != time.Second {
		t.Error("Parse changed its base")
	}
}

func TestParseReportsEveryProblemAtItsPlace(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a misspelled key", "[plan]\n# advertize is not a key\n  advertize = true\n",
			"f:3:3: unknown key \"plan.advertize\" (did you mean \"plan.advertise\"?)\n    3 |   advertize = true\n      |   ^"},
		{"another case", "[plan]\nAdvertise = true\n", `f:2:1: unknown key "plan.Advertise" (did you mean "plan.advertise"?)`},
		{"a misspelled table", "[plna]\npolicy = \"all\"\n", `f:1:2: unknown key "plna" (did you mean "plan"?)`},
		{"a key without its table", "policy = \"all\"\n", `f:1:1: unknown key "policy" (did you mean "plan.policy"?)`},
		{"nothing like it", "colour = 1\n", `f:1:1: unknown key "colour" ("acpshim config show" lists all keys)`},
		{"a wrong type", "[plan]\nadvertise = \"yes\"\n", `f:2:13: plan.advertise: want true or false, not "yes"`},
		{"a wrong word", "[plan]\npolicy = \"some\"\n", `f:2:10: plan.policy: want "checklists", "all" or "latest", not "some"`},
		{"a wrong time", "[shutdown]\ndrain = 5\n", `f:2:9: shutdown.drain: want a time such as "5s" or "500ms", at most a day, not 5`},
		{"a negative time", "[shutdown]\ndrain = \"-5s\"\n", `f:2:9: shutdown.drain: want a time`},
		{"a number too small", "limits.inspect_bytes = 5\n", `f:1:24: limits.inspect_bytes: want a whole number from 4096 to 1073741824, not 5`},
		{"a number in quotes", "limits.inspect_bytes = \"5\"\n", `not "5"`},
		{"a relative folder", "plan.file.roots = [\n  \"/a\",\n  \"b\",\n]\n", `f:3:3: plan.file.roots: want absolute folders in quotes, not "b"`},
		{"a value for a table", "plan = 3\n", `f:1:8: plan: want a table, [plan], not 3`},
		{"a table for a value", "[plan.policy]\nx = 1\n", `f:1:7: plan.policy: want "checklists", "all" or "latest", not a table`},
		{"a string without quotes", "[plan]\npolicy = all\n", "f:2:10: "},
		{"what a string without quotes needs", "[shutdown]\ndrain = 5s\n", "(a string needs quotes)"},
		{"a list of tables for a table", "[[plan]]\n", "plan: want a table, [plan], not a list of tables"},
		{"a relative log file", "log.file = \"acpshim.log\"\n", `f:1:12: log.file: want an absolute path, or "" for standard error, not "acpshim.log"`},
		{"a quoted path", "\"plan.policy\" = \"all\"\n", `unknown key "plan.policy" (dots between tables are not quoted)`},
		{"a short wrong key", "x = 1\n", `unknown key "x" ("acpshim config show" lists all keys)`},
		{"a name in a string before its key", "log.file = '''\nprose\n'''\n[plan]\nprose = 1\n", `f:5:9: plan.prose: want "message" or "drop", not 1`},
		{"a key near one of another table", "[plan]\nfile.root = []\nlevel = 1\n", `f:3:1: unknown key "plan.level" (did you mean "log.level"?)`},
		{"a key of a deeper table", "[plan]\nfile.root = []\n", `f:2:6: unknown key "plan.file.root" (did you mean "plan.file.roots"?)`},
		{"too deep", "x = 1\ny = " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "f:2:69: is nested in more than 64 tables and lists\n"},
		{"a place behind other runes", "log = { \"é☃\" = 1, levle = \"info\" }\n", "f:1:19: unknown key \"log.levle\" (did you mean \"log.level\"?)"},
		{"a place behind wide runes", "log = { \"日本e\u0301\" = 1, levle = \"info\" }\n",
			"    1 | log = { \"日本e\u0301\" = 1, levle = \"info\" }\n      | " + strings.Repeat(" ", 21) + "^"},
		{"a syntax error behind other runes", "junk = \"é☃\" x\n", "f:1:12: "},
		{"an end too early behind other runes", "junk = \"é", "f:1:9: "},
		{"a control character", "\x01", "f:1:1: "},
		{"a key twice", "junk = \"pass\"\njunk = \"drop\"\n", "f:2:1: this key, or a table that it is in, is already set in line 1\n"},
		{"a list and then a table", "plan.file.roots = []\nplan.file.roots.x = 1\n", "f:2:17: this key, or a table that it is in, is already set in line 1\n"},
		{"a table and then a value", "plan.policy = \"all\"\n plan = 3\n", "f:2:2: this key, or a table that it is in, is already set"},
		{"an inline table and more", "log = { level = \"info\" }\nlog.file = \"\"\n", "f:2:5: this key, or a table that it is in, is already set"},
		{"a long line", "log = {" + strings.Repeat(" ", 1000) + "x = 1, " + strings.Repeat("#", 1000) + "\n}\n",
			"f:1:1008: unknown key \"log.x\" (\"acpshim config show\" lists all keys)\n    1 | " + strings.Repeat(" ", 80) + "x = 1, " + strings.Repeat("#", 73) + "\n      | " + strings.Repeat(" ", 80) + "^"},
		{"UTF-16", "\xff\xfe[\x00p\x00", "is it UTF-16?"},
		{"too large", strings.Repeat("#", MaxSize+1), "f: is larger than 1024 KiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(Default(), "f", test.source)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got:\n%v\nwant in it:\n%s", err, test.want)
			}
		})
	}
	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, "x%d = 1\n", i)
	}
	_, err := Parse(Config{}, "f", many.String())
	if ps, _ := err.(Problems); len(ps) != 101 || ps[99].Line != 100 || ps[100].Message != "has 50 more problems" {
		t.Errorf("of 150 problems these are listed:\n%v", err)
	}
	_, err = Parse(Config{}, "f", "[log]\nlevel = 1\nfile = 2\n[plan]\nx = 3\n")
	ps, _ := err.(Problems)
	lines := map[int]bool{}
	for _, p := range ps {
		lines[p.Line] = true
	}
	if want := map[int]bool{2: true, 3: true, 5: true}; !maps.Equal(lines, want) {
		t.Errorf("problems on lines %v, want %v", lines, want)
	}
}

// isRefused tests that a configuration has the problems that are wanted.
func isRefused(t *testing.T, source, want string) {
	t.Helper()
	_, err := Parse(Default(), "f", source)
	if err == nil {
		t.Fatal("is taken")
	}
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), withoutCarets(err.Error())); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Of what is wrong with the form of a source, the first is told, and what is wrong
// with its values only if there is none.
func TestParseTellsTheFirstFault(t *testing.T) {
	const again = "this key, or a table that it is in, is already set in line "
	for _, test := range []struct{ name, source, want string }{
		{"a key twice", "junk = \"pass\"\njunk = \"x\" # c\n[plan]\npolcy = 1\n", `
f:2:1: ` + again + `1`},
		{"a table twice", "[plan]\ntools = 1\n[plan]\ntools = 2\nx = 1\n[log]\nlevle = 1\n", `
f:3:2: ` + again + `1`},
		{"a table and then rows", "[plan.tool]\n[[plan.tool]]\n", `
f:2:8: ` + again + `1`},
		{"rows and then a table", "[[plan.tool]]\n[plan.tool]\n", `
f:2:7: ` + again + `1`},
		{"a key with dots and then a table", "[agents.x.env]\n[agents]\nx.cwd = \"/\"\n[agents.x]\n", `
f:4:9: ` + again + `1`},
		{"a key with dots and then rows", "rule.place = \"agent\"\n[[rule]]\n", `
f:2:3: ` + again + `1`},
		{"a table below one", "[plan.file]\n[plan]\nfile.read = \"disk\"\nfile = 1\n", `
f:4:1: ` + again + `1`},
		{"in a line", "log = { level = \"info\", level = 3, level = 4, x = 1 }\n", `
f:1:25: ` + again + `1`},
		{"in several lines", "log.file = \"\"\"\n\"\"\"\nlog.file = '''\n=\n'''\nx = 1\n", `
f:3:5: ` + again + `1`},
		{"the same after an escape", "\"a\" = 1\n\"\\u0061\" = 2\n", `
f:2:1: ` + again + `1`},
		{"a number out of range", "limits.inspect_bytes = 99999999999999999999\n", `
f:1:24: 99999999999999999999 is out of range for int64`},
		{"another", "[record]\nkeep_days = 1e400 # c\nx = 1\n", `
f:2:13: 1e400 is out of range for float64`},
		{"a text without quotes", "junk = pass\ndrain = 5s\n", `
f:1:8: expected value but found "pass" instead (a string needs quotes)`},
		{"a time without quotes", "shutdown.drain = 5s\n", `
f:1:19: expected a top-level item to end with a newline, comment, or EOF, but got 's' instead (a string needs quotes)`},
		{"paths without quotes", "plan.file.roots = [\"/a\", ~/b, c]\n", `
f:1:26: expected value but found '~' instead`},
		{"a word without quotes", "[plan]\ntools = ture\npolcy = 1\n", `
f:2:9: expected value but found "ture" instead (a string needs quotes)`},
		{"a header that is none", "junk = \"pass\"\n[plan\nx = 1\n", `
f:2:6: expected '.' or ']' to end table name, but got '\n' instead`},
		{"a key that is none", "[plan]\nplan..policy = \"all\"\n", `
f:2:6: unexpected '.'`},
		{"a list without its end", "a = [1,2\nb = 1\n", `
f:2:1: expected a comma (',') or array terminator (']'), but got 'b'`},
		{"what is no value", "junk =\n[plan]\npolcy = 1\n", `
f:1:7: expected value but found '\n' instead`},
	} {
		t.Run(test.name, func(t *testing.T) { isRefused(t, test.source, test.want) })
	}
}

// A value or a key that is wrong does not hide the rest.
func TestParseContinuesAfterAMistake(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"wrong keys and values", "junk = 1\n[plan]\ntools = \"x\"\npolcy = 1\n[log]\nlevle = 1\nfile = 2\n", `
f:1:8: junk: want "pass", "stderr" or "drop", not 1
f:3:9: plan.tools: want true or false, not "x"
f:4:1: unknown key "plan.polcy" (did you mean "plan.policy"?)
f:6:1: unknown key "log.levle" (did you mean "log.level"?)
f:7:8: log.file: want an absolute path, or "" for standard error, not 2`},
		{"warnings, too", "[[profile]]\nclient = \"!*\"\njunk = \"drop\"\n[plan]\npolcy = 1\n", `
f:2:10: warning: profile: "!*" can never match a name
f:5:1: unknown key "plan.polcy" (did you mean "plan.policy"?)`},
		{"no warnings of what is wrong", "[[rule]]\nname = \"r\"\nmtehod = \"x\"\naction = \"drop\"\n", `
f:3:1: unknown key "rule.mtehod" (did you mean "rule.method"?)`},
	} {
		t.Run(test.name, func(t *testing.T) { isRefused(t, test.source, test.want) })
	}
}
