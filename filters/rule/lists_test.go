package rule

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A list of any length is looked through and edited, and what that takes grows with the list and not
// with its square.
func TestLongLists(t *testing.T) {
	const many, fewer = 700_000, 70_000
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
