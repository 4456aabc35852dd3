package translate

import (
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// A member is a name and a value, as it stands in the text.
type member struct{ name, value string }

// An element is one of a list; members are nil if it is no object.
type element struct {
	line    int
	members []member
	value   string // of what is no object
}

// valueOf returns the value of the first member of that name, or nil.
func valueOf(members []member, name string) []byte {
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return []byte(members[i].value)
}

// textOf returns a string on one line; empty if it is none.
func textOf(members []member, name string) string {
	text, _ := wire.Text(valueOf(members, name))
	return plain(text)
}

// plain is a text on one line.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// twice returns a name that stands twice among members, or "".
func twice(members []member) string {
	if len(members) <= 16 {
		for i := range members {
			if slices.ContainsFunc(members[:i], func(m member) bool { return m.name == members[i].name }) {
				return members[i].name
			}
		}
		return ""
	}
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if seen[m.name] {
			return m.name
		}
		seen[m.name] = true
	}
	return ""
}
