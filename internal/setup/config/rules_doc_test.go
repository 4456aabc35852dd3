package config

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/rules.md says of each key of a rule what it is for, in one of its two tables, and of no
// other.
func TestTheDocumentHasEveryKeyOfRules(t *testing.T) {
	text, err := os.ReadFile("../../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"name", "off"} // are in the text
	for _, title := range []string{"Which messages", "Changes"} {
		_, section, found := strings.Cut(string(text), "\n## "+title+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		rows := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| [^|]+ \\|$").FindAllStringSubmatch(section, -1)
		if !found || len(rows) == 0 || len(rows) > 20 {
			t.Errorf("%s: %d rows", title, len(rows))
		}
		for _, row := range rows {
			for _, name := range strings.Split(row[1], ", ") {
				want = append(want, strings.Trim(name, "`"))
			}
		}
		if rows := strings.Count(section, "\n|") - 2; rows != strings.Count(section, "\n| `") {
			t.Errorf("%s: a row of its table begins with no key", title)
		}
	}
	var got []string
	for _, k := range new(Rule).keys() {
		got = append(got, k.path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the keys are\n%q,\nand docs/rules.md has\n%q", got, want)
	}
}
