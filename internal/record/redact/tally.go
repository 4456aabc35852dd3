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
	Token   Kind = "token"   // what looks like a token or a private key
	URL     Kind = "url"     // the user or a query value of a URL
	Pattern Kind = "pattern" // a match of Options.Patterns
	Opaque  Kind = "opaque"  // what only Options.Strict takes
	Session Kind = "session" // a session id
	Home    Kind = "home"    // a home folder or the name of its user
)

// kinds are in the order of a report, with a "*" where the plural has an s.
var kinds = []struct {
	kind Kind
	text string
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

// withoutMarkers returns a text with line ends in place of markers, which no pattern spans.
func withoutMarkers(text []byte) []byte {
	return markers().ReplaceAllFunc(text, func(m []byte) []byte { return bytes.Repeat([]byte("\n"), len(m)) })
}

// A Tally counts what was replaced. The zero value is empty.
type Tally struct {
	Kinds   map[Kind]int
	Vendors map[string]int // tokens, by who issues them
}

// Tally returns what was replaced since the last call, and begins a new tally.
func (r *Redactor) Tally() (t Tally) {
	t, r.tally = r.tally, Tally{make(map[Kind]int), make(map[string]int)}
	return t
}

// add counts edits.
func (t *Tally) add(edits []edit) {
	for _, e := range edits {
		if e.within != nil {
			t.add(e.within)
			continue
		}
		t.Kinds[e.kind]++
		if e.vendor != "" {
			t.Vendors[e.vendor]++
		}
	}
}

// String returns "12 by name, 3 tokens by shape (2 GitHub, 1 OpenAI), 40 session ids", or "nothing"
// if the tally is empty.
func (t Tally) String() string {
	vendors := slices.SortedFunc(maps.Keys(t.Vendors), func(a, b string) int {
		return cmp.Or(t.Vendors[b]-t.Vendors[a], strings.Compare(a, b))
	})
	for i, vendor := range vendors {
		vendors[i] = fmt.Sprint(t.Vendors[vendor], " ", vendor)
	}
	var parts []string
	for _, k := range kinds {
		n, text := t.Kinds[k.kind], strings.Replace(k.text, "*", "s", 1)
		if n == 1 {
			text = strings.Replace(k.text, "*", "", 1)
		}
		if k.kind == Token && vendors != nil {
			text += " (" + strings.Join(vendors, ", ") + ")"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", text))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}
