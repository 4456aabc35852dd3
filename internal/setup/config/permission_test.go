package config

import (
	"fmt"
	"strings"
	"testing"
)

// The conditions of a permission rule are checked, and an error says what would be right.
func TestPermissionProblems(t *testing.T) {
	for _, test := range []struct{ keys, want string }{
		{`command = "git status"`, ""},
		{`command = ["git status", "git diff *"]`, ""},
		{`tool = "Bash"`, ""},
		{`tool = ["Bash", "Edit*"]`, ""},
		{`command = []`, `permission.command: want a glob such as "git status", or a list of globs, not an empty list`},
		{`command = ""`, `permission.command: want a glob such as "git status", not ""`},
		{`command = ["ls", ""]`, `permission.command: want a glob such as "git status", not ""`},
		{`command = true`, `permission.command: want a glob such as "git status", or a list of globs, not true`},
		{`command = ["ls", 7]`, `permission.command: want globs in quotes, not 7`},
		{`command = "git {a"`, `permission.command: glob "git {a": `},
		{`tool = []`, `permission.tool: want a glob such as "Bash", or a list of globs, not an empty list`},
		{`tool = "[a"`, `permission.tool: glob "[a": `},
		{`comand = "ls"`, `unknown key "permission.comand" (did you mean "permission.command"?)`},
		{`command = "*"`, `permission: approves every command that acpshim can read: want a command, such as command = "git status"`},
		{`command = "!git *"`, `permission.command: want a glob that does not begin with "!", which inverts nothing here`},
		{`tool = "!Bash"`, `permission.tool: want a glob that does not begin with "!", which inverts nothing here`},
		{`command = "git status && git diff"`, `permission: "git status && git diff" allows nothing: write a glob for each part of a line, without & | ; < > $ and quotes`},
		{``, `permission: approves everything: want kind, title, location, command or tool, such as kind = "read"`},
	} {
		c, err := Parse(Default(), "f", "[[permission]]\nname = \"n\"\n"+test.keys+"\nanswer = \"allow_once\"\n")
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.Join(strings.Fields(fmt.Sprint(c.Warnings())), " ")
		}
		if isRight := test.want == "" && err == nil && len(c.Warnings()) == 0; !isRight && (test.want == "" || !strings.Contains(said, test.want)) {
			t.Errorf("%s: %s, want %s", test.keys, said, test.want)
		}
	}
}
