package redact

import (
	"bytes"
	"fmt"
	"regexp"
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
	Session Kind = "session" // a session id
	Home    Kind = "home"    // a home folder or the name of its user
)

// Options say what is secret besides what is always so. The zero value is useful.
type Options struct {
	Keys     []string // further names of secret values, compared without case, "_" and "-"
	Patterns []string // further secrets in strings and texts, RE2
	Home     string   // the user's home folder, "" for none
	User     string   // the user's login name, "" for none
	Salt     []byte   // keys the fingerprints of session ids; without it a short id can be guessed from its fingerprint
}

// A Redactor redacts the messages and texts of one run. It remembers the session
// ids that it has met, the latest 1,024. It is for one goroutine.
type Redactor struct {
	keys     map[string]bool
	pattern  *regexp.Regexp // nil for none
	home     string
	user     string
	sessions sessions
	triggers triggers

	edits    []edit
	left     openPairs             // what the last text left open
	scanners [maxDepth + 2]scanner // by depth
	scratch  [maxDepth + 1][]byte  // unescaped strings, by depth
	name     []byte                // a name as it is compared
	marks    map[Kind]int
}

// An edit replaces a span; one without a kind does nothing. Edits are in the
// order of their starts, and of two that overlap the first counts.
type edit struct {
	start, end int
	kind       Kind
	with       string
}

// maxDepth is how many levels of JSON in strings of JSON are read as such.
const maxDepth = 6

// New returns a Redactor. The error names the pattern that is no RE2.
func New(opts Options) (*Redactor, error) {
	r := &Redactor{
		keys:     make(map[string]bool),
		home:     strings.TrimRight(opts.Home, `/\`),
		user:     opts.User,
		sessions: sessions{salt: bytes.Clone(opts.Salt)},
	}
	for _, key := range opts.Keys {
		if name := string(normalize(nil, []byte(key))); name != "" {
			r.keys[name] = true
		}
	}
	for _, pattern := range opts.Patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	if len(opts.Patterns) > 0 {
		r.pattern = regexp.MustCompile("(?:" + strings.Join(opts.Patterns, ")|(?:") + ")")
		r.pattern.Longest() // a pattern that matches nothing must not hide another
	}
	if !tellsUser(r.home) {
		r.home = ""
	}
	if !tellsUser(r.user) {
		r.user = ""
	}
	r.triggers = newTriggers(r.home, r.user)
	return r, nil
}

// JSON appends line to dst without its secrets. The line may end in a newline and
// start with a byte order mark, and may be a batch; if it is one value of JSON, so
// is what is appended. Any other line is a [Redactor.Text].
func (r *Redactor) JSON(dst, line []byte) []byte {
	return r.redact(dst, line, func() {
		base := len(line) - len(bytes.TrimPrefix(line, bom))
		if len(r.left.stack) > 0 && len(line) > 0 && line[0] <= ' ' {
			r.scan(line, 0) // in JSON over several lines
			return
		}
		if end, err := r.walk(line, base, 0); err != nil || len(bytes.TrimSpace(line[end:])) > 0 {
			r.edits = r.edits[:0]
			r.scan(line, 0)
		}
	})
}

var bom = []byte("\xef\xbb\xbf")

// Text appends text to dst without its secrets: lines of standard error, the text
// of an error, the bytes of a record that was base64. JSON in it is read as JSON.
func (r *Redactor) Text(dst, text []byte) []byte {
	return r.redact(dst, text, func() { r.scan(text, 0) })
}

// Marks says what the last call of JSON or Text replaced, and how often. It is nil
// if that was nothing, and the caller's.
func (r *Redactor) Marks() map[Kind]int { return r.marks }

// redact runs find, which leaves edits, and appends line with them made.
func (r *Redactor) redact(dst, line []byte, find func()) []byte {
	left := r.left
	// A session id may stand before the member that names it.
	for range 2 {
		known := r.sessions.learned
		r.left = left
		r.edits = r.edits[:0]
		find()
		r.recall(line)
		if r.sessions.learned == known {
			break
		}
	}
	r.marks = nil
	at := 0
	for _, e := range r.edits {
		if e.kind == "" || e.start < at {
			continue
		}
		dst = append(dst, line[at:e.start]...)
		dst = append(dst, e.with...)
		at = e.end
		if r.marks == nil {
			r.marks = make(map[Kind]int)
		}
		r.marks[e.kind]++
	}
	r.forget()
	return append(dst, line[at:]...)
}

// forget gives back what a huge line needed.
func (r *Redactor) forget() {
	const kept = 1 << 20
	for i, b := range r.scratch {
		if cap(b) > kept {
			r.scratch[i] = nil
		}
	}
	if cap(r.edits) > kept/64 {
		r.edits = nil
	}
	if len(r.left.stack) > maxLeft {
		r.left = openPairs{}
	}
}

// marker is what stands for a secret.
func marker(kind Kind) string {
	quoted := quotedMarker(kind)
	return quoted[1 : len(quoted)-1]
}

// quotedMarker is the marker as a JSON string.
func quotedMarker(kind Kind) string {
	switch kind { // spelled out, as there is one for each secret
	case Env:
		return `"[redacted:env]"`
	case Header:
		return `"[redacted:header]"`
	case Auth:
		return `"[redacted:auth]"`
	case Key:
		return `"[redacted:key]"`
	case Token:
		return `"[redacted:token]"`
	case URL:
		return `"[redacted:url]"`
	case Pattern:
		return `"[redacted:pattern]"`
	}
	panic("redact: no marker for " + kind)
}

// markerEnd returns the end of the marker that begins at i, or i.
func markerEnd(text []byte, i int) int {
	rest, ok := bytes.CutPrefix(text[i:], []byte("[redacted:"))
	if !ok {
		return i
	}
	n := bytes.IndexByte(rest[:min(len(rest), 10)], ']')
	if n < 0 {
		return i
	}
	switch Kind(rest[:n]) {
	case Env, Header, Auth, Key, Token, URL, Pattern:
		return i + len("[redacted:") + n + 1
	}
	return i
}
