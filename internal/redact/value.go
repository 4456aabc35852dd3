package redact

import (
	"bytes"
	"strings"
)

// What expressions have in common: quotes are as programs, HTML and URLs spell them.
const (
	colour = `(?:\x1b|\\u001b|\\x1b|\\033|\\e|\^\[)\[[0-9;?]*[A-Za-z]`
	space  = `(?:[ \t]|` + colour + `)*`
	quotes = "(?:\\\\*[\"'`]|&quot;|&#34;|&#39;|&apos;|%22)"
)

var (
	// links match what stands between a name and its value: the quote behind the name, space, a
	// sign, and before the value space, a call, and a quote. The signs, each a group of its own,
	// are a type or a person with a sign, ==, a colon or an arrow, =, "is", a comma, a bracket, a
	// border, the end of a tag, and whole tags.
	links = lazily(`\A(?:` + colour + `|[*?!\x00])*(` + quotes + `)?(?:` + colour + `|[\]?!\x00])*(` + space + `)` +
		`(?:(:[ \t]*[A-Za-z_.]+[ \t]+=|(?i:for) [^\n=]+?(?:=|: ))|(==+|!=+)|(%3[aAdD]|->|:[=>:]*)|([?+]?=>?)|((?:is|was)[ \t])|(,)|(\()|(\||│)|(>)|((?:<[^<>]+>\s*)+))?` + start)
	start = `((?:[ \t]|` + colour + `|\*\*|</[^<>]*>|<!\[CDATA\[)*)(?:([A-Za-z_.:]+\()?[a-zA-Z]?(` + quotes + `))?`
	// valueWords match how a value begins that stands apart from its name: name: x, value: y.
	valueWords = lazily(`\A(?:[^>\n{}]*?value=|[ \t\r\n"'` + "`" + `\\,;nr-]*(?i:value|val|content|secretvalue|stringvalue|default)["'` + "`" + `\\ ]*[=:])` + start)
	// tagEnds match the rest of a tag whose name is that of a secret.
	tagEnds = lazily(`\A[^<>]*>` + start)
	// cells match those of tables.
	cells = lazily(`\A[^<|│\n]*`)
	// headerEnds match what ends a header, unless it stands in quotes.
	headerEnds = lazily("[\n\r\x1b'`]|\\\\n")
	// lineEnds match what stands behind the last value of a line.
	lineEnds = lazily(`\A[ \r\t]*(?:\z|[\n"'` + "`" + `\\#\x1b])`)
)

// A value is what stands behind a name, without its quotes, and how it is bound to it.
type value struct {
	start, end         int
	sign               byte // '=', ':', 'x' for ==, ',', '(', '|', '<' behind tags, '>' in an element, 'v' behind "value", ' ', or 0
	at                 int  // where the sign ends
	quoted, nameQuoted bool
	spaced, signSpaced bool // there is space before it, and before the sign
	called             bool // it is a function's name, or what is in its brackets
	last               bool // nothing stands behind it in its line
}

const (
	linkReach = 128 // how far behind a name its value may begin, in bytes
	sure      = 256 // how long a value is that is no word; it need not be read to its end for that
)

