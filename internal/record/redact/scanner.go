package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/internal/chain/wire"
	"acpshim/internal/text/glob"
)

// A scanner searches a text for secrets, once from its beginning to its end.
type scanner struct {
	*Redactor
	text     []byte
	depth    int // the number of JSON strings that enclose the text
	consumed int // the end of the last edit or JSON object; readers do not look at bytes before it

	// Each is a position up to which one reader has already read, so that nothing is read twice.
	notJSON, nameEnd, callEnd, bracketsEnd, valueEnd int
}

// The readers of a scanner as bits, in the order in which they are called.
const (
	sessionBit uint8 = 1 << iota
	commandBit
	jsonBit
	formBit
	nameBit
)

// grams has a set of readers for each sequence of three bytes, with only the lowest five bits of
// each byte. For most positions of a text the set is empty, so that a position costs one lookup.
type grams [1 << 15]uint8

// add adds a reader for texts that begin with begin. After a begin of one or two bytes, any bytes
// may follow.
func (g *grams) add(reader uint8, begins ...string) {
	for _, begin := range begins {
		at, bits := 0, 15
		for i := 0; i < len(begin) && bits > 0; i++ {
			at, bits = at<<5|int(begin[i]&31), bits-5
		}
		for rest := range 1 << bits {
			g[at<<bits|rest] |= reader
		}
	}
}

// near returns up to n bytes of the text from i on.
func (s *scanner) near(i, n int) []byte { return s.text[i:min(len(s.text), i+n)] }

// runStart returns the start of the run of bytes before i that is accepts, at most most bytes
// before i.
func (s *scanner) runStart(i, most int, is func(c byte) bool) int {
	for low := max(s.consumed, i-most); i > low && is(s.text[i-1]); {
		i--
	}
	return i
}

// replace replaces a span by a marker, and returns where to continue.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.addEdit(markSpan(start, end, kind))
}

// addEdit adds an edit, unless its span is empty or a marker, and returns where to continue.
func (s *scanner) addEdit(e edit) int {
	s.consumed = max(e.start, e.end)
	if n := markerEnd(s.text, e.start); n > e.start {
		s.consumed = n
	} else if e.kind != "" && e.start < e.end {
		s.edits = append(s.edits, e)
	}
	return s.consumed
}

// An edit replaces a span of a text.
type edit struct {
	start, end int
	kind       Kind
	with       string
	vendor     string // of a token
	within     []edit // edits of the encoded text in the span; a tally counts these instead
}

// markSpan returns the edit that replaces a span by a marker.
func markSpan(start, end int, kind Kind) edit {
	return edit{start: start, end: end, kind: kind, with: marker(kind)}
}

// apply appends a text with its edits to dst. The edits must be sorted and must not overlap.
func apply(dst, text []byte, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(append(dst, text[at:e.start]...), e.with...)
		at = e.end
	}
	return append(dst, text[at:]...)
}

// A Kind says what a secret is, or how it was found.
type Kind string

const (
	Env     Kind = "env"     // the value of an environment variable
	Header  Kind = "header"  // the value of an HTTP header
	Auth    Kind = "auth"    // a parameter of authenticate
	Key     Kind = "key"     // the value of any other secret name
	Token   Kind = "token"   // a token, a private key or a password hash, found by its format
	URL     Kind = "url"     // the user or a query value of a URL
	Pattern Kind = "pattern" // a match of Options.Patterns
	Opaque  Kind = "opaque"  // a long opaque text, with Options.Strict
	Session Kind = "session" // a session id
	Home    Kind = "home"    // a home folder or the name of its user
)

// marker returns the text that replaces a secret.
func marker(kind Kind) string { return "[redacted:" + string(kind) + "]" }

var markers = lazily(`\[redacted:(?:env|header|auth|key|token|url|pattern|opaque)\]`)

// markerEnd returns the end of the marker that begins at i, or i if no marker begins there.
func markerEnd(text []byte, i int) int {
	if i < len(text) && text[i] == '[' {
		if m := markers().FindIndex(text[i:min(len(text), i+20)]); m != nil && m[0] == 0 {
			return i + m[1]
		}
	}
	return i
}

// withoutMarkers returns a text in which the bytes of markers are line ends, which no pattern
// spans.
func withoutMarkers(text []byte) []byte {
	return markers().ReplaceAllFunc(text, func(m []byte) []byte { return bytes.Repeat([]byte("\n"), len(m)) })
}

// An expression is compiled when it is first used, because most runs redact nothing.
type expression func() *regexp.Regexp

