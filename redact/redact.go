package redact

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
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

// A Redactor redacts the messages and texts of one run. It remembers the latest 1,024
// session ids that it has met, and whether the last text left something open. It is
// for one goroutine.
type Redactor struct {
	keys     map[string]bool
	pattern  *regexp.Regexp // nil for none
	paths    expression     // home folders and names of users
	strict   bool
	sessions sessions
	grams    grams
	said     map[string]saying // by the latest names

	edits    []edit
	open     open                  // what the last text left open
	scanners [maxDepth + 2]scanner // by depth
	scratch  [maxDepth + 1][]byte  // unescaped strings, by depth
	marks    map[Kind]int          // of the last call
	tally    Tally
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
	r := &Redactor{
		keys:     make(map[string]bool),
		strict:   opts.Strict,
		sessions: newSessions(opts.Salt),
		said:     make(map[string]saying),
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
	r.grams = baseGrams
	r.paths = r.grams.addPaths(strings.TrimRight(opts.Home, `/\`), opts.User)
	for _, key := range opts.Keys {
		if name := string(normalize(nil, []byte(key))); name != "" {
			r.keys[name] = true
			r.grams.add(lookName, name, key)
		}
	}
	return r, nil
}

// JSON appends line to dst without its secrets. The line may end in a newline and
// start with a byte order mark, and may be a batch; if it is one value of JSON, so
// is what is appended. Any other line is a [Redactor.Text]. The time it takes is
// linear in the length of the line, whatever is in it: some 10 ns a byte for messages as
// agents send them, and up to 3 µs where each byte may begin a secret.
func (r *Redactor) JSON(dst, line []byte) []byte {
	return r.redact(dst, line, func() {
		base := len(line) - len(bytes.TrimPrefix(line, bom))
		if r.open.kind != "" && len(line) > 0 && line[0] <= ' ' {
			r.scan(line, 0) // in JSON over several lines
			return
		}
		if end, err := r.walk(line, base, 0, message, ""); err != nil || len(bytes.TrimSpace(line[end:])) > 0 {
			r.edits = r.edits[:0]
			r.scan(line, 0)
		}
	})
}

var bom = []byte("\xef\xbb\xbf")

// Text appends text to dst without its secrets: lines of standard error, the text
// of an error, the bytes of a record that was base64. JSON in it is read as JSON. A
// private key, an environment and the like that a text leaves open at its last line's
// end goes on in the next text. The time is linear, as that of [Redactor.JSON].
func (r *Redactor) Text(dst, text []byte) []byte {
	return r.redact(dst, text, func() { r.scan(text, 0) })
}

// redact runs find, which leaves edits, and appends line with them made.
func (r *Redactor) redact(dst, line []byte, find func()) []byte {
	left := r.open
	// A session id may stand before the member that names it.
	for range 2 {
		known := r.sessions.learned
		r.open = left
		r.edits = r.edits[:0]
		find()
		r.recall(line)
		if r.sessions.learned == known {
			break
		}
	}
	r.merge(0)
	r.marks = nil
	at := 0
	for _, e := range r.edits {
		dst = append(dst, line[at:e.start]...)
		dst = append(dst, e.with...)
		at = e.end
		r.note(e)
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
}

// also adds edits for what the user's patterns match and, where that is asked for, for
// opaque runs.
func (r *Redactor) also(text []byte) {
	if r.pattern == nil && !r.strict {
		return
	}
	start := 0
	between := func(end int) {
		if r.pattern != nil {
			for _, m := range r.pattern.FindAllIndex(text[start:end], -1) {
				if m[0] < m[1] {
					r.edits = append(r.edits, edit{start + m[0], start + m[1], Pattern, marker(Pattern), ""})
				}
			}
		}
		if r.strict {
			r.opaqueRuns(text, start, end)
		}
	}
	for _, m := range markers().FindAllIndex(text, -1) {
		between(m[0])
		start = m[1]
	}
	between(len(text))
}

// merge brings the edits since from into the order of their starts, and makes one of
// those that overlap.
func (r *Redactor) merge(from int) {
	edits := r.edits[from:]
	compare := func(a, b edit) int { return cmp.Or(a.start-b.start, b.end-a.end) }
	if !slices.IsSortedFunc(edits, compare) {
		slices.SortStableFunc(edits, compare)
	}
	kept := edits[:0]
	for _, e := range edits {
		if n := len(kept) - 1; n >= 0 && e.start < kept[n].end {
			kept[n].end = max(kept[n].end, e.end)
		} else {
			kept = append(kept, e)
		}
	}
	r.edits = r.edits[:from+len(kept)]
}
