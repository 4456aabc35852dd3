package redact

import (
	"bytes"
	"strings"
)

// A foundName is a name in a text.
type foundName struct {
	start, end int
	class      class
	isFlag     bool // it begins with "-" or "/"
	isQuery    bool // it is in the query of a URL
	opened     byte // the bracket, "<" or "|" before it, or 0
}

// escapes matches the end of an escape before a name: a colour, a line end or an escape of a URL.
var escapes = lazily(`\A(?:[\[;][\d;]*m|\\[nrt]|%[0-9A-Fa-f]{2})`)

// nameAt returns the name around i.
func (s *scanner) nameAt(i int) foundName {
	n := foundName{start: s.runStart(i, maxName/3, isNameByte), end: i}
	for high := min(len(s.text), n.start+maxName); n.end < high && isNameByte(s.text[n.end]); {
		n.end++
	}
	if n.start > s.consumed && strings.IndexByte(`[;\%`, s.text[n.start-1]) >= 0 { // the end of an escape before the name
		if m := escapes().FindIndex(s.text[n.start-1 : n.end]); m != nil && n.start-1+m[1] <= i {
			n.start += m[1] - 1
		}
	}
	near := bytes.TrimRight(s.text[n.start:n.end], ".")
	n.end = n.start + len(near)
	before := s.text[max(s.consumed, n.start-10):n.start]
	if at := bytes.LastIndexAny(before, "([<|"); at >= 0 && bytes.IndexByte(bytes.TrimRight(before[at+1:], " "), ' ') < 0 {
		n.opened = before[at]
	}
	n.isQuery = len(before) > 0 && strings.IndexByte("?&#;", before[len(before)-1]) >= 0 && bytes.HasPrefix(s.text[n.end:], []byte("="))
	n.isFlag = bytes.HasPrefix(near, []byte("-")) || bytes.HasSuffix(before, []byte(" /"))
	n.class = s.classify(s.text[n.start:n.end])
	if !n.isFlag && bytes.HasSuffix(before, []byte(" ")) && (n.class == ordinary || n.class == keyed || n.class == prose || n.class == query) {
		return s.withWordBefore(n)
	}
	return n
}

// withWordBefore adds the word before a name if both together are a secret name, as in "api key".
func (s *scanner) withWordBefore(n foundName) foundName {
	start := s.runStart(n.start-1, 16, isLetter)
	if start == n.start-1 || s.classify(s.text[start:n.end]) != strong {
		return n
	}
	if before := strings.ToLower(string(s.text[start : n.start-1])); n.class != prose || knownNames().qualifiers[before] {
		n.start, n.class = start, strong
	}
	return n
}

// Parts of expressions. The quotes include those of HTML and URLs.
const (
	colour = `(?:\x1b|\\u001b|\\x1b|\\033|\\e|\^\[)\[[0-9;?]*[A-Za-z]`
	space  = `(?:[ \t]|` + colour + `)*`
	quotes = "(?:\\\\*[\"'`]|&quot;|&#34;|&#39;|&apos;|%22)"
)

// A sign links a name to its value. It is also the name of its group in linkStarts.
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
	blank      sign = "blank"     // spaces, or "is"
	valueWord  sign = "valueWord" // a word such as "value" stands before the value
)

// signs has the signs that a text may have, in the order in which they are tried.
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

// valueStart matches the text before a value: spaces, a call, and a quote.
const valueStart = `(?P<space>(?:[ \t]|` + colour + `|\*\*|</[^<>]*>|<!\[CDATA\[)*)` +
	`(?:(?P<call>[A-Za-z_.:]+\()?[a-zA-Z]?(?P<quote>` + quotes + `))?`

var (
	// linkStarts matches the text between a name and its value: the quote after the name, spaces, a
	// sign, and the text before the value.
	linkStarts = lazily(`\A(?:` + colour + `|[*?!\x00])*(?P<nameQuote>` + quotes + `)?(?:` + colour + `|[\]?!\x00])*` +
		`(?P<nameSpace>` + space + `)(?:` + signGroups() + `)?` + valueStart)
	// valueWords matches the text before a value that has its own name: name: x, value: y.
	valueWords = lazily(`\A(?:[^>\n{}]*?value=|[ \t\r\n"'` + "`" + `\\,;nr-]*` +
		`(?i:value|val|content|secretvalue|stringvalue|default)["'` + "`" + `\\ ]*[=:])` + valueStart)
	// tagEnds matches the rest of a tag that has a secret name.
	tagEnds = lazily(`\A[^<>]*>` + valueStart)
	// ciscoTypes matches the number of an encryption: password 7 x.
	ciscoTypes = lazily(`\A[0-9] .`)
)

// signGroups returns the signs as alternatives of an expression.
func signGroups() string {
	var groups []string
	for _, s := range signs {
		groups = append(groups, "(?P<"+string(s.sign)+">"+s.matches+")")
	}
	return strings.Join(groups, "|")
}

