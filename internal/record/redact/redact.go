// Package redact removes secrets from messages of the Agent Client Protocol and from texts around
// them, so that a record of a conversation can be shared. It reads a text once, in time linear in
// its length.
//
// Read the files in this order:
//
//   - redact.go: [Redactor.Redact] redacts a text. If the text is not JSON, a scanner runs the
//     readers below wherever three bytes may begin a secret. It does the same for each string of
//     JSON. The edits that they make are merged, applied and counted.
//   - json.go: reads messages and other JSON. The place of a value says whether it is secret.
//   - command.go: reads calls of programs
//   - token.go: reads tokens, keys, users in URLs and home folders by their format
//   - assignment.go: reads a name and its value in any other text, and values of several lines
//   - verdict.go: decides whether the value of a name is a secret
//   - syntax.go: the ways to write a name, a sign and a value
//   - session.go: session ids and their fingerprints
//   - names.go: what a name says about its value
//   - scanner.go: helpers of all readers: positions, edits, markers, expressions, quotes
//
// To add
//
//   - the name of a secret member, variable or flag: add it to names.txt, section [names]. A text
//     is searched for names only around the words of [hints].
//   - a vendor's tokens: add a row to shapes.txt. For other formats, see otherForms in token.go.
//   - a program or a flag that takes a secret: add it to commands.txt
//   - a sign between a name and its value: add it to signs in syntax.go
//   - a case in which a value is or is not a secret: add it to verdicts in verdict.go
//
// Strings are compared unescaped. JSON in a string is read as JSON. Base64 is decoded and encoded
// again if it is in a data URI or in a member that the protocol defines as base64. An environment
// or headers in a text that is not JSON are replaced as a whole. For any other secret, only its own
// span is replaced by a marker such as "[redacted:env]". A session id is replaced by a fingerprint
// ("session-1f3a9c2b40d7"), and a user's name in a path by "user". Every other byte stays.
//
// Redact does not find
//
//   - a secret without a known name, place or format. With [Options.Strict] it removes everything
//     that is long and opaque.
//   - an encoded secret, except in the protocol's base64: output of terminals, resources, images
//     and audio. It does not look at what an image shows or what audio says.
//   - a secret that is split over several chunks of a message or of a terminal's output
//   - a value before its name, if the text is cut off between them
//   - a session id in a message before the one that names it, or an id of less than eight bytes
//     without its name. If you call [Redactor.Redact] twice with all lines, the second pass finds
//     every id. It also finds ids from fingerprints with the same salt.
//   - the user's name outside of paths, and names of projects and hosts
//
// In doubt it removes too much. But true, false, null and an empty string stay. Variables and
// headers such as NODE_ENV stay if their values are paths, words or switches.
package redact

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Options add to what is always secret. The zero value adds nothing.
type Options struct {
	Keys     []string // more names of secret values; case, "_" and "-" do not matter
	Patterns []string // more secrets in strings and texts, as RE2 expressions
	Home     string   // the user's home folder; "" if it is unknown
	User     string   // the user's login name; "" if it is unknown
	Salt     []byte   // the key of session fingerprints; without it, short ids can be guessed
	Strict   bool     // any opaque run of at least 24 characters is secret
}

// A Redactor redacts the messages and texts of one run. It remembers the latest 1,024 session ids,
// and the block that the last text left open. Only one goroutine may use it.
type Redactor struct {
	classifier
	sessions
	patterns []pattern
	forms    formTable
	grams    grams

	edits      []edit
	unfinished block                 // left open by the last text; see resume
	scanners   [maxDepth + 2]scanner // by their depth in strings
	current    assignment            // being judged; a field, because a variable would be allocated
	tally      Tally
}

// A pattern matches secrets anywhere in a text.
type pattern struct {
	*regexp.Regexp
	kind Kind
}

// New returns a Redactor. The error quotes a pattern that is not an RE2 expression.
func New(opts Options) (*Redactor, error) {
	forms, grams := tables()
	r := &Redactor{forms: *forms, grams: *grams, classifier: classifier{make(map[string]bool), make(map[string]meaning)}}
	r.sessions = sessions{grams: &r.grams, mac: hmac.New(sha256.New, opts.Salt), sums: make(map[string]bool)}
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
	r.Tally() // starts the first tally
	for _, f := range ownForms(opts.Home, opts.User) {
		r.forms.add(&r.grams, f)
	}
	return r, nil
}

