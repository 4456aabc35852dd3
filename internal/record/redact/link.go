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

// A sign links a name to its value. Its text is the name of its group in linkStarts.
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
	// linkStarts match what stands between a name and its value: the quote after the name, space, a
	// sign, and what stands before the value.
	linkStarts = lazily(`\A(?:` + colour + `|[*?!\x00])*(?P<nameQuote>` + quotes + `)?(?:` + colour + `|[\]?!\x00])*` +
		`(?P<nameSpace>` + space + `)(?:` + signGroups() + `)?` + valueStart)
	// valueWords match what stands before a value that has a name of its own: name: x, value: y.
	valueWords = lazily(`\A(?:[^>\n{}]*?value=|[ \t\r\n"'` + "`" + `\\,;nr-]*` +
		`(?i:value|val|content|secretvalue|stringvalue|default)["'` + "`" + `\\ ]*[=:])` + valueStart)
	// tagEnds match the rest of a tag with the name of a secret.
	tagEnds = lazily(`\A[^<>]*>` + valueStart)
	// ciscoTypes match the number of an encryption: password 7 x.
	ciscoTypes = lazily(`\A[0-9] .`)
)

// signGroups are the signs as alternatives of an expression.
func signGroups() string {
	var groups []string
	for _, s := range signs {
		groups = append(groups, "(?P<"+string(s.sign)+">"+s.matches+")")
	}
	return strings.Join(groups, "|")
}

// readLink reads what links a name to the value near it. Where the sign is weak, a tag or a word
// such as "value" may follow, and then that links them.
func readLink(n name, near []byte) (v value, m match) {
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
			return value{sign: tagEnd}, tag
		}
	case v.sign == comma && !v.isNameQuoted: // f(password, x)
		return value{}, m
	case !bytes.ContainsAny(near, "=:"): // no word can follow; to look for one takes longer
	case isWeak, v.isNameQuoted && (v.sign == comma || v.sign == tagEnd), v.sign == tagEnd && n.opened != '<':
		if word, ok := valueWords.match(near); ok {
			return value{sign: valueWord}, word
		}
	}
	return v, m
}