// value finds the value of a name.
func (s *scanner) value(n name) (v value) {
	near := s.near(n.end, linkReach)
	m := links().FindSubmatchIndex(near)
	v.nameQuoted, v.signSpaced = m[2] >= 0, m[5] > m[4]
	for group, sign := range []byte("=x:= ,(|><") {
		if m[6+2*group] >= 0 {
			v.sign = sign
		}
	}
	if v.sign == 0 && v.signSpaced {
		v.sign = ' '
	}
	start := m[len(m)-6:]
	switch isWeak := v.sign == ' ' || v.sign == 0; {
	case isWeak && n.opened == '<' && !v.nameQuoted: // <password type="text">
		if tag := tagEnds().FindSubmatchIndex(near); tag != nil {
			v, m, start = value{sign: '>'}, tag, tag[2:]
		}
	case v.sign == ',' && !v.nameQuoted:
		return value{}
	case !bytes.ContainsAny(near, "=:"):
	case isWeak || v.nameQuoted && (v.sign == ',' || v.sign == '>') || v.sign == '>' && n.opened != '<':
		if word := valueWords().FindSubmatchIndex(near); word != nil {
			v, m, start = value{sign: 'v'}, word, word[2:]
		}
	}
	if rest := near[m[1]:]; v.sign == ' ' && len(rest) > 2 && isDecimal(rest[:1]) && rest[1] == ' ' { // password 7 X
		m[1] += 2
	}
	v.at = n.end + start[0]
	v.start, v.spaced, v.called = n.end+m[1], start[1] > start[0], start[2] >= 0
	v.quoted = start[4] >= 0
	switch {
	case v.quoted:
		v.end = s.closing(v.start, near[start[4]:start[5]])
		return v
	case n.class == header && (v.sign == '=' || v.sign == ':'):
		v.end = s.headerEnd(n, v.start)
	case strings.IndexByte("<>|", v.sign) >= 0: // to the end of an element or a cell
		v.end = v.start + len(bytes.TrimRight(cells().Find(s.text[v.start:]), " \t\r`*]"))
	default:
		for v.end = max(v.start, min(s.runEnd, len(s.text))); v.end < len(s.text) && !s.ends(v.start, v.end); {
			v.end++
		}
		s.runEnd = v.end
		v.called = v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[' && markerEnd(s.text, v.end) == v.end)
	}
	v.last = lineEnds().Match(s.near(v.end, 10))
	return v
}

// headerEnd returns the end of a header's line, or of the quotes it stands in.
func (s *scanner) headerEnd(n name, i int) int {
	if n.start > s.floor && isQuote(s.text[n.start-1]) {
		end := s.closing(i, s.text[s.back(n.start-1, linkReach, func(c byte) bool { return c == '\\' }):n.start])
		if end > i && s.text[end-1] != '=' { // no quotes of its own
			return end
		}
	}
	if m := headerEnds().FindIndex(s.text[i:]); m != nil {
		return i + m[0]
	}
	return len(s.text)
}

// ends reports whether a value without quotes that began at start ends before i.
func (s *scanner) ends(start, i int) bool {
	next := byte(' ')
	if i+1 < len(s.text) {
		next = s.text[i+1]
	}
	switch c := s.text[i]; c {
	case '"', '\'', '`', '<', '|', 0x1b:
		return true
	case ',', ';', '&':
		end := wordEnd(s.near(0, i+33), i+1)
		return strings.IndexByte(" \t\r\n\"'`\\/}])", next) >= 0 || end > i+1 && end < len(s.text) && (s.text[end] == '=' || s.text[end] == ':') ||
			c == '&' && hasFold(s.text[i:], "&quot;")
	case ')', ']', '}', '>':
		return strings.IndexByte(" \t\r\n,;)]}>\"'`<\\:.", next) >= 0
	case '(', '[', '{':
		return i == start || s.text[i-1] != '$' && isName(s.text[start:i])
	case '\\':
		return strings.IndexByte("\"'`\\nrtu", next) >= 0
	default:
		return c <= ' '
	}
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quoteEnd returns the end of the quote that begins at i, with the backslashes before it, or i.
func quoteEnd(text []byte, i int) int {
	near := text[i:min(len(text), i+64)]
	quote := bytes.TrimLeft(near, `\`)
	if len(quote) > 0 && isQuote(quote[0]) {
		return i + len(near) - len(quote) + 1
	}
	return i
}

// closing returns where the quote that was opened so is closed: before the same quote with
// as many backslashes, or where a string around it ends, or at the line's end.
func (s *scanner) closing(i int, opening []byte) int {
	if opening[0] == '&' || opening[0] == '%' {
		inside, _, _ := bytes.Cut(s.text[i:], opening)
		return i + len(inside)
	}
	depth, quote := len(opening)-1, opening[len(opening)-1]
	for end := i; end < len(s.text); end++ {
		start := end
		end = len(s.text) - len(bytes.TrimLeft(s.text[end:], `\`))
		switch slashes := end - start; {
		case end == len(s.text), s.text[end] == '\n' && quote != '`':
			return end
		case s.text[end] == quote && slashes < depth:
			return start
		case s.text[end] == quote && slashes%(2*depth+2) == depth:
			return end - depth
		}
	}
	return len(s.text)
}