func lazily(source string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// A match has the spans that an expression and its named groups match.
type match struct {
	names []string
	spans []int
}

func (e expression) match(text []byte) (m match, ok bool) {
	m = match{e().SubexpNames(), e().FindSubmatchIndex(text)}
	return m, m.spans != nil
}

func (m match) end() int { return m.spans[1] }

// group returns the span of a group. Ok is false if the group matches nothing.
func (m match) group(name string) (g wire.Span, ok bool) {
	n := slices.Index(m.names, name)
	g = wire.Span{Start: m.spans[2*n], End: m.spans[2*n+1]}
	return g, g.Start >= 0
}

// A finder returns the span of a secret in a text. The text begins with the prefix of the form.
type finder func(text []byte) (secret wire.Span, ok bool)

// inGroup returns a finder for the group "secret" of an expression. It finds nothing if isSecret
// returns false. A nil isSecret accepts everything.
func inGroup(source string, isSecret func(text []byte) bool) finder {
	expression := lazily(source)
	return func(text []byte) (secret wire.Span, ok bool) {
		m, ok := expression.match(text)
		if !ok {
			return secret, false
		}
		secret, ok = m.group("secret")
		return secret, ok && (isSecret == nil || isSecret(text[secret.Start:secret.End]))
	}
}

const (
	maxName   = 96  // names are compared by their last bytes, at most so many
	longValue = 256 // a value of this length is not a word; it is judged by its first bytes
)

// mustGlob compiles a glob of a table.
func mustGlob(word string) glob.Glob {
	g, err := glob.Compile(word)
	if err != nil {
		panic(err) // a test compiles the tables
	}
	return g
}

// tableLines returns the lines of a table without comments. Lines stay indented.
func tableLines(table string) []string {
	return slices.DeleteFunc(strings.Split(table, "\n"), func(line string) bool { return line == "" || line[0] == '#' })
}

// tableRows returns the rows of a table. An indented line continues the row before it.
func tableRows(table string) []string { return tableLines(strings.ReplaceAll(table, "\n  ", " ")) }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// closingQuote returns the position before which the quote closes that was opened before i. It
// closes before the same quote with as many backslashes, or at the end of the line. It also closes
// before a quote with fewer backslashes, which ends the string around it.
func closingQuote(text []byte, i int, opening []byte) int {
	if opening[0] == '&' || opening[0] == '%' { // of HTML or of a URL
		inside, _, _ := bytes.Cut(text[i:], opening)
		return i + len(inside)
	}
	depth, quote := len(opening)-1, opening[len(opening)-1]
	for end := i; end < len(text); end++ {
		start := end
		end = len(text) - len(bytes.TrimLeft(text[end:], `\`))
		switch slashes := end - start; {
		case end == len(text), text[end] == '\n' && quote != '`':
			return end
		case text[end] == quote && slashes < depth:
			return start
		case text[end] == quote && slashes%(2*depth+2) == depth:
			return end - depth
		}
	}
	return len(text)
}

// unescape returns the text of a valid JSON string, which is given without its quotes. Bytes that
// are not UTF-8 stay. Half a surrogate pair becomes U+FFFD. Without escapes, it returns raw itself.
func unescape(raw []byte) []byte {
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for size := 0; n >= 0; n = bytes.IndexByte(raw, '\\') {
		text, size = unescapeOne(append(text, raw[:n]...), raw[n:])
		raw = raw[n+size:]
	}
	return append(text, raw...)
}

// unescapeOne appends the text of the escape at the beginning of raw, and returns the length of the
// escape. A pair of surrogates counts as one escape.
func unescapeOne(dst, raw []byte) ([]byte, int) {
	if n := strings.IndexByte(`"\/bfnrt`, raw[1]); n >= 0 {
		return append(dst, "\"\\/\b\f\n\r\t"[n]), 2
	}
	size := len(`\u0000`)
	if raw[2]|0x20 == 'd' && raw[3] >= '8' && bytes.HasPrefix(raw[size:], []byte(`\u`)) {
		size *= 2
	}
	dst, _ = jsontext.AppendUnquote(dst, `"`+string(raw[:size])+`"`) // half a pair is appended as U+FFFD
	return dst, size
}

const (
	digits  = "0123456789"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
)

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isNameByte(c byte) bool { return isWord(c) || c == '.' }

// isIdentifier reports whether text may be an identifier of a program.
func isIdentifier(text []byte) bool {
	return len(bytes.Trim(text[:min(len(text), maxName)], letters+"._:$")) == 0
}

func isDecimal(text []byte) bool { return len(bytes.Trim(text, digits)) == 0 }

func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(text []byte, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}

// isWordStart reports whether a word may start at i. It may also start after "\n", "%3D" or a
// colour.
func isWordStart(text []byte, i int) bool {
	return i == 0 || !isWord(text[i-1]) || wordStarts().Match(text[max(0, i-16):i])
}

var wordStarts = lazily(`(?:\\[A-Za-z]|%[0-9A-Fa-f]{2}|\[[0-9;]*m)\z`)
