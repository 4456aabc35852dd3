package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

func TestDefaultHasEveryKeyAndNoOther(t *testing.T) {
	var c Config
	var want []string
	for _, k := range c.keys() {
		want = append(want, k.path)
	}
	tree := map[string]any{}
	if _, err := toml.Decode(acpshim.DefaultConfig, &tree); err != nil {
		t.Fatal(err)
	}
	var got []string
	var leaves func(map[string]any, string)
	leaves = func(table map[string]any, prefix string) {
		for name, v := range table {
			if inner, ok := v.(map[string]any); ok {
				leaves(inner, prefix+name+".")
			} else {
				got = append(got, prefix+name)
			}
		}
	}
	leaves(tree, "")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of config.toml (-in the code +in the file):\n%s", diff)
	}
	if _, err := Parse(Default(acpshim.DefaultConfig), "config.toml", acpshim.DefaultConfig); err != nil {
		t.Errorf("the default does not parse: %v", err)
	}
}

func TestParseOverrides(t *testing.T) {
	base := Default(acpshim.DefaultConfig)
	got, err := Parse(base, "f", "\ufeff[plan]\r\npolicy = \"all\"\r\nfile.roots = [\"/srv/plans\"]\r\n[shutdown]\r\ndrain = \"0s\"\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := base
	want.Plan.Policy = "all"
	want.Plan.File.Roots = []string{"/srv/plans"}
	want.Shutdown.Drain = 0
	if diff := cmp.Diff(want, got); diff != "" {
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
		{"nothing like it", "colour = 1\n", `f:1:1: unknown key "colour" (config.toml of acpshim lists all keys)`},
		{"a wrong type", "[plan]\nadvertise = \"yes\"\n", `f:2:1: plan.advertise: want true or false, not "yes"`},
		{"a wrong word", "[plan]\npolicy = \"some\"\n", `f:2:1: plan.policy: want "checklists" or "all" or "latest", not "some"`},
		{"a wrong time", "[shutdown]\ndrain = 5\n", `f:2:1: shutdown.drain: want a time such as "5s" or "500ms", at most a day, not 5`},
		{"a negative time", "[shutdown]\ndrain = \"-5s\"\n", `f:2:1: shutdown.drain: want a time`},
		{"a number too small", "limits.inspect_bytes = 5\n", `f:1:8: limits.inspect_bytes: want a whole number from 4096 to 1073741824, not 5`},
		{"a number in quotes", "limits.inspect_bytes = \"5\"\n", `not "5"`},
		{"a relative folder", "plan.file.roots = [\n  \"/a\",\n  \"b\",\n]\n", `f:1:11: plan.file.roots: want absolute folders in quotes, not "b"`},
		{"a value for a table", "plan = 3\n", `f:1:1: plan: want a table, [plan], not 3`},
		{"a table for a value", "[plan.policy]\nx = 1\n", `f:1:7: plan.policy: want "checklists" or "all" or "latest", not a table`},
		{"a string without quotes", "[plan]\npolicy = all\n", "f:2:10: "},
		{"what a string without quotes needs", "[shutdown]\ndrain = 5s\n", "(a string needs quotes)"},
		{"a list of tables for a table", "[[plan]]\n", "plan: want a table, [plan], not a list of tables"},
		{"a relative log file", "log.file = \"acpshim.log\"\n", `f:1:5: log.file: want an absolute path, or "" for standard error, not "acpshim.log"`},
		{"a quoted path", "\"plan.policy\" = \"all\"\n", `unknown key "plan.policy" (dots between tables are not quoted)`},
		{"a short wrong key", "x = 1\n", `unknown key "x" (config.toml of acpshim lists all keys)`},
		{"a name in a string before its key", "log.file = '''\nprose\n'''\n[plan]\nprose = 1\n", `f:5:1: plan.prose: want "message" or "drop", not 1`},
		{"UTF-16", "\xff\xfe[\x00p\x00", "is it UTF-16?"},
		{"too large", strings.Repeat("#", MaxSize+1), "f: is larger than 1024 KiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(Default(acpshim.DefaultConfig), "f", test.source)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got:\n%v\nwant in it:\n%s", err, test.want)
			}
		})
	}
	_, err := Parse(Config{}, "f", "[log]\nlevel = 1\nfile = 2\n[plan]\nx = 3\n")
	ps, _ := err.(Problems)
	lines := map[int]bool{}
	for _, p := range ps {
		lines[p.Line] = true
	}
	if want := map[int]bool{2: true, 3: true, 5: true}; !maps.Equal(lines, want) {
		t.Errorf("problems on lines %v, want %v", lines, want)
	}
}
