package redact

import "bytes"

// What expressions have in common: colours of a terminal, quotes with the backslashes
// before them or as HTML and URLs spell them.
const (
	colour = `(?:\x1b|\\u001b|\\x1b|\\033|\\e|\^\[)\[[0-9;?]*[A-Za-z]`
	quotes = "(?:\\\\*[\"'`]|&quot;|&#34;|&#39;|&apos;|%22)"
)

var (
	// links match what stands between a name and its value: the quote behind the name, space,
	// and a sign: with a type or a person in it, an equals sign in a URL, tags, cells.
	links = lazily(`\A(?:` + colour + `|[*?!\x00])*(` + quotes + `)?(?:` + colour + `|[\]?!\x00])*((?:[ \t]|` + colour + `)*)` +
		`(?:(:[ \t]*[A-Za-z_.]+[ \t]*=|(?i:for) [^\n=]+?(?:=|: ))|(==+|!=+)|(%3[aAdD]|->|:[=>:]*)|(=>?)|((?:is|was)[ \t])|(,)|(\()|(\||│)|(>)|((?:<[^<>]+>\s*)+))?`)

	// valueWords match how a value begins that stands apart from its name: name: x, value: y.
	valueWords = lazily(`\A(?:[^>\n{}]*?value=|[ \t\r\n"'` + "`" + `\\,;nr-]*(?i:value|val|content|secretvalue|stringvalue|default)["'` + "`" + `\\ ]*[=:])`)

	// valueStarts match what stands before a value: space, a call, and a quote.
	valueStarts = lazily(`\A((?:[ \t]|` + colour + `|\*\*|</[^<>]*>|<!\[CDATA\[)*)(?:([A-Za-z_.:]+\()?[a-zA-Z]?(` + quotes + `))?`)

	// valueEnds match where a value without quotes ends that goes on to space or a quote: at
	// a bracket behind a name, a sign before another member, or an escape.
	valueEnds = lazily(`\A(?:[A-Za-z._:$]*[A-Za-z._:])?([(\[{])|[,;&](?:[\s"'` + "`" + `\\/}\])]|[\w-]+[=:]|quot;|\z)|[)\]}>](?:[\s,;)\]}>"'` + "`" + `<\\:.]|\z)|\\["'` + "`" + `\\nrtu]`)

	// lineEnds match what stands behind the last value of a line.
	lineEnds = lazily(`\A[ \r\t]*(?:\z|[\n"'` + "`" + `\\#\x1b])`)
)

// A link is what stands between a name and its value.
type link struct {
	at     int  // where the value begins, or the space before it
	sign   byte // '=', ':', 'x' for ==, ',', '(', '|', '<' behind tags, '>' in an element, 'v' behind "value", ' ', or 0 for none
	quoted bool // the name is in quotes
	spaced bool // there is space before the sign
}

// linkReach is how far behind a name its value may begin, in bytes.
const linkReach = 128

// link reads what stands behind a name that ends at i.
func (s *scanner) link(n name) (l link) {
	near := s.near(n.end, linkReach)
	m := links().FindSubmatchIndex(near)
	l = link{at: n.end + m[1], quoted: m[2] >= 0, spaced: m[5] > m[4]}
	for n, sign := range []byte("=x:= ,(|><") { // the groups
		if m[6+2*n] >= 0 {
			l.sign = sign
		}
	}
	if l.sign == 0 && l.spaced {
		l.sign = ' '
	}
	switch {
	case (l.sign == ' ' || l.sign == 0) && n.opened == '<' && !l.quoted: // <password type="text">
		if end := bytes.IndexByte(near, '>'); end > 0 {
			return link{at: n.end + end + 1, sign: '>'}
		}
	case l.sign == '(' && (l.spaced || l.quoted), l.sign == ',' && !l.quoted:
		return link{}
	}
	if l.sign == ' ' || l.sign == 0 || l.quoted && (l.sign == ',' || l.sign == '>') || l.sign == '>' && n.opened != '<' {
		if m := valueWords().FindSubmatchIndex(near); m != nil {
			return link{at: n.end + m[1], sign: 'v'}
		}
	}
	return l
}

// A value is one in the text, without its quotes.
type value struct {
	start, end int
	quoted     bool
	spaced     bool // there is space before it
	called     bool // it is a function's name, or what is in its brackets
	last       bool // nothing stands behind it in its line
}

// sure is how long a value is that is no word; it need not be read to its end for that.
const sure = 256

// value reads the value that begins at i, or behind space, in the same line.
func (s *scanner) value(l link) (v value) {
	m := valueStarts().FindSubmatchIndex(s.near(l.at, 128))
	v = value{start: l.at + m[1], spaced: m[3] > m[2], called: m[4] >= 0}
	if m[6] >= 0 {
		v.quoted = true
		v.end = s.closing(v.start, s.text[l.at+m[6]:v.start])
		return v
	}
	stop := "\"'`<| \t\r\n\x1b"
	switch l.sign {
	case '<', '>':
		stop = "<\n"
	case '|':
		stop = "|\n│"
	}
	near := s.near(v.start, sure)
	if n := bytes.IndexAny(near, stop); n >= 0 {
		near, v.end = near[:n], v.start+n
	} else if v.end = s.runEnd; v.end <= v.start || len(stop) < 9 {
		v.end = len(s.text)
		if n := bytes.IndexAny(s.text[v.start+len(near):], stop); n >= 0 {
			v.end = v.start + len(near) + n
		}
		if len(stop) >= 9 {
			s.runEnd = v.end // of names and values without a stop
		}
	}
	if len(stop) < 9 {
		v.end = v.start + len(bytes.TrimRight(s.text[v.start:v.end], " \t\r`*]"))
	} else if m := valueEnds().FindSubmatchIndex(near); m != nil {
		if v.end = v.start + m[0]; m[2] >= 0 {
			v.end = v.start + m[2]
			v.called = s.text[v.end] != '{' && markerEnd(s.text, v.end) == v.end
		}
	}
	v.last = lineEnds().Match(s.near(v.end, 10))
	return v
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quoteEnd returns the end of the quote that begins at i, with the backslashes before it,
// or i.
func quoteEnd(text []byte, i int) int {
	end := i
	for end < min(len(text), i+64) && text[end] == '\\' {
		end++
	}
	if end < len(text) && isQuote(text[end]) {
		return end + 1
	}
	return i
}

// closing returns where the quote that was opened so is closed: before the same quote with
// as many backslashes, or where a string around it ends, or at the line's end.
func (s *scanner) closing(i int, opening []byte) int {
	if opening[0] == '&' || opening[0] == '%' {
		if n := bytes.Index(s.text[i:], opening); n >= 0 {
			return i + n
		}
		return len(s.text)
	}
	depth, quote := len(opening)-1, opening[len(opening)-1]
	for end := i; end < len(s.text); end++ {
		run := end
		for run < len(s.text) && s.text[run] == '\\' {
			run++
		}
		if run == len(s.text) || s.text[run] == '\n' && quote != '`' {
			return run
		}
		if s.text[run] == quote {
			switch slashes := run - end; {
			case slashes < depth:
				return end
			case slashes%(2*depth+2) == depth:
				return run - depth
			}
		}
		end = run
	}
	return len(s.text)
}
