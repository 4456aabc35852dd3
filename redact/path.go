package redact

import (
	"bytes"
	"strings"
)

const (
	placeholderHome = "/home/user"
	placeholderUser = "user"
)

// tellsUser reports whether a home folder or a login name is worth hiding: not one
// that every machine has, or so short that it is in every path.
func tellsUser(name string) bool {
	switch name {
	case "root", "/root", "user", "users", "home", placeholderHome, "/var/root":
		return false
	}
	return len(name) >= 3
}

// addPaths adds how paths with a user's name begin.
func (g *grams) addPaths(home, user string) {
	for _, begin := range []string{"/ho", "/us", `\us`, `\ho`, "-ho", "-us", "%2f", "%5c"} {
		g.add(begin, lookPath)
	}
	for _, separator := range []string{"/", `\`} {
		if user != "" {
			g.add((separator + user)[:3], lookPath)
		}
		if home != "" {
			g.add(strings.NewReplacer("/", separator, `\`, separator).Replace(home), lookPath)
			g.add(home[:1]+"%3", lookPath)
		}
	}
}

// path looks for a home folder, or the name of a user behind a separator, at i.
func (s *scanner) path(i int) int {
	if end, ok := matchPath(s.text, i, s.home); ok {
		return s.replaceWith(i, end, Home, placeholderHome)
	}
	start := separatorEnd(s.text, i)
	project := start == i && s.text[i] == '-' // a project's folder, as agents name it: -home-alice-project
	if project {
		start++
	} else if start == i {
		return i
	} else if end, ok := matchPath(s.text, start, s.user); ok {
		return s.replaceWith(start, end, Home, placeholderUser)
	}
	folder := "users"
	if hasFold(s.text[start:], "home") {
		folder = "home"
	} else if !hasFold(s.text[start:], folder) {
		return start - 1 // at the last separator
	}
	// Only Windows takes any spelling.
	exact := s.text[start] == 'h' && s.text[start+1] == 'o' || s.text[start] == 'U' && s.text[start+1] == 's'
	if !exact && s.text[i] != '\\' && (i == 0 || s.text[i-1] != ':') && !bytes.HasSuffix(s.text[:i], []byte("%3A")) {
		return i
	}
	after := start + len(folder)
	if project {
		if end, ok := matchPath(s.text, after+1, s.user); ok && s.text[after] == '-' {
			return s.replaceWith(after+1, end, Home, placeholderUser)
		}
		return i
	}
	name := separatorEnd(s.text, after)
	end := name
	if name > after {
		end = s.folderEnd(name, s.text[after] == '\\')
	}
	switch string(s.text[name:end]) {
	case "":
		return i
	case placeholderUser, "Shared", "Public", "Default", "All Users", "linuxbrew":
		return s.keep(end)
	}
	return s.replaceWith(name, end, Home, placeholderUser)
}

// folderEnd returns the end of the folder's name that begins at i. On Windows it may
// have spaces, if a backslash ends it.
func (s *scanner) folderEnd(i int, windows bool) int {
	end, space := i, -1
	for ; end < min(len(s.text), i+128); end++ {
		c := s.text[end]
		if c == ' ' && windows {
			if space < 0 {
				space = end
			}
			continue
		}
		if c <= ' ' || c == 0x7f || bytes.IndexByte([]byte("/\\\"'`:;,<>|?*()[]{}&=$#!"), c) >= 0 || c == '%' && separatorEnd(s.text, end) > end {
			break
		}
	}
	if space >= 0 && (end == len(s.text) || s.text[end] != '\\') {
		end = space
	}
	return i + len(bytes.TrimRight(s.text[i:end], ". "))
}

// separatorEnd returns the end of the separators of a path from i on: slashes,
// backslashes however often they are escaped, and both percent-encoded; 64 bytes
// at most.
func separatorEnd(text []byte, i int) int {
	for start := i; i < min(len(text), start+64); {
		switch c := text[i]; {
		case c == '/' || c == '\\':
			i++
		case c == '%' && (hasFold(text[i:], "%2f") || hasFold(text[i:], "%5c")):
			i += 3
		default:
			return i
		}
	}
	return i
}

// matchPath reports whether want stands at i, however its separators are written
// and its letters are encoded, and where it ends.
func matchPath(text []byte, i int, want string) (end int, ok bool) {
	for j := 0; j < len(want); {
		if want[j] == '/' || want[j] == '\\' {
			next := separatorEnd(text, i)
			for i < next && j < len(want) && (want[j] == '/' || want[j] == '\\') {
				j++
			}
			if next == i {
				return 0, false
			}
			i = next
			continue
		}
		if i >= len(text) {
			return 0, false
		}
		c, size := text[i], 1
		if c == '%' && i+2 < len(text) && hexDigit(text[i+1]) >= 0 && hexDigit(text[i+2]) >= 0 {
			c, size = byte(hexDigit(text[i+1])<<4|hexDigit(text[i+2])), 3
		}
		if c != want[j] && (!isLetter(c) || c|0x20 != want[j]|0x20) {
			return 0, false
		}
		i += size
		j++
	}
	return i, want != "" && (i == len(text) || !isAlnum(text[i]) && text[i] != '_' && text[i] < 0x80)
}
