package rule

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// The time to search and edit a long list grows linearly.
func TestLongLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	const many, fewer = 200_000, 50_000
	one := []byte("1")
	for name, test := range map[string]struct {
		many int
		rule Rule
		want func(n int) string // the list, as it becomes
	}{
		"has":    {many, Rule{When: When{Has: []string{"/params/*/b"}}, Set: []Setting{{"/hit", one}}}, nil},
		"equals": {fewer, Rule{When: equalTo("/params/*/a", `"y"`), Set: []Setting{{"/hit", one}}}, nil},
		"absent": {fewer, Rule{When: When{Absent: []string{"/params/[a=x]"}}, Set: []Setting{{"/hit", one}}}, nil},
		"set":    {many, Rule{Set: []Setting{{"/params/*/b", one}}}, func(n int) string { return list(n, `{"a":"x","b":1}`) }},
		"index": {fewer, Rule{Set: []Setting{{fmt.Sprintf("/params/%d/a", fewer/2-1), one}}}, func(n int) string {
			return strings.TrimSuffix(list(fewer/2-1, `{"a":"x"}`)+`,{"a":1},`+list(n-fewer/2, `{"a":"x"}`), ",")
		}},
		"rename": {fewer, Rule{Rename: []Renaming{{"/params/[a=x]/a", "b"}}}, func(n int) string { return list(n, `{"b":"x"}`) }},
		"append": {fewer, Rule{Append: []Setting{{"/params", one}}}, func(n int) string { return list(n, `{"a":"x"}`) + ",1" }},
		"delete": {many, Rule{Delete: []string{"/params/[a=x]"}}, func(int) string { return "" }},
	} {
		test.rule.Name = "r"
		c := converse(t, test.rule)
		took := func(n int) uint64 {
			line := `{"method":"m","params":[` + list(n, `{"a":"x"}`) + `]}`
			want := line
			if test.want != nil {
				want = `{"method":"m","params":[` + test.want(n) + `]}`
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := c.from(Agent, line)
			runtime.ReadMemStats(&after)
			if got != want {
				t.Errorf("%s: %d elements became %.100s", name, n, got)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		took(test.many / 2) // the first time it takes what stays
		half, all := took(test.many/2), took(test.many)
		if all > 3*half {
			t.Errorf("%s: %d elements take %d bytes, %d take %d", name, test.many/2, half, test.many, all)
		}
		if most := uint64(150 * test.many); all > most {
			t.Errorf("%s: %d elements take %d bytes, want at most %d", name, test.many, all, most)
		}
		c.told()
	}
}

func list(n int, element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// Rules on list elements that match nothing let a line pass unread, without memory.
func TestIdleRulesOnLists(t *testing.T) {
	var rules []Rule
	for i := range 100 {
		r := Rule{Name: fmt.Sprint(i), Update: "tool_call*", Log: true}
		r.When = When{Glob: values("/params/update/content/*/content/text", fmt.Sprintf("*the text %d*", i))}
		if i%2 == 0 {
			r.When = When{Has: []string{fmt.Sprintf("/params/update/content/[type=kind_%d]/path", i)}}
		}
		rules = append(rules, r)
	}
	set := compile(t, rules)
	agent := set.NewChain(Options{}).FromAgent(nil)
	call := func(kind, text string) []byte {
		return fmt.Appendf(nil, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","content":[{"type":"diff"},{"type":%q,"path":"x","content":{"text":%q}}]}}}`, kind, text)
	}
	for _, c := range []struct {
		line []byte
		want wire.Verdict
	}{{call("content", "a text"), wire.Pass}, {call("content", "of the text 3 it is"), wire.Hold}, {call("kind_4", ""), wire.Hold}, {call("kind_5", ""), wire.Pass}} {
		if got := agent.Inspect(c.line, true); got != c.want {
			t.Errorf("%s: %v, want %v", c.line, got, c.want)
		}
	}
	lines := [][]byte{call("content", "one"), call("diff", "two"), call("terminal", "three")}
	n := 0
	if allocs := testing.AllocsPerRun(300, func() { n++; agent.Inspect(lines[n%3], true) }); allocs > 0 {
		t.Errorf("a line takes %v allocations", allocs)
	}
}

// All rules for a line together can add only a limited number of bytes.
func TestEditsShareTheirRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	add := func(name string) Rule {
		return Rule{Name: name, Set: []Setting{{"/params/*/" + name, []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}}}
	}
	c := converse(t, add("a"), add("b"))
	line := `{"method":"m","params":[` + list(9, `{}`) + `]}`
	if got := c.from(Agent, line); strings.Count(got, `"a":`) != 9 || strings.Contains(got, `"b":`) {
		t.Errorf("it became %.100s", got)
	}
	c.told("b failed: set /params/*/b: rules would add more than 16 MiB to the line")
	if got := c.from(Agent, line); strings.Count(got, `"a":`) != 9 { // the next line has its own
		t.Errorf("it became %.100s", got)
	}
}
