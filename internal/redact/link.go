package redact

import (
	"bytes"
	"strings"
)

// Parts of expressions. Quotes are as programs, HTML and URLs spell them.
const (
	colour = `(?:\x1b|\\u001b|\\x1b|\\033|\\e|\^\[)\[[0-9;?]*[A-Za-z]`
	space  = `(?:[ \t]|` + colour + `)*`
	quotes = "(?:\\\\*[\"'`]|&quot;|&#34;|&#39;|&apos;|%22)"
)

// A sign links a name to its value. Its text is the name of its group in linkStart.
type sign string

const (
	noSign     sign = ""
	comparison sign = "comparison"
	equals     sign = "equals"
	colon      sign = "colon"
	comma      sign = "comma"
	bracket    sign = "bracket"
	border     sign = "border"
	tagEnd     sign = "tagEnd"
	tags       sign = "tags"
	blank      sign = "blank"     // space, or "is"
	valueWord  sign = "valueWord" // a word such as "value" stands before the value
)

// signs are those that are read, in this order.
var signs = []struct {
	sign    sign
	matches string
}{
	{comparison, `==+|!=+`}, // password == x
	{equals, `[?+]?=>?|` + // password=x, password => x
		`:[ \t]*[A-Za-z_.]+[ \t]+=|` + // password: str = x
		`(?i:for) [^\n=]+?(?:=|: )`}, // password for bob: x
	{colon, `%3[aAdD]|->|:[=>:]*`}, // password: x, password -> x
	{blank, `(?:is|was)[ \t]`},     // password is x
	{comma, `,`},                   // f("password", "x")
	{bracket, `\(`},                // password("x")
	{border, `\||│`},               // | password | x |
	{tagEnd, `>`},                  // <password>x
	{tags, `(?:<[^<>]+>\s*)+`},     // <td>password</td><td>x
}

// valueStart matches what stands before a value: space, a call, and a quote.
const valueStart = `(?P<space>(?:[ \t]|` + colour + `|\*\*|</[^<>]*>|<!\[CDATA\[)*)` +
	`(?:(?P<call>[A-Za-z_.:]+\()?[a-zA-Z]?(?P<quote>` + quotes + `))?`

var (
	// linkStarts match what stands between a name and its value: the quote after the name, space, a sign, and
	// what stands before the value.
	linkStarts = lazily(`\A(?:` + colour + `|[*?!\x00])*(?P<nameQuote>` + quotes + `)?(?:` + colour + `|[\]?!\x00])*` +
		`(?P<nameSpace>(?:[ \t]|` + colour + `)*)(?:` + signGroups() + `)?` + valueStart)
	// valueWords match what stands before a value that has a name of its own: name: x, value: y.
	valueWords = lazily(`\A(?:[^>\n{}]*?value=|[ \t\r\n"'` + "`" + `\\,;nr-]*(?i:value|val|content|secretvalue|stringvalue|default)["'` + "`" + `\\ ]*[=:])` + valueStart)
	// tagEnds match the rest of a tag with the name of a secret.
	tagEnds = lazily(`\A[^<>]*>` + valueStart)
	// ciscoTypes match the number of an encryption: password 7 x.
	ciscoTypes = lazily(`\A[0-9] .`)
	// cells match those of tables.
	cells = lazily(`\A[^<|│\n]*`)
	// headerEnds match what ends a header, unless it stands in quotes.
	headerEnds = lazily("[\n\r\x1b'`]|\\\\n")
	// lineEnds match what stands after the last value of a line.
	lineEnds = lazily(`\A[ \r\t]*(?:\z|[\n"'` + "`" + `\\#\x1b])`)
)

// signGroups are the signs as alternatives of an expression.
func signGroups() string {
	var groups []string
	for _, s := range signs {
		groups = append(groups, "(?P<"+string(s.sign)+">"+s.matches+")")
	}
	return strings.Join(groups, "|")
}

// A value is what a name is linked to, without its quotes.
type value struct {
	start, end int
	sign       sign
	signEnd    int
	nameQuoted bool // a quote stands after the name
	signSpaced bool // space stands before the sign
	spaced     bool // space stands after the sign
	quoted     bool
	called     bool // it is the name of a function, or the first of its arguments
	isLast     bool // nothing stands after it in its line
}

const (
	linkReach = 128 // how far after a name its value may begin, in bytes
	sure      = 256 // a value of this length is not a word; it need not be read to its end for that
)

// value finds the value of a name. Without one, there is no sign.
func (s *scanner) value(n name) (v value) {
	near := s.near(n.end, linkReach)
	v, m := readLink(n, near)
	if v.sign == noSign {
		return v
	}
	space, _ := m.group("space")
	quote, isQuoted := m.group("quote")
	v.start, v.signEnd = n.end+m.end(), n.end+space.Start
	v.quoted, v.spaced = isQuoted, space.End > space.Start
	_, v.called = m.group("call")
	if v.sign == blank && ciscoTypes().Match(near[m.end():]) {
		v.start += len("7 ")
	}
	switch {
	case v.quoted:
		v.end = s.closing(v.start, near[quote.Start:quote.End])
		return v
	case n.class == header && (v.sign == equals || v.sign == colon):
		v.end = s.headerEnd(n, v.start)
	case v.sign == tags || v.sign == tagEnd || v.sign == border: // to the end of an element or a cell
		v.end = v.start + len(bytes.TrimRight(cells().Find(s.text[v.start:]), " \t\r`*]"))
	default:
		v.end = s.wordEnd(v.start)
		v.called = v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[' && markerEnd(s.text, v.end) == v.end)
	}
	v.isLast = lineEnds().Match(s.near(v.end, 10))
	return v
}

// readLink reads what links a name to the value near it. The sign of a value may follow later, where the
// first one may be no more than the end of the name.
func readLink(n name, near []byte) (v value, m match) {
	m, _ = linkStarts.match(near)
	_, v.nameQuoted = m.group("nameQuote")
	space, _ := m.group("nameSpace")
	v.signSpaced = space.End > space.Start
	for _, s := range signs {
		if _, ok := m.group(string(s.sign)); ok {
			v.sign = s.sign
			break
		}
	}
	if v.sign == noSign && v.signSpaced {
		v.sign = blank
	}
	isWeak := v.sign == noSign || v.sign == blank
	switch {
	case isWeak && n.opened == '<' && !v.nameQuoted: // <password type="text">x
		if tag, ok := tagEnds.match(near); ok {
			return value{sign: tagEnd}, tag
		}
	case v.sign == comma && !v.nameQuoted: // f(password, x)
		return value{}, m
	case !bytes.ContainsAny(near, "=:"): // saves the time of the next
	case isWeak, v.nameQuoted && (v.sign == comma || v.sign == tagEnd), v.sign == tagEnd && n.opened != '<':
		if word, ok := valueWords.match(near); ok {
			return value{sign: valueWord}, word
		}
	}
	return v, m
}

// wordEnd returns the end of the value without quotes that begins at i.
func (s *scanner) wordEnd(i int) int {
	end := max(i, min(s.runEnd, len(s.text))) // what was read for a name before is not read again
	for end < len(s.text) && !s.ends(i, end) {
		end++
	}
	s.runEnd = end
	return end
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
