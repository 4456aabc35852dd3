package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"acpshim"
	"acpshim/internal/dev/growth"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	source := `# a = 0
a = 1 # b = 2
"b c" . 'd' = [ 1, [ "x,]", # e = 3
   2 ], { "\u0065\x66" = '''
g = 4
''' } ]
[ h.i ]
  j = """ \"""
k = 5""""" # two quotes and an end
[[l]]
[l.m]
n={o=1979-05-27 07:32:00,p.q=true}
[[ l ]]
é = 0
`
	source = strings.Replace(source, "é", `"é☃"`, 1)
	root, wrong := scan(source, -1)
	if wrong != nil {
		t.Errorf("%v: %s", wrong.at, wrong.message)
	}
	var got []string
	var list func(string, *node)
	list = func(path string, n *node) {
		if path != "" {
			got = append(got, fmt.Sprintf("%s %d:%d %d:%d", path, n.key.line, n.key.column, n.value.line, n.value.column))
		}
		for i, e := range n.elements {
			list(fmt.Sprintf("%s[%d]", path, i), e)
		}
		for _, name := range slices.Sorted(maps.Keys(n.members)) {
			list(path+"/"+name, n.members[name])
		}
	}
	list("", root)
	want := []string{
		"/a 2:1 2:5",
		"/b c 3:1 3:1",
		"/b c/d 3:9 3:15",
		"/b c/d[0] 3:17 3:17",
		"/b c/d[1] 3:20 3:20",
		"/b c/d[1][0] 3:22 3:22",
		"/b c/d[1][1] 4:4 4:4",
		"/b c/d[2] 4:9 4:9",
		"/b c/d[2]/ef 4:11 4:26",
		"/h 7:3 7:3",
		"/h/i 7:5 7:5",
		"/h/i/j 8:3 8:7",
		"/l 10:3 10:3",
		"/l[0] 10:3 10:3",
		"/l[0]/m 11:4 11:4",
		"/l[0]/m/n 12:1 12:3",
		"/l[0]/m/n/o 12:4 12:6",
		"/l[0]/m/n/p 12:26 12:26",
		"/l[0]/m/n/p/q 12:28 12:30",
		"/l[1] 13:4 13:4",
		"/l[1]/é☃ 14:1 14:8",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if _, err := toml.Decode(source, &map[string]any{}); err != nil {
		t.Errorf("the source is wrong: %v", err)
	}
}

// What is wrong is told of whatever it may be, without a time that grows with the square,
// and of 256 KiB of what lies in each other without a stack.
func TestParseIsLinear(t *testing.T) {
	fill := func(text string) func(int) string {
		return func(size int) string { return strings.Repeat(text, size/len(text)) }
	}
	names := func(format string) func(int) string {
		return func(size int) string {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, format, i)
			}
			return b.String()
		}
	}
	base := Default()
	for name, source := range map[string]struct {
		before string
		of     func(size int) string
		behind string
	}{
		"lists":              {"a = ", fill("["), ""},
		"inline tables":      {"a = ", fill("{a="), ""},
		"tables in an error": {"\ra = ", fill("{a="), ""},
		"dots":               {"", fill("a."), "a = 1"},
		"a deep header":      {"[", fill("a."), "a]"},
		"rows":               {"", fill("[[plan.tool]]\nx = 1\n"), ""},
		"profiles":           {"", fill("[[profile]]\nclient='a'\njunk='drop'\n"), ""},
		"profiles off":       {"", names("[[profile]]\nname='%d'\noff=true\n"), ""},
		"agents":             {"", names("[agents.x%d]\ncommand=['a']\n"), ""},
		"rows in a line":     {"plan.tool = [", fill("{x=1},"), "]"},
		"keys":               {"", names("x%d = 1\n"), ""},
		"keys in a line":     {"log = {", names("x%d = 1,"), "}"},
		"a long name":        {"", fill("x"), " = 1"},
		"a long quoted one":  {`"`, fill(`\x41`), `" = 1`},
		"wrong elements":     {"plan.file.roots = [", fill(`"x",`), "]"},
		"quotes":             {"junk = '''", fill("''x"), "'''"},
		"open quotes":        {`junk = """`, fill(`""x`), ""},
		"comments":           {"", fill("#\n"), ""},
	} {
		if slices.Contains([]string{"lists", "inline tables", "tables in an error", "dots", "a deep header"}, name) {
			Parse(Config{}, "f", source.before+source.of(MaxSize/4)+source.behind)
		}
		growth.Linear(t, name, 16<<10, func(size int) func() {
			text := source.before + source.of(size) + source.behind
			return func() { Parse(base, "f", text) }
		})
	}
}

