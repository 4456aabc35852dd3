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

// kinds are all of them in the order in which they are told, with one and many of it. Those
// of a session and a home folder have no marker.
var kinds = []struct {
	kind      Kind
	one, many string
}{
	{Key, "by name", "by name"}, {Env, "environment variable", "environment variables"}, {Header, "header", "headers"},
	{Auth, "parameter of authenticate", "parameters of authenticate"}, {Token, "token by shape", "tokens by shape"}, {URL, "in URLs", "in URLs"},
	{Pattern, "by your patterns", "by your patterns"}, {Opaque, "opaque", "opaque"}, {Session, "session id", "session ids"}, {Home, "home folder", "home folders"},
}

// quotedMarkers are the markers as JSON strings, as there is one for each secret.
var quotedMarkers = func() map[Kind]string {
	all := make(map[Kind]string)
	for _, k := range kinds[:len(kinds)-2] {
		all[k.kind] = `"[redacted:` + string(k.kind) + `]"`
	}
	return all
}()

// marker is what stands for a secret.
func marker(kind Kind) string {
	quoted := quotedMarkers[kind]
	return quoted[1 : len(quoted)-1]
}

// markerEnd returns the end of the marker that begins at i, or i.
func markerEnd(text []byte, i int) int {
	rest, ok := bytes.CutPrefix(text[i:], []byte("[redacted:"))
	if !ok {
		return i
	}
	n := bytes.IndexByte(rest[:min(len(rest), 10)], ']')
	if n < 0 || quotedMarkers[Kind(rest[:n])] == "" {
		return i
	}
	return i + len("[redacted:") + n + 1
}

// Marks says what the last call of JSON or Text replaced, and how often. It is nil
// if that was nothing, and the caller's.
func (r *Redactor) Marks() map[Kind]int { return r.marks }

// A Tally is how much of which kind was replaced. The zero value is nothing.
type Tally struct {
	Kinds   map[Kind]int
	Vendors map[string]int // of tokens that are known by their shape, by who issues them
}

// Tally is what was replaced since the last call of Tally, and begins a new one.
func (r *Redactor) Tally() Tally {
	t := r.tally
	r.tally = Tally{}
	return t
}

// note notes that an edit was made, count that those of a call were.
func (r *Redactor) note(e edit) {
	if r.marks == nil {
		r.marks = make(map[Kind]int)
	}
	if r.tally.Kinds == nil {
		r.tally = Tally{make(map[Kind]int), make(map[string]int)}
	}
	r.marks[e.kind]++
	if e.vendor != "" {
		r.tally.Vendors[e.vendor]++
	}
}

func (r *Redactor) count() {
	for kind, n := range r.marks {
		r.tally.Kinds[kind] += n
	}
}

// String is a tally in words: "12 by name, 3 tokens by shape (2 GitHub, 1 OpenAI), 40
// session ids"; "nothing" if it is empty.
func (t Tally) String() string {
	var parts []string
	for _, k := range kinds {
		n, name := t.Kinds[k.kind], k.many
		if n == 1 {
			name = k.one
		}
		if k.kind == Token && len(t.Vendors) > 0 {
			var of []string
			for _, vendor := range slices.SortedFunc(maps.Keys(t.Vendors), func(a, b string) int { // the most frequent first
				return cmp.Or(t.Vendors[b]-t.Vendors[a], strings.Compare(a, b))
			}) {
				of = append(of, fmt.Sprint(t.Vendors[vendor], " ", vendor))
			}
			name += " (" + strings.Join(of, ", ") + ")"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", name))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}
