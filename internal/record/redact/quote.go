package redact

import "bytes"

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

// closingQuote returns where the quote closes that was opened before i: before the same quote with
// as many backslashes, before one with fewer, which ends a string around it, or at the end of the
// line.
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