// Redact appends a line or any other text to dst, without its secrets. It does not change the text
// or keep it. A line may end in a newline, start with a byte order mark and be a batch. If the text
// is one JSON value, so is the result. A private key, an environment or headers may continue in the
// next text. The time is linear in the length of the text: about 10 ns a byte for an agent's
// messages, and less than 1 µs a byte for any text.
func (r *Redactor) Redact(dst, text []byte) []byte {
	left := r.unfinished
	for range 2 { // the second time, because a session id may come before the member that names it
		known := r.learned
		r.unfinished, r.edits = left, r.edits[:0]
		r.scan(text, 0)
		r.learnByFingerprint(text)
		if r.learned == known {
			break
		}
	}
	dst = apply(dst, text, r.edits)
	r.tally.count(r.edits)
	if len(text) > 1<<16 { // release the memory for a huge text
		r.edits, r.scanners, r.current = nil, [len(r.scanners)]scanner{}, assignment{}
	}
	return dst
}

// scan adds the edits that a text needs. JSON in a string is a text of the next depth.
func (r *Redactor) scan(text []byte, depth int) {
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	i, from := 0, len(r.edits)
	if depth == 0 {
		if s.readDocument() {
			r.merge(0)
			return
		}
		i = s.resume()
	}
	for i+2 < len(text) {
		g := uint(text[i]&31)<<5 | uint(text[i+1]&31)
		for _, c := range text[i+2:] {
			if g = (g<<5 | uint(c&31)) & (1<<15 - 1); r.grams[g] != 0 {
				i = s.askReaders(i, r.grams[g])
				break
			}
			i++
		}
	}
	r.findPatterns(text, from)
}

// askReaders calls the readers of a gram until one of them finds a secret that begins at i, and
// returns where to continue. A reader that finds nothing returns at most i.
func (s *scanner) askReaders(i int, gram uint8) int {
	readers := [...]func(s *scanner, i int) int{(*scanner).readSession, (*scanner).readCall, (*scanner).readJSON, (*scanner).readForm, (*scanner).readName}
	for n, read := range readers {
		if gram>>n&1 != 0 {
			if end := read(s, i); end > i {
				return end
			}
		}
	}
	return i + 1
}

// tables returns the forms of all tables, and the grams of everything that is always searched for.
// They are made when they are first used, because most runs redact nothing.
var tables = sync.OnceValues(func() (forms *formTable, g *grams) {
	forms, g = new(formTable), new(grams)
	for _, f := range append(otherForms(), homeForms()...) {
		forms.add(g, f)
	}
	for _, s := range vendorTokens() {
		forms.add(g, form{prefix: s.prefix, find: s.find, kind: Token, vendor: s.vendor, minBefore: s.minBefore})
	}
	g.add(nameBit, knownNames().hints...)
	g.add(jsonBit, `{"`, "{ ", "{\n", "{\r", "{\t")
	for name := range commands() {
		g.add(commandBit, name)
	}
	return forms, g
})

// findPatterns adds an edit for each match of the patterns in a text. The other edits of this text
// begin at the index from.
func (r *Redactor) findPatterns(text []byte, from int) {
	for _, p := range r.patterns {
		for _, m := range p.FindAllIndex(withoutMarkers(text), -1) {
			if m[0] < m[1] && (p.kind != Opaque || isOpaque(text[m[0]:m[1]])) {
				r.edits = append(r.edits, markSpan(m[0], m[1], p.kind))
			}
		}
	}
	r.merge(from)
}

// merge sorts the edits from the index from on by their starts. It joins edits that overlap to one
// edit with the span of both and the kind of the first.
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

// Args returns a program's name and arguments without their secrets. It removes values of flags
// with secret names, secrets in the usages of known programs, and everything that [Redactor.Redact]
// finds.
func (r *Redactor) Args(args []string) (without []string) {
	lenient := jsontext.AllowInvalidUTF8(true)
	line, _ := json.Marshal(args, lenient) // strings never fail
	json.Unmarshal(r.Redact(nil, line), &without, lenient)
	return without
}

// A Tally counts the secrets that were replaced. The zero value is empty.
type Tally struct {
	Kinds   map[Kind]int
	Vendors map[string]int // tokens by their vendor
}

// Tally returns the tally since the last call, and starts a new one.
func (r *Redactor) Tally() (t Tally) {
	t, r.tally = r.tally, Tally{make(map[Kind]int), make(map[string]int)}
	return t
}

// kinds has the kinds in the order of a report. "*" becomes the s of the plural.
var kinds = []struct {
	kind Kind
	text string
}{
	{Key, "by name"}, {Env, "environment variable*"}, {Header, "header*"}, {Auth, "parameter* of authenticate"}, {Token, "token* by shape"},
	{URL, "in URLs"}, {Pattern, "by your patterns"}, {Opaque, "opaque"}, {Session, "session id*"}, {Home, "home folder*"},
}

// String returns a text such as "12 by name, 3 tokens by shape (2 GitHub, 1 OpenAI), 40 session
// ids", or "nothing" for an empty tally.
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

func (t *Tally) count(edits []edit) {
	for _, e := range edits {
		if e.within != nil {
			t.count(e.within)
			continue
		}
		t.Kinds[e.kind]++
		if e.vendor != "" {
			t.Vendors[e.vendor]++
		}
	}
}
