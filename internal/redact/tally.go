package redact

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Kind says why something was replaced.
type Kind string

const (
	Env     Kind = "env"     // the value of an environment variable
	Header  Kind = "header"  // the value of an HTTP header
	Auth    Kind = "auth"    // a parameter of authenticate
	Key     Kind = "key"     // a value whose name says that it is secret
	Token   Kind = "token"   // the shape of a token or private key
	URL     Kind = "url"     // the user or a query value of a URL
	Pattern Kind = "pattern" // a match of Options.Patterns
	Opaque  Kind = "opaque"  // what only Options.Strict takes
	Session Kind = "session" // a session id
	Home    Kind = "home"    // a home folder or the name of its user
)

// kinds are all of them in the order in which they are told, with a "*" where many have an s.
var kinds = []struct {
	kind Kind
	told string
}{
	{Key, "by name"}, {Env, "environment variable*"}, {Header, "header*"}, {Auth, "parameter* of authenticate"}, {Token, "token* by shape"},
	{URL, "in URLs"}, {Pattern, "by your patterns"}, {Opaque, "opaque"}, {Session, "session id*"}, {Home, "home folder*"},
}

// marker is what stands for a secret.
func marker(kind Kind) string { return "[redacted:" + string(kind) + "]" }

var markers = lazily(`\[redacted:(?:env|header|auth|key|token|url|pattern|opaque)\]`)

// markerEnd returns the end of the marker that begins at i, or i.
func markerEnd(text []byte, i int) int {
	if i < len(text) && text[i] == '[' {
		if m := markers().FindIndex(text[i:min(len(text), i+20)]); m != nil && m[0] == 0 {
			return i + m[1]
		}
	}
	return i
}

// withoutMarkers returns text with line ends in place of markers.
func withoutMarkers(text []byte) []byte {
	return markers().ReplaceAllFunc(text, func(m []byte) []byte { return bytes.Repeat([]byte("\n"), len(m)) })
}

// A Tally is how much of which kind was replaced. The zero value is nothing.
type Tally struct {
	Kinds   map[Kind]int
	Vendors map[string]int // of tokens that are known by their shape, by who issues them
}

// Tally is what was replaced since the last call of Tally, and begins a new one.
func (r *Redactor) Tally() (t Tally) {
	t, r.tally = r.tally, Tally{make(map[Kind]int), make(map[string]int)}
	return t
}

// String is a tally in words: "12 by name, 3 tokens by shape (2 GitHub, 1 OpenAI), 40
// session ids"; "nothing" if it is empty.
func (t Tally) String() string {
	vendors := slices.SortedFunc(maps.Keys(t.Vendors), func(a, b string) int {
		return cmp.Or(t.Vendors[b]-t.Vendors[a], strings.Compare(a, b))
	})
	for i, vendor := range vendors {
		vendors[i] = fmt.Sprint(t.Vendors[vendor], " ", vendor)
	}
	var parts []string
	for _, k := range kinds {
		n, told := t.Kinds[k.kind], strings.Replace(k.told, "*", "s", 1)
		if n == 1 {
			told = strings.Replace(k.told, "*", "", 1)
		}
		if k.kind == Token && vendors != nil {
			told += " (" + strings.Join(vendors, ", ") + ")"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", told))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}
