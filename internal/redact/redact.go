// Package redact takes secrets out of messages of the Agent Client Protocol and of texts around
// them, so that a record of a conversation can be given away. It reads a text once, in time linear
// in its length, and looks for what tables have: places of the protocol and names that say what a
// value is, in any syntax (names.txt), arguments of known programs (commands.txt), prefixes
// of vendors' tokens (shapes.txt), and keys, hashes and users of URLs (formtable.go).
//
// Strings are compared unescaped, and JSON in a string is read as JSON. An environment or headers
// in a text that is no JSON go as a whole. Otherwise only the span of a secret is replaced: by a
// marker such as "[redacted:env]", a session id by a fingerprint ("session-1f3a9c2b40d7"), a user's
// name in a path by "user". Every other byte stays.
//
// What it cannot know: a secret without a telling name, place or shape (with [Options.Strict] all
// that is long and opaque goes), one in pieces over several chunks or encoded, and what is before
// its name in a text that is cut off there; a session id before the message that names it, or one
// of under eight bytes elsewhere than under its name (who runs all lines through [Redactor.Redact]
// twice finds all, also those that only a fingerprint by the same salt is left of); the user's name
// elsewhere than in a path, and names of projects and hosts.
//
// It rather takes too much than too little. What is true, false, null, empty or a switch stays, and
// so do variables and headers such as NODE_ENV if their values are paths or words.
package redact

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
)

// Options say what is secret besides what is always so. The zero value is useful.
type Options struct {
	Keys     []string // further names of secret values, compared without case, "_" and "-"
	Patterns []string // further secrets in strings and texts, RE2
	Home     string   // the user's home folder, "" for none
	User     string   // the user's login name, "" for none
	Salt     []byte   // keys the fingerprints of session ids; without it a short id can be guessed from its fingerprint
	Strict   bool     // opaque runs of 24 characters and more are secret wherever they stand
}

// A Redactor redacts the messages and texts of one run. It remembers the latest 1,024 session
// ids, and whether the last text left something open. It is for one goroutine.
type Redactor struct {
	keys     map[string]bool
	patterns []pattern
	forms    formTable
	sessions sessions
	grams    grams
	meanings map[string]meaning // of the latest names

	edits      []edit
	unfinished block                 // what the last text left so at its end
	scanners   [maxDepth + 2]scanner // by depth
	tally      Tally
}

// A pattern matches what is secret whatever it is.
type pattern struct {
	*regexp.Regexp
	kind Kind
}

// An edit replaces a span. Of several that overlap the first counts, for all of them.
type edit struct {
	start, end int
	kind       Kind
	with       string
	vendor     string // whose token it is, for tokens by their shape
}

// maxDepth is how many levels of JSON in strings of JSON are read as such.
const maxDepth = 6

// New returns a Redactor. The error names the pattern that is no RE2.
func New(opts Options) (*Redactor, error) {
	forms, grams := tables()
	r := &Redactor{keys: make(map[string]bool), meanings: make(map[string]meaning), grams: *grams, forms: *forms,
		sessions: sessions{mac: hmac.New(sha256.New, opts.Salt), met: make(map[string]bool)}}
	for _, source := range opts.Patterns {
		expression, err := regexp.Compile(source)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", source, err)
		}
		expression.Longest()
		r.patterns = append(r.patterns, pattern{expression, Pattern})
	}
	if opts.Strict {
		r.patterns = append(r.patterns, pattern{regexp.MustCompile(`[\w+/=-]{24,}`), Opaque})
	}
	for _, key := range opts.Keys {
		r.keys[string(normalize([]byte(key)))] = true
		r.grams.add(lookName, key)
	}
	delete(r.keys, "")
	r.Tally() // begins the first
	for _, f := range ownForms(opts.Home, opts.User) {
		r.forms.add(&r.grams, f)
	}
	return r, nil
}

// Redact appends a line or another text to dst without its secrets. A line may end in a newline,
// start with a byte order mark and be a batch; if it is one value of JSON, so is what is
// appended. A private key, an environment and the like that a text leaves open at its last line's
// end goes on in the next text. The time is linear in the length of the text: some 10 ns a byte
// for messages as agents send them, and under 1 µs whatever is in it.
func (r *Redactor) Redact(dst, text []byte) []byte {
	left := r.unfinished
	for range 2 { // a session id may stand before the member that names it
		known := r.sessions.learned
		r.unfinished, r.edits = left, r.edits[:0]
		r.scan(text, 0)
		r.recall(text)
		if r.sessions.learned == known {
			break
		}
	}
	at := 0
	for _, e := range r.edits {
		dst = append(append(dst, text[at:e.start]...), e.with...)
		at = e.end
		r.tally.Kinds[e.kind]++
		if e.vendor != "" {
			r.tally.Vendors[e.vendor]++
		}
	}
	if len(text) > 1<<16 { // what a huge text needed goes
		r.edits, r.scanners = nil, [len(r.scanners)]scanner{}
	}
	return append(dst, text[at:]...)
}

// also adds the edits for what the patterns match to those since from, which have to be all
// of text, and merges them.
func (r *Redactor) also(text []byte, from int) {
	for _, p := range r.patterns {
		for _, m := range p.FindAllIndex(withoutMarkers(text), -1) {
			if m[0] < m[1] && (p.kind != Opaque || isOpaque(text[m[0]:m[1]])) {
				r.edits = append(r.edits, edit{m[0], m[1], p.kind, marker(p.kind), ""})
			}
		}
	}
	r.merge(from)
}

// merge brings the edits since from into the order of their starts, and makes one of those
// that overlap.
func (r *Redactor) merge(from int) {
	edits := r.edits[from:]
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	r.edits = r.edits[:from]
	for _, e := range edits {
		if n := len(r.edits) - 1; n >= from && e.start < r.edits[n].end {
			r.edits[n].end = max(r.edits[n].end, e.end)
		} else {
			r.edits = append(r.edits, e)
		}
	}
}
