// Package redact takes secrets out of messages of the Agent Client Protocol and of texts around
// them, so that a record of a conversation can be given away. It reads a text once, in time linear
// in its length.
//
// The files are best read in the order in which a text passes them:
//
//   - redact.go: [Redactor.Redact] gets a text. In a text that is not JSON, and in each string of
//     JSON, a scanner asks the readers below wherever three bytes may begin a secret. What they
//     find is merged, replaced and counted.
//   - json.go: reads messages and other JSON, by where a value stands in it
//   - command.go: reads calls of programs
//   - token.go: reads what looks like a token, a key, the user of a URL or a home folder
//   - assignment.go: reads names in all other texts, and values of several lines
//   - verdict.go: decides whether the value of a name is its secret
//   - syntax.go: how texts write a name, a sign and a value
//   - session.go: session ids and their fingerprints
//   - names.go: what a name says about its value, in a text and in JSON
//   - scanner.go: what all readers use: positions, edits, markers, expressions, quotes
//
// To add
//
//   - the name of a secret member, variable or flag: names.txt, section [names]. In a text it is
//     found only around one of [hints].
//   - a vendor's token: shapes.txt. Another form of a token: otherForms in token.go
//   - a program or a flag that takes a secret: commands.txt
//   - a sign between a name and its value: signs in syntax.go
//   - a case in which a value is not a secret, or is one: verdicts in verdict.go, with an example
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
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	classifier
	sessions
	patterns []pattern
	forms    formTable
	grams    grams

	edits      []edit
	unfinished block                 // at the end of the last text
	scanners   [maxDepth + 2]scanner // by depth
	judged     assignment            // the latest; a variable would be allocated for each
	tally      Tally
}

// A pattern matches what is secret wherever it stands.
type pattern struct {
	*regexp.Regexp
	kind Kind
}

// New returns a Redactor. The error names the pattern that is not RE2.
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
		known := r.learned
		r.unfinished, r.edits = left, r.edits[:0]
		r.scan(text, 0)
		r.recall(text)
		if r.learned == known {
			break
		}
	}
	dst = apply(dst, text, r.edits)
	r.tally.count(r.edits)
	if len(text) > 1<<16 { // do not keep what only a huge text needs
		r.edits, r.scanners, r.judged = nil, [len(r.scanners)]scanner{}, assignment{}
	}
	return dst
}

// scan adds the edits that a text needs. JSON in a string is a text, too, one level deeper.
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

// askReaders asks those of a gram for a secret that begins at i, and returns where to go on. A
// reader that finds none returns no more than i.
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

// tables returns the forms of all tables, and the grams of all that is always looked for. They
// are made when they are first needed: most runs redact nothing, and start at once.
var tables = sync.OnceValues(func() (forms *formTable, g *grams) {
	forms, g = new(formTable), new(grams)
	for _, f := range append(otherForms(), homeForms()...) {
		forms.add(g, f)
	}
	for _, s := range vendorTokens() {
		forms.add(g, form{begins: s.prefix, find: s.find, kind: Token, vendor: s.vendor, before: s.before})
	}
	g.add(nameBit, knownNames().hints...)
	g.add(jsonBit, `{"`, "{ ", "{\n", "{\r", "{\t")
	for name := range commands() {
		g.add(commandBit, name)
	}
	return forms, g
})

// findPatterns adds the edits for what the patterns match in a text, whose other edits are those
// since from.
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

// Args returns the arguments of a program, its name first, without their secrets: values of flags
// that are named like secrets, what the usages of known programs say, and what [Redactor.Redact]
// finds in each.
func (r *Redactor) Args(args []string) (without []string) {
	lenient := jsontext.AllowInvalidUTF8(true)
	line, _ := json.Marshal(args, lenient) // strings have no errors
	json.Unmarshal(r.Redact(nil, line), &without, lenient)
	return without
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

// kinds are in the order of a report, with a "*" where the plural has an s.
var kinds = []struct {
	kind Kind
	text string
}{
	{Key, "by name"}, {Env, "environment variable*"}, {Header, "header*"}, {Auth, "parameter* of authenticate"}, {Token, "token* by shape"},
	{URL, "in URLs"}, {Pattern, "by your patterns"}, {Opaque, "opaque"}, {Session, "session id*"}, {Home, "home folder*"},
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
