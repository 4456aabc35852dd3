package paths

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"acpshim/internal/conversation"
)

// A Map maps paths between the sides. It is not changed once it is made.
type Map struct{ pairs []pair }

// NewMap returns the map of prefixes that were checked. One that is wrong is left out.
func NewMap(prefixes []Prefix) *Map {
	m := &Map{}
	for _, p := range prefixes {
		if both, err := p.parse(); err == nil {
			m.pairs = append(m.pairs, both)
		}
	}
	return m
}

// Text returns a path or file URI of one side as the other side spells it; ok is false for one
// that stays as it is: any other text, a path below no prefix, one with a name that the other side
// cannot spell, and one that the other side's spelling would not lead back to.
func (m *Map) Text(text string, from conversation.Side) (mapped string, ok bool) {
	if strings.ContainsRune(text, utf8.RuneError) { // a name that is no Unicode, or may be
		return "", false
	}
	if body, isURI := cutFold(text, "file:"); isURI {
		mapped, ok = m.uri(body, from)
	} else if found, below := m.match(text, from); below {
		mapped, ok = found.path(), true
	}
	return mapped, ok && mapped != text
}

// A match is a path below a folder of one side, and the folder of the other side.
type match struct {
	from, to folder
	rest     string // of the path, with the separators of from; empty for the folder itself
}

// path is the path of the other side.
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
		return match{}, false // the name would become two
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

// uri is Text for what follows file: in a URI. Escapes stay as they are.
func (m *Map) uri(body string, side conversation.Side) (mapped string, ok bool) {
	suffix := ""
	if i := strings.IndexAny(body, "?#"); i >= 0 {
		body, suffix = body[:i], body[i:]
	}
	body = withoutHost(body)
	path, err := url.PathUnescape(body)
	if err != nil || strings.ContainsRune(path, utf8.RuneError) {
		return "", false
	}
	if path != "" && hasDrive(path[1:]) { // as in file:///C:/src
		path, body = path[1:], after(body, 1)
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

// withoutHost takes the // and the name of this machine from before the path of a URI, or the //
// before a drive, where sloppy writers have no third slash. Any other name stays: //server/share.
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

// after returns what follows n unescaped bytes of an escaped text.
func after(escaped string, n int) string {
	for ; n > 0; n-- {
		if escaped[0] == '%' {
			escaped = escaped[2:]
		}
		escaped = escaped[1:]
	}
	return escaped
}
