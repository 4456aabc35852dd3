package config

import (
	"strings"
	"testing"

	"acpshim/filters/rule"
)

func TestCommandRows(t *testing.T) {
	base, err := Parse(Config{}, "below", "[[command]]\nname = \"a\"\ndescription = \"of all\"\n[[command]]\nname = \"b\"\ndescription = \"below\"\nagent = \"X*\"\n")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(base, "f", "[[command]]\nname = \"b\"\ndescription = \"above\"\nagent = \"X*\"\n[[command]]\nname = \"b\"\ndescription = \"of Y\"\nhint = \"h\"\nagent = \"Y >=2\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		who  rule.Peer
		want string
	}{
		{rule.Peer{Name: "X1"}, "a: of all, b: above"},
		{rule.Peer{Name: "Y", Version: "2"}, "a: of all, b: of Y"},
		{rule.Peer{Name: "Y", Version: "1"}, "a: of all"},
		{rule.Peer{}, "a: of all"},
	} {
		var got []string
		for _, command := range c.CommandsOf(test.who) {
			got = append(got, command.Name+": "+command.Description)
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%v has %q, want %q", test.who, got, test.want)
		}
	}
}

func TestCommandRowProblems(t *testing.T) {
	for text, want := range map[string]string{
		"name = \"a\"\ndescription = \"\"":    `command.description: want a text in quotes, not ""`,
		"name = \"/a\"\ndescription = \"d\"":  `want a name without a slash in quotes, such as "compact", not "/a"`,
		"name = \"a b\"\ndescription = \"d\"": `want a name without a slash`,
		"name = \"a\"":                        `want a description, such as`,
		"description = \"d\"":                 `want a name, such as`,
		"name = \"a\"\ndescription = \"d\"\n[[command]]\nname = \"a\"\ndescription = \"e\"": `the name "a" is already used in this file; names must be different`,
		"name = \"a\"\ndescription = \"d\"\nagent = \"!\"":                                  `want a name, and at most one !`,
	} {
		_, err := Parse(Config{}, "f", "[[command]]\n"+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nthe error is %v, want %s", text, err, want)
		}
	}
}
