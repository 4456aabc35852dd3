package redact

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	placeholderHome = "/home/user"
	placeholderUser = "user"
)

// tellsUser reports whether a home folder or a login name is worth hiding: not one
// that every machine has, or so short that it is in every path.
func tellsUser(name string) bool {
	return len(name) >= 3 && !strings.Contains(" root /root user users home /home/user /var/root ", " "+name+" ")
}

// A separator of a path may be percent-encoded, and escaped however often.
const (
	separator = `(?:[/\\]|%2[fF]|%5[cC])`
	pathEnd   = `(?:[^0-9A-Za-z_\x{80}-\x{10ffff}]|\z)`
	nameByte  = "(?:[^\\x00-\\x20\\x7f/\\\\\"'`:;,<>|?*()\\[\\]{}&=$#!%]|%(?:[013-46-9A-Fa-f]|2[0-9A-Ea-e]|5[0-9ABabD-Fd-f]))"
)

// folders match the name of any user below a folder of homes.
var folders = lazily(fmt.Sprintf(`\A%[1]s(?P<folder>(?i:home|users))%[1]s+(?:(?P<spaced>(?:%[2]s| )+%[2]s)\\|(?P<name>%[2]s+))`, separator, nameByte))

// addPaths returns the expression for paths with the home folder, or with the user behind a
// separator or in a project's folder (-home-alice-x), nil if neither tells anything.
func (g *grams) addPaths(home, user string) expression {
	g.add(lookPath, "/ho", "/us", `\us`, `\ho`, "-ho", "-us", "%2f", "%5c")
	spelled := func(name string) string { // as it may be encoded
		var b strings.Builder
		for i := range len(name) {
			switch c := name[i]; {
			case (c == '/' || c == '\\') && (i == 0 || name[i-1] != '/' && name[i-1] != '\\'):
				b.WriteString(separator + map[bool]string{false: `+`}[i == 0])
			case c != '/' && c != '\\':
				fmt.Fprintf(&b, `(?i:%s|%%%02x)`, regexp.QuoteMeta(name[i:i+1]), c)
			}
		}
		return b.String()
	}
	var all []string
	if tellsUser(home) {
		g.add(lookPath, strings.ReplaceAll(home, `\`, "/"), strings.ReplaceAll(home, "/", `\`), home[:1]+"%3")
		all = append(all, "(?P<home>"+spelled(home)+")"+pathEnd)
	}
	if tellsUser(user) {
		g.add(lookPath, ("/" + user)[:3], (`\` + user)[:3])
		all = append(all, fmt.Sprintf(`%s(?P<user>%s)%s|-(?i:home|users)-(?P<project>%[2]s)%[3]s`, separator, spelled(user), pathEnd))
	}
	if all == nil {
		return nil
	}
	return lazily(`\A(?:` + strings.Join(all, "|") + `)`)
}

// path looks for a home folder, or the name of a user behind a separator, at i.
func (s *scanner) path(i int) int {
	near := s.near(i, 512)
	var m []int
	expression := folders
	if s.paths != nil {
		if m = s.paths().FindSubmatchIndex(near); m != nil {
			expression = s.paths
		}
	}
	if m == nil {
		m = folders().FindSubmatchIndex(near)
	}
	for n, group := range expression().SubexpNames() {
		if m == nil || n == 0 || m[2*n] < 0 {
			continue
		}
		start, end := i+m[2*n], i+m[2*n+1]
		found := string(s.text[start:end])
		switch group {
		case "home":
			return s.make(edit{start, end, Home, placeholderHome, ""})
		case "folder": // only Windows takes any spelling
			if found != "home" && found != "Users" && near[0] != '\\' && (i == 0 || s.text[i-1] != ':') && (i < 3 || string(s.text[i-3:i]) != "%3A") {
				return i
			}
			continue
		case "name", "spaced":
			if found = strings.TrimRight(found, ". "); strings.Contains("|user|Shared|Public|Default|All Users|linuxbrew|", "|"+found+"|") {
				s.floor = start + len(found)
				return s.floor
			}
			end = start + len(found)
		}
		if start < end {
			return s.make(edit{start, end, Home, placeholderUser, ""})
		}
	}
	return i
}
