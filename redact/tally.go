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

// quotedMarkers are the markers as JSON strings, spelled out as there is one for
// each secret.
var quotedMarkers = map[Kind]string{
	Env: `"[redacted:env]"`, Header: `"[redacted:header]"`, Auth: `"[redacted:auth]"`, Key: `"[redacted:key]"`,
	Token: `"[redacted:token]"`, URL: `"[redacted:url]"`, Pattern: `"[redacted:pattern]"`, Opaque: `"[redacted:opaque]"`,
}

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

// count notes that an edit was made.
func (r *Redactor) count(e edit) {
	if r.marks == nil {
		r.marks = make(map[Kind]int)
	}
	if r.tally.Kinds == nil {
		r.tally = Tally{make(map[Kind]int), make(map[string]int)}
	}
	r.marks[e.kind]++
	r.tally.Kinds[e.kind]++
	if e.vendor != "" {
		r.tally.Vendors[e.vendor]++
	}
}

// String is a tally in words: "12 by name, 3 tokens by shape (2 GitHub, 1 OpenAI), 40
// session ids"; "nothing" if it is empty.
func (t Tally) String() string {
	var parts []string
	add := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprint(n, " ", many))
		}
	}
	add(t.Kinds[Key], "by name", "by name")
	add(t.Kinds[Env], "environment variable", "environment variables")
	add(t.Kinds[Header], "header", "headers")
	add(t.Kinds[Auth], "parameter of authenticate", "parameters of authenticate")
	add(t.Kinds[Token], "token by shape", "tokens by shape")
	if len(t.Vendors) > 0 {
		var of []string
		for _, vendor := range slices.SortedFunc(maps.Keys(t.Vendors), func(a, b string) int { // the most frequent first
			return cmp.Or(t.Vendors[b]-t.Vendors[a], strings.Compare(a, b))
		}) {
			of = append(of, fmt.Sprint(t.Vendors[vendor], " ", vendor))
		}
		parts[len(parts)-1] += " (" + strings.Join(of, ", ") + ")"
	}
	add(t.Kinds[URL], "in URLs", "in URLs")
	add(t.Kinds[Pattern], "by your patterns", "by your patterns")
	add(t.Kinds[Opaque], "opaque", "opaque")
	add(t.Kinds[Session], "session id", "session ids")
	add(t.Kinds[Home], "home folder", "home folders")
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
