package redact

import "bytes"

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

// homeEnd returns the end of Options.Home if it stands at i, or i.
func (s *scanner) homeEnd(i int) int {
	if s.home == "" {
		return i
	}
	if end, ok := matchPath(s.text, i, s.home); ok {
		return end
	}
	return i
}

// path looks for the name of a user behind the separator at i.
func (s *scanner) path(i int) int {
	start := separatorEnd(s.text, i)
	if start == i && s.text[i] == '-' {
		start++
	}
	if start == i {
		return i
	}
	rest := s.text[start:]
	for _, folder := range []string{"home", "users"} {
		if len(rest) <= len(folder) || !bytes.EqualFold(rest[:len(folder)], []byte(folder)) {
			continue
		}
		// Only Windows takes any spelling.
		exact := rest[0] == 'h' && rest[1] == 'o' || rest[0] == 'U' && rest[1] == 's'
		if !exact && !(s.text[i] == '\\' || i > 0 && (s.text[i-1] == ':' || bytes.HasSuffix(s.text[:i], []byte("%3A")))) {
			continue
		}
		after := start + len(folder)
		if s.text[i] == '-' {
			// A project's folder, as agents name it: -home-alice-project.
			if end, ok := matchPath(s.text, after+1, s.user); ok && s.text[after] == '-' && s.user != "" {
				return s.replaceWith(after+1, end, Home, placeholderUser)
			}
			continue
		}
		name := separatorEnd(s.text, after)
		if name == after {
			continue
		}
		if end := s.nameEnd(name, s.text[after] == '\\'); end > name {
			if isShared(s.text[name:end]) {
				return s.keep(end)
			}
			return s.replaceWith(name, end, Home, placeholderUser)
		}
	}
	if s.user != "" && s.text[i] != '-' {
		if end, ok := matchPath(s.text, start, s.user); ok {
			return s.replaceWith(start, end, Home, placeholderUser)
		}
	}
	return i
}

// isShared reports whether a folder among the homes is nobody's.
func isShared(name []byte) bool {
	switch string(name) {
	case placeholderUser, "Shared", "Public", "Default", "All Users", "linuxbrew":
		return true
	}
	return false
}

// nameEnd returns the end of the folder's name that begins at i. On Windows it may
// have spaces, if a backslash ends it.
func (s *scanner) nameEnd(i int, windows bool) int {
	if windows && s.user != "" {
		if end, ok := matchPath(s.text, i, s.user); ok {
			return end
		}
	}
	end, space := i, -1
	for ; end < len(s.text) && end < i+128; end++ {
		c := s.text[end]
		if c == ' ' && windows && space < 0 {
			space = end
		}
		if c == ' ' && windows {
			continue
		}
		if c <= ' ' || c == 0x7f || bytes.IndexByte([]byte("/\\\"'`:;,<>|?*()[]{}&=$#!"), c) >= 0 {
			break
		}
		if c == '%' && separatorEnd(s.text, end) > end {
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
		case c == '%' && i+2 < len(text) && (text[i+1] == '2' && lower(text[i+2]) == 'f' || text[i+1] == '5' && lower(text[i+2]) == 'c'):
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
			if next == i {
				return 0, false
			}
			for j < len(want) && (want[j] == '/' || want[j] == '\\') {
				j++
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
		if lower(c) != lower(want[j]) {
			return 0, false
		}
		i += size
		j++
	}
	return i, i == len(text) || !isAlnum(text[i]) && text[i] != '_' && text[i] < 0x80
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
