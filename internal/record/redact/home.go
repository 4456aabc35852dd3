package redact

import (
	"regexp"
	"strings"
)

const (
	separator = `(?:[/\\]|%2[fF]|%5[cC]){1,8}`
	notInName = "\\x00-\\x20\\x7f/\\\\\"'`:;,<>|?*()\\[\\]{}&=$#!%" // ends the name of a folder
	folder    = `(?:[^` + notInName + `]|%[^25]|%2[^fF]|%5[^cC])*[^.` + notInName + `]`
)

// homeForms are the home folders of anybody. Only on Windows "users" is spelled in any case, and a
// name may have spaces.
func homeForms() []form {
	windows := inGroup(`\A:?\\+(?i:users)\\+(?P<secret>`+folder+`(?: +`+folder+`)*)\\`, isUser)
	anywhere := inGroup(`\A(?:(?:(?::|%3[aA])`+separator+`|\\{1,8})(?i:users)|`+separator+`(?:home|Users))`+
		separator+`(?P<secret>`+folder+`)`, isUser)
	return []form{
		{begins: `\users|:\users`, kind: Home, with: "user", find: windows},
		{begins: `/home|\home|%2fhome|%5chome|/users|\users|%2fusers|%5cusers|:/users|:\users|%3a/users|%3a%2fusers`,
			kind: Home, with: "user", find: anywhere},
	}
}

// isUser reports whether a folder among the home folders belongs to a user who is to be hidden.
func isUser(name []byte) bool {
	return !strings.Contains("|user|Shared|Public|Default|All Users|linuxbrew|", "|"+string(name)+"|")
}

// ownForms are the user's own home folder and login name, as far as they identify anybody: not
// names that every machine has, or that are so short that they are in every path.
func ownForms(home, user string) (all []form) {
	identifies := func(name string) bool {
		return len(name) >= 3 && !strings.Contains("|root|/root|user|users|home|/home/user|/var/root|", "|"+name+"|")
	}
	add := func(begins, with, before, name string) {
		const after = `(?:[^\w\x{80}-\x{10ffff}]|\z)`
		all = append(all, form{begins: begins, kind: Home, with: with,
			find: inGroup(`\A(?i:`+before+"(?P<secret>"+name+"))"+after, nil)})
	}
	if home = strings.ReplaceAll(strings.TrimRight(home, `/\`), `\`, "/"); identifies(home) {
		begins := home[:2]
		if home[0] == '/' {
			begins = inPath(home[1:2])
		}
		add(begins, "/home/user", "", strings.ReplaceAll(regexp.QuoteMeta(home), "/", separator))
	}
	if identifies(user) {
		add(inPath(user), "user", separator, regexp.QuoteMeta(user))
		add("-home|-users", "user", "-(?:home|users)-", regexp.QuoteMeta(user))
	}
	return all
}

// inPath is how a name begins after each separator of a path.
func inPath(name string) string {
	return "/" + name + `|\` + name + "|%2f" + name + "|%5c" + name
}