// FuzzScan checks that of a source that the parser takes, each key and value has
// a place and stands there.
func FuzzScan(f *testing.F) {
	for _, source := range []string{
		acpshim.DefaultConfig(),
		"a.b.c = 1\n[a.d]\n'e f'=\"\"\"x\"\"\"\"\"\n",
		"[[a]]\nb = [{c=[1,[2,'x']]}, {}]\n[a.\"\\u0065\\x41\\e\"]\n[[a]]\n",
		"a = { b.c = 1, # x\n\tb.d = 1979-05-27 07:32:00Z, }\r\n",
		"a = [\n1.5e3, -inf, 0x1F, true, '''\n''''''' # y\n]\n",
		"[[a]]\nb.c = 1\n[[a]]\nb = [1]\nb = [{x=1}]\nb.d = 1\n[x.y]\n[x]\ny.z = 1\n",
		"[[a.b]]\n[[a.b.c]]\n[a.b.c.d]\n[[a.b]]\n\"\" = 0\n",
		"b=[]\nb.0=0", "0.0=0\n0=0", "a={b=1}\na.c=1", "\xff\xfe a=1", "[a", "a=[", "a={b", `"\`, "=", "a", "a=", "'", `a="""\`, "a=]",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		root, wrong := scan(source, -1)
		if wrong != nil {
			return
		}
		tree := map[string]any{}
		if _, err := toml.Decode(source, &tree); err != nil {
			return
		}
		checkNode(t, strings.Split(source, "\n"), root, tree)
	})
}

// FuzzParse checks that whatever is refused is refused at a place that is there.
func FuzzParse(f *testing.F) {
	for _, source := range []string{
		acpshim.DefaultConfig(),
		"[[plan.tool]]\nname = 'a'\ntitle = ['[']\nlist = ['a']\nwords = {a = 1}\n[[plan.tool]]\nname = 'a'\nx = 1\n",
		"plan.tool = [{off = true}, {}]\nlog = 1\n",
		"[[profile]]\nname = 'Jupyter AI draws no plans'\nclient = '!Z*'\nplan.show_as = 'none'\n[[profile]]\nagent = '*'\n[profile.gate]\nnotices = 'drop'\n",
		"[[rule]]\nname='a'\nset={'/a'=[1_0.5,inf,{b=2026-11-21}],'b'=1}\nwhen.regexp={'/c'='('}\ndelete='/d'\nreply={error={code=1}}\n[[rule]]\nname='a'\nmetohd=1\nrename={'/e'=''}\n",
		"rules.place='agent'\n[[rule]]\nname='models are sent once'\noff=false\n[[rule]]\nname='x'\nwhen={has=['/a','/b'],equals={'/c'=1e5,'/d'={e=[{}]}},glob={'/f'='*'}}\nappend={'/g'=-0.0}\nreply.result=[1979-05-27 07:32:00Z]\n[[profile]]\nclient='*'\nrules_on=['x']\n",
		"[[rule]]\nname='x'\nfrom='client'\nupdate='plan'\njq=\"\"\"\n.\n\"\"\"\n[rule.set.'/a']\nb=1\n[[rule.set.'/c']]\nd=1\n[[rule]]\nname='y'\nhold='response'\n",
		"[agents.'a b']\ncommand = ['x', \"\\u007f\"]\nenv = {A = 'é'}\n[agents.x]\ncwd = 'b'\n", "plan.show_as = 'none'\n[[profile]]\nclient = 'b'\njunk = 1\n", "[[plan.tools]]\n", "a = \"", "\xff\xfe[a]", "a = 99999999999999999999\n", "\"a.b\" = 1\n",
	} {
		f.Add(source)
	}
	base := Default()
	f.Fuzz(func(t *testing.T, source string) {
		c, err := Parse(base, "f", source)
		if err == nil {
			checkReadAgain(t, c)
			if c.RuleSet() == nil {
				t.Error("the rules do not compile")
			}
			return
		}
		lines := strings.Split(source, "\n")
		for _, p := range err.(Problems) {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(lines[p.Line-1]))+1 {
				t.Errorf("%d:%d: %s", p.Line, p.Column, p.Message)
			}
		}
		if strings.Count(err.Error(), "^") < len(err.(Problems)) {
			t.Errorf("a problem without a caret:\n%v", err)
		}
	})
}

func checkNode(t *testing.T, lines []string, n *node, value any) {
	begins := func(at position, text string) bool { return strings.HasPrefix(textAt(lines, at), text) }
	headed := n.key == n.value
	switch value := value.(type) {
	case map[string]any:
		if !headed && !begins(n.value, "{") && n.value != (position{}) {
			t.Errorf("no table at %v", n.value)
		}
		for name, v := range value {
			at := n.member(name)
			if !isKey(textAt(lines, at.key), name) {
				t.Fatalf("key %q is said to be at %v: %.20q", name, at.key, textAt(lines, at.key))
			}
			checkNode(t, lines, at, v)
		}
	case []map[string]any:
		for i, v := range value {
			e := n.element(i)
			if at := textAt(lines, e.key); at == "" {
				t.Fatalf("element %d has no place", i)
			}
			checkNode(t, lines, e, v)
		}
	case []any:
		if !begins(n.value, "[") {
			t.Errorf("no list at %v", n.value)
		}
		for i, v := range value {
			checkNode(t, lines, n.element(i), v)
		}
	case string:
		if !begins(n.value, `"`) && !begins(n.value, "'") {
			t.Errorf("no string at %v", n.value)
		}
	case bool:
		if !begins(n.value, fmt.Sprint(value)) {
			t.Errorf("no %v at %v", value, n.value)
		}
	default: // a number or a date
		if !strings.ContainsAny(textAt(lines, n.value)[:1], "+-0123456789in") {
			t.Errorf("no %v at %v", value, n.value)
		}
	}
}

// textAt returns what follows a place in its line.
func textAt(lines []string, at position) string {
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	line, column := lines[at.line-1], 1
	for i := range line {
		if column == at.column {
			return line[i:]
		}
		column++
	}
	return ""
}

// isKey tells whether a text begins with a name, however it is quoted.
func isKey(text, name string) bool {
	for end := 1; end <= len(text); end++ {
		tree := map[string]any{}
		if _, err := toml.Decode(text[:end]+" = 1", &tree); err != nil {
			continue
		}
		if _, ok := tree[name]; ok && len(tree) == 1 && (end == len(text) || !isBare(text[end])) {
			return tree[name] == int64(1)
		}
	}
	return false
}
