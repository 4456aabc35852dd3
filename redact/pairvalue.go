package redact

import "bytes"

// A token is a word or what stands in quotes.
type token struct {
	start, end int // without the quotes
	next       int // behind it
	quoted     bool
}

// token reads the next token, which is a name or a value.
func (p *pairReader) token(b *bracket) {
	slashes := p.at
	for slashes < len(p.text) && p.text[slashes] == '\\' {
		slashes++
	}
	if slashes == len(p.text) {
		p.at = slashes
		return
	}
	if slashes > p.at && isSpaceLetter(p.text[slashes]) { // a line's end in an escaped text
		b.spaced = true
		p.at = slashes + 1
		return
	}
	t := p.bare(b.value)
	if isQuote(p.text[slashes]) {
		t = p.inQuotes(p.at, slashes)
	} else if t.next < len(p.text) && t.end-t.start <= 2 && (p.text[t.next] == '\'' || p.text[t.next] == '"') { // b'x'
		t = p.inQuotes(t.next, t.next)
	}
	p.at = t.next
	after := t.next
	for after < min(len(p.text), t.next+16) && p.text[after] == ' ' {
		after++
	}
	if !b.value && after < len(p.text) && (p.text[after] == ':' || p.text[after] == '=' || p.text[after] == '-' && bytes.HasPrefix(p.text[after:], []byte("->"))) {
		p.classify(p.text[t.start:t.end])
		b.naming = roleOf(p.name) == naming
		b.quoted = t.quoted
		b.value, b.spaced = true, false
		p.at = after + 1
		b.tight = b.tight || !t.quoted && p.at < len(p.text) && isWord(p.text[p.at])
		return
	}
	if !t.quoted && after < len(p.text) && closing(p.text[after]) != 0 && isType(p.text[t.start:t.end]) && markerEnd(p.text, after) == after {
		return // a type's name before a bracket
	}
	p.value(b, t)
	p.passed(b)
}

// inQuotes is the token in the quote at i behind backslashes that begin at start.
// One that does not end goes on to the end of the line.
func (p *pairReader) inQuotes(start, i int) token {
	depth := i - start // of the escape
	t := token{start: i + 1, end: i + 1, quoted: true}
	for t.end < len(p.text) && p.text[t.end] != '\n' {
		run := t.end
		for run < len(p.text) && p.text[run] == '\\' {
			run++
		}
		if run == len(p.text) || p.text[run] != p.text[i] {
			t.end = max(run, t.end+1)
			continue
		}
		switch slashes := run - t.end; {
		case slashes < depth: // a string around this one ends
			t.next = t.end
			return t
		case slashes%(2*depth+2) == depth: // each backslash of the text is twice as many
			t.end, t.next = run-depth, run+1
			return t
		}
		t.end = run + 1
	}
	t.end = min(t.end, len(p.text))
	t.next = t.end
	return t
}

// bare is the word that begins here; as a value it may have the signs in it that
// end a name.
func (p *pairReader) bare(value bool) token {
	end := p.at
	for end < len(p.text) {
		c := p.text[end]
		if c <= ' ' || c == ',' || c == ';' || c == '"' || closes(c) || closing(c) != 0 || !value && (c == ':' || c == '=') {
			break
		}
		if c == '\\' && end+1 < len(p.text) && (p.text[end+1] == '"' || p.text[end+1] == '\\' || isSpaceLetter(p.text[end+1])) && end > p.at {
			break
		}
		if c == '\'' && end == p.at+1 {
			break
		}
		end++
	}
	end = max(end, p.at+1)
	return token{start: p.at, end: end, next: end}
}

// value plans to replace a value that is secret.
func (p *pairReader) value(b *bracket, t token) {
	text := p.text[t.start:t.end]
	switch {
	case len(text) == 0 || b.holds == kept || b.holds == paired && b.value && b.naming:
		return
	case !b.value && (b.holds == listed || b.holds == paired && b.elements == 0):
		// An element that has name and value in it: A=x, or a line of a header.
		n := bytes.IndexByte(text, '=')
		if p.kind == Header {
			n = bytes.IndexByte(text, ':')
		}
		if t.quoted && n > 0 {
			t.start += n + 1
			break
		}
		if !b.tight || t.quoted {
			return
		}
	case !t.quoted && !p.isBareSecret(b, text):
		return
	}
	if t.start < t.end && markerEnd(p.text, t.start) != t.end {
		p.planned = append(p.planned, edit{t.start, t.end, p.kind, marker(p.kind)})
	}
}

// isBareSecret reports whether a word without quotes is a value and no part of a
// program.
func (p *pairReader) isBareSecret(b *bracket, text []byte) bool {
	switch string(text) {
	case "true", "false", "null", "None", "True", "False", "nil", "undefined", "string", "String", "str", "number", "any", "unknown", "boolean", "bool", "object", "int", "...":
		return false
	}
	return b.tight || b.value && (b.quoted || !b.spaced) || looksMade(text)
}
