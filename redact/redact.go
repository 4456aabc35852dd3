package redact

import (
	"bytes"
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
	home     string
	user     string
	strict   bool
	sessions sessions
	grams    grams
	said     map[string]saying // by the latest names

	edits    []edit
	open     open                  // what the last text left open
	scanners [maxDepth + 2]scanner // by depth
	scratch  [maxDepth + 1][]byte  // unescaped strings, by depth
	name     []byte                // a name as it is compared
	marks    map[Kind]int          // of the last call
	tally    Tally
}

// An edit replaces a span; one without a kind does nothing. Edits are in the
// order of their starts, and of two that overlap the first counts.
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
		home:     strings.TrimRight(opts.Home, `/\`),
		user:     opts.User,
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
	if !tellsUser(r.home) {
		r.home = ""
	}
	if !tellsUser(r.user) {
		r.user = ""
	}
	r.grams.addPaths(r.home, r.user)
	for _, key := range opts.Keys {
		if name := string(normalize(nil, []byte(key))); name != "" {
			r.keys[name] = true
			r.grams.add(name, lookName)
			r.grams.add(key, lookName)
		}
	}
	return r, nil
}

// JSON appends line to dst without its secrets. The line may end in a newline and
// start with a byte order mark, and may be a batch; if it is one value of JSON, so
// is what is appended. Any other line is a [Redactor.Text]. The time it takes is
// linear in the length of the line, whatever is in it: some 10 ns a byte for messages as
// agents send them, and under 150 ns where each byte may begin a secret.
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
	r.marks = nil
	at := 0
	for _, e := range r.edits {
		if e.kind == "" || e.start < at {
			continue
		}
		dst = append(dst, line[at:e.start]...)
		dst = append(dst, e.with...)
		at = e.end
		r.note(e)
	}
	r.count()
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

// also adds the edits for what the user's patterns match and, where that is asked
// for, for opaque runs, to those since from. What was replaced already stays so.
func (r *Redactor) also(text []byte, from int) {
	if r.pattern == nil && !r.strict {
		return
	}
	var found []edit
	for start := 0; start < len(text); {
		end, next := len(text), len(text)
		for i := start; i < len(text); i++ {
			n := bytes.IndexByte(text[i:], '[')
			if n < 0 {
				break
			}
			if i += n; markerEnd(text, i) > i {
				end, next = i, markerEnd(text, i)
				break
			}
		}
		if r.pattern != nil {
			for _, m := range r.pattern.FindAllIndex(text[start:end], -1) {
				if m[0] < m[1] {
					found = append(found, edit{start: start + m[0], end: start + m[1], kind: Pattern, with: marker(Pattern)})
				}
			}
		}
		if r.strict {
			found = r.opaqueRuns(found, text, start, end)
		}
		start = next
	}
	if len(found) == 0 {
		return
	}
	found = append(found, r.edits[from:]...)
	slices.SortStableFunc(found, func(a, b edit) int { return a.start - b.start })
	r.edits = r.edits[:from]
	for _, e := range found {
		last := len(r.edits) - 1
		switch {
		case e.kind == "":
		case last >= from && e.start < r.edits[last].end:
			r.edits[last].end = max(r.edits[last].end, e.end)
		default:
			r.edits = append(r.edits, e)
		}
	}
}