// readLink reads the link between a name and the value in near. If the sign is weak, a tag or a
// word such as "value" may follow, which is then the link.
func readLink(n foundName, near []byte) (v foundValue, m match) {
	m, _ = linkStarts.match(near)
	_, v.isNameQuoted = m.group("nameQuote")
	space, _ := m.group("nameSpace")
	v.isSignSpaced = space.End > space.Start
	for _, s := range signs {
		if _, ok := m.group(string(s.sign)); ok {
			v.sign = s.sign
			break
		}
	}
	if v.sign == noSign && v.isSignSpaced {
		v.sign = blank
	}
	isWeak := v.sign == noSign || v.sign == blank
	switch {
	case isWeak && n.opened == '<' && !v.isNameQuoted: // <password type="text">x
		if tag, ok := tagEnds.match(near); ok {
			return foundValue{sign: tagEnd}, tag
		}
	case v.sign == comma && !v.isNameQuoted: // f(password, x)
		return foundValue{}, m
	case !bytes.ContainsAny(near, "=:"): // no such word can follow, and the search takes longer
	case isWeak, v.isNameQuoted && (v.sign == comma || v.sign == tagEnd), v.sign == tagEnd && n.opened != '<':
		if word, ok := valueWords.match(near); ok {
			return foundValue{sign: valueWord}, word
		}
	}
	return v, m
}

// A foundValue is the value that a name is linked to, without its quotes.
type foundValue struct {
	start, end   int
	sign         sign
	signEnd      int
	isNameQuoted bool // a quote follows the name
	isSignSpaced bool // there is a space before the sign
	isSpaced     bool // there is a space after the sign
	isQuoted     bool
	isCall       bool // it is the name of a function, or the first of its arguments
	isLast       bool // nothing follows it in its line
}

var (
	// cells matches the text of an element or of a table's cell.
	cells = lazily(`\A[^<|│\n]*`)
	// headerEnds matches the end of a header without quotes.
	headerEnds = lazily("[\n\r\x1b'`]|\\\\n")
	// lineEnds matches the text after the last value of a line.
	lineEnds = lazily(`\A[ \r\t]*(?:\z|[\n"'` + "`" + `\\#\x1b])`)
)

// linkReach is the greatest distance between a name and its value, in bytes.
const linkReach = 128

// findValue returns the value of a name. Without a value, its sign is noSign.
func (s *scanner) findValue(n foundName) (v foundValue) {
	near := s.near(n.end, linkReach)
	v, m := readLink(n, near)
	if v.sign == noSign {
		return v
	}
	space, _ := m.group("space")
	quote, isQuoted := m.group("quote")
	v.start, v.signEnd = n.end+m.end(), n.end+space.Start
	v.isQuoted, v.isSpaced = isQuoted, space.End > space.Start
	_, v.isCall = m.group("call")
	if v.sign == blank && ciscoTypes().Match(near[m.end():]) {
		v.start += len("7 ")
	}
	switch {
	case v.isQuoted:
		v.end = closingQuote(s.text, v.start, near[quote.Start:quote.End])
		return v
	case n.class == header && (v.sign == equals || v.sign == colon):
		v.end = s.headerEnd(n, v.start)
	case v.sign == tags || v.sign == tagEnd || v.sign == border: // up to the end of a cell
		v.end = v.start + len(bytes.TrimRight(cells().Find(s.text[v.start:]), " \t\r`*]"))
	default:
		v.end = s.unquotedEnd(v.start)
		v.isCall = v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[' && markerEnd(s.text, v.end) == v.end)
	}
	v.isLast = lineEnds().Match(s.near(v.end, 10))
	return v
}

// unquotedEnd returns the end of the unquoted value that begins at i.
func (s *scanner) unquotedEnd(i int) int {
	end := max(i, min(s.valueEnd, len(s.text))) // do not read twice what an earlier name has read
	for end < len(s.text) && !s.endsValue(i, end) {
		end++
	}
	s.valueEnd = end
	return end
}

// headerEnd returns the end of the header whose value begins at i. It ends with the quotes around
// name and value, or with the line.
func (s *scanner) headerEnd(n foundName, i int) int {
	if n.start > s.consumed && isQuote(s.text[n.start-1]) {
		end := closingQuote(s.text, i, s.text[s.runStart(n.start-1, linkReach, func(c byte) bool { return c == '\\' }):n.start])
		if end > i && s.text[end-1] != '=' { // after "=", the quote belongs to the value
			return end
		}
	}
	if m := headerEnds().FindIndex(s.text[i:]); m != nil {
		return i + m[0]
	}
	return len(s.text)
}

// endsValue reports whether an unquoted value that begins at start ends before i. Passwords contain
// signs, so a sign ends the value only if something else begins after it.
func (s *scanner) endsValue(start, i int) bool {
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
		return i == start || s.text[i-1] != '$' && isIdentifier(s.text[start:i])
	case '\\':
		return strings.IndexByte("\"'`\\nrtu", next) >= 0
	default:
		return c <= ' '
	}
}
