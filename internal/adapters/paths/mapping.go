package paths

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/conversation"
)

// A Map maps paths between client and agent. It is immutable.
type Map struct{ pairs []pair }

// NewMap returns a Map. It leaves out invalid prefixes.
func NewMap(prefixes []Prefix) *Map {
	m := &Map{}
	for _, p := range prefixes {
		if both, err := p.parse(); err == nil {
			m.pairs = append(m.pairs, both)
		}
	}
	return m
}

// Text maps a path or file URI of one side to the other side. It returns false for everything that
// must stay as it is: other text, a path below no prefix, a name that the other side cannot spell,
// and a path that would not map back to the same.
func (m *Map) Text(text string, from conversation.Side) (mapped string, ok bool) {
	if strings.ContainsRune(text, utf8.RuneError) { // the original may not be Unicode
		return "", false
	}
	if body, isURI := cutFold(text, "file:"); isURI {
		mapped, ok = m.uri(body, from)
	} else if found, below := m.match(text, from); below {
		mapped, ok = found.path(), true
	}
	return mapped, ok && mapped != text
}

// A match is a path below a folder of one side, and the matching folder of the other side.
type match struct {
	from, to folder
	rest     string // the path after from, with the separators of from; empty for the folder itself
}

// path returns the path on the other side.
func (m match) path() string {
	switch {
	case m.to.windows && !m.from.windows:
		return m.to.text + strings.ReplaceAll(m.rest, "/", `\`)
	case m.from.windows && !m.to.windows:
		return m.to.text + strings.ReplaceAll(m.rest, `\`, "/")
	}
	return m.to.text + m.rest
}

// match finds the folder of a path.
func (m *Map) match(path string, side conversation.Side) (found match, ok bool) {
	i, rest := m.find(path, side.Index())
	if i < 0 {
		return match{}, false
	}
	from, to := m.pairs[i][side.Index()], m.pairs[i][side.Other().Index()]
	switch {
	case from.isRoot() && len(rest) == 1:
		rest = "" // C:\ is /mnt/c, not /mnt/c/
	case to.windows && !from.windows && strings.Contains(rest, `\`):
		return match{}, false // one name would become two
	}
	if to.isRoot() && rest == "" {
		rest = from.separator()
	}
	found = match{from, to, rest}
	back, _ := m.find(found.path(), side.Other().Index())
	return found, back == i
}

// find returns the index of the longest folder of a side that a path is below, or -1.
func (m *Map) find(path string, side int) (index int, rest string) {
	index = -1
	for i, p := range m.pairs {
		below, ok := p[side].cut(path)
		if ok && (index < 0 || len(p[side].text) > len(m.pairs[index][side].text)) {
			index, rest = i, below
		}
	}
	return index, rest
}

// uri is Text for the part of a URI after file:. It keeps escapes as they are.
func (m *Map) uri(body string, side conversation.Side) (mapped string, ok bool) {
	path, body, suffix, ok := splitURI(body)
	if !ok {
		return "", false
	}
	found, ok := m.match(path, side)
	if !ok {
		return "", false
	}
	rest := found.rest
	if found.from.windows {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	if strings.HasSuffix(path, rest) {
		rest = after(body, len(path)-len(rest))
	} else {
		rest = escape(rest)
	}
	return found.to.uri() + rest + suffix, true
}

// splitURI splits the part of a URI after file: into the path that it names, the same path with its
// escapes, and the query and fragment. It returns false if that is not Unicode.
func splitURI(body string) (path, escaped, suffix string, ok bool) {
	escaped = body
	if i := strings.IndexAny(body, "?#"); i >= 0 {
		escaped, suffix = body[:i], body[i:]
	}
	escaped = withoutHost(escaped)
	path, err := url.PathUnescape(escaped)
	if err != nil || strings.ContainsRune(path, utf8.RuneError) {
		return "", "", "", false
	}
	if path != "" && hasDrive(path[1:]) { // such as file:///C:/src
		path, escaped = path[1:], after(escaped, 1)
	}
	return path, escaped, suffix, true
}

// FromURI returns the path that a file URI names, as its machine spells it, and the query and
// fragment of the URI. It returns false for all other texts.
func FromURI(uri string) (path, suffix string, ok bool) {
	body, isURI := cutFold(uri, "file:")
	path, _, suffix, ok = splitURI(body)
	if hasDrive(path) || strings.HasPrefix(path, "//") {
		path = strings.ReplaceAll(path, "/", `\`)
	}
	return path, suffix, ok && isURI && path != ""
}

// withoutHost removes // and the name of this machine from the path of a URI, and // before a
// drive, which some write with two slashes only. It keeps other hosts, as in //server/share.
func withoutHost(body string) (path string) {
	names, ok := strings.CutPrefix(body, "//")
	if !ok {
		return body
	}
	host := names
	if i := strings.IndexAny(names, `/\`); i >= 0 {
		host = names[:i]
	}
	switch {
	case host == "", strings.EqualFold(host, "localhost"):
		return names[len(host):]
	case hasDrive(host):
		return names
	}
	return body
}

// after returns the text after the first n unescaped bytes.
func after(escaped string, n int) string {
	for ; n > 0; n-- {
		if escaped[0] == '%' {
			escaped = escaped[2:]
		}
		escaped = escaped[1:]
	}
	return escaped
}
