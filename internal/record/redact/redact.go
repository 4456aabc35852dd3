// Package redact takes secrets out of messages of the Agent Client Protocol and of texts around
// them, so that a record of a conversation can be given away. It reads a text once, in time linear
// in its length. Tables say what it looks for:
//
//   - names.txt: names that say what their values are, in any syntax
//   - commands.txt: programs that take secrets as arguments
//   - shapes.txt: tokens of vendors
//   - forms.go: keys, password hashes and users of URLs; home.go: home folders
//   - place.go: places in messages; verdict.go: when the value of a name is its secret
//
// Strings are compared unescaped, JSON in a string is read as JSON, and base64 under a name with
// which the protocol has it, or in a data URI, is decoded and encoded again. An environment or
// headers in a text that is not JSON are replaced as a whole. Otherwise only the span of a secret
// is replaced: by a marker such as "[redacted:env]", a session id by a fingerprint
// ("session-1f3a9c2b40d7"), a user's name in a path by "user". Every other byte stays.
//
// These stay, because nothing tells that they are secret:
//
//   - a secret without a telling name, place or shape; [Options.Strict] takes out all that is long
//     and opaque
//   - a secret that is encoded, except in what the protocol encodes as base64: the output of
//     terminals, resources, images and audio. What an image shows and what audio says stays.
//   - a secret in pieces over several chunks of a message or of a terminal's output
//   - a value before its name, in a text that is cut off there
//   - a session id before the message that names it, and one of under eight bytes except under its
//     name. Who calls [Redactor.Redact] twice with all lines finds all, also those of which only
//     fingerprints by the same salt are left.
//   - the user's name, except in a path, and names of projects and hosts
//
// It rather takes too much than too little. But true, false, null, an empty string and a switch
// stay, and so do variables and headers such as NODE_ENV if their values are paths or words.
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

// A Redactor redacts the messages and texts of one run. It remembers the latest 1,024 session ids,
// and what the last text left unfinished. It is for one goroutine.
type Redactor struct {
	keys     map[string]bool
	patterns []pattern
	forms    formTable
	sessions sessions
	grams    grams
	meanings map[string]meaning // of the latest names

	edits      []edit
	unfinished block                 // at the end of the last text
	scanners   [maxDepth + 2]scanner // by depth
	tally      Tally
}

// A pattern matches what is secret wherever it stands.
type pattern struct {
	*regexp.Regexp
	kind Kind
}

// An edit replaces a span.
type edit struct {
	start, end int
	kind       Kind
	with       string
	vendor     string // of a token
	within     []edit // of what is encoded in the span; they count instead of this edit
}

// maxDepth is how many levels of JSON in strings of JSON are read as such.
const maxDepth = 6

// New returns a Redactor. The error names the pattern that is not RE2.
func New(opts Options) (*Redactor, error) {
	forms, grams := tables()
	r := &Redactor{keys: make(map[string]bool), meanings: make(map[string]meaning), grams: *grams, forms: *forms,
		sessions: sessions{mac: hmac.New(sha256.New, opts.Salt), sums: make(map[string]bool)}}
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
		r.grams.add(nameBit, key)
	}
	delete(r.keys, "")
	r.Tally() // begins the first
	for _, f := range ownForms(opts.Home, opts.User) {
		r.forms.add(&r.grams, f)
	}
	return r, nil
}

// Redact appends a line or another text to dst without its secrets. A line may end in a newline,
// start with a byte order mark and be a batch. If it is one value of JSON, so is what is appended.
// A private key, an environment and the like that a text does not finish goes on in the next text.
// The time is linear in the length of the text: some 10 ns a byte for messages as agents send them,
// and under 1 µs whatever is in it.
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
	dst = apply(dst, text, r.edits)
	r.tally.add(r.edits)
	if len(text) > 1<<16 { // do not keep what only a huge text needs
		r.edits, r.scanners = nil, [len(r.scanners)]scanner{}
	}
	return dst
}

// apply appends a text with edits to dst.
func apply(dst, text []byte, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(append(dst, text[at:e.start]...), e.with...)
		at = e.end
	}
	return append(dst, text[at:]...)
}

// findPatterns adds the edits for what the patterns match in a text. Those since from are all
// others of it.
func (r *Redactor) findPatterns(text []byte, from int) {
	for _, p := range r.patterns {
		for _, m := range p.FindAllIndex(withoutMarkers(text), -1) {
			if m[0] < m[1] && (p.kind != Opaque || isOpaque(text[m[0]:m[1]])) {
				r.edits = append(r.edits, edit{start: m[0], end: m[1], kind: p.kind, with: marker(p.kind)})
			}
		}
	}
	r.merge(from)
}

// merge sorts the edits since from by their starts, and makes one of those that overlap: the first,
// for the span of all.
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
