package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// special are the bytes that may begin or end markup.
const special = "\\`<&![]*_~\x00"

// inline returns markdown as plain text on one line. Code spans keep their backticks, links and
// images become their text, and text that is struck through is removed.
func inline(text string) string {
	if strings.ContainsAny(text, special) {
		p := inliner{in: text, out: make([]byte, 0, len(text))}
		for p.at < len(text) {
			p.step()
		}
		p.closeStart()
		text = string(slices.DeleteFunc(p.out, func(c byte) bool { return c == 0 }))
	}
	return strings.ToValidUTF8(oneLine(text), "\ufffd")
}

// An inliner writes text in one pass. It overwrites bytes that turn out to be markup with zeros.
type inliner struct {
	in       string
	at       int // the offset in in
	out      []byte
	brackets []int     // the offsets of open [ in out, the innermost last
	runs     [3][4]int // by mark (*, _, ~) and length: the offset of an open run in out, plus one
	unclosed [16]bool  // by length: there is no closing run of backticks
}

// write writes a text instead of the next n bytes.
func (p *inliner) write(text string, n int) {
	p.out = append(p.out, text...)
	p.at += n
}

func (p *inliner) step() {
	rest := p.in[p.at:]
	switch rest[0] {
	case 0:
		p.at++
	case '\\':
		p.escape(rest)
	case '`':
		p.span()
	case '<':
		p.tag(rest)
	case '&':
		p.entity(rest)
	case '!':
		if p.at++; !strings.HasPrefix(rest, "![") {
			p.out = append(p.out, '!')
		}
	case '[':
		p.brackets = append(p.brackets, len(p.out))
		p.write("[", 1)
	case ']':
		p.link(rest[1:])
	case '*', '_', '~':
		p.emphasis(leadingRun(rest))
	default:
		n := strings.IndexAny(rest, special)
		if n < 0 {
			n = len(rest)
		}
		p.write(rest[:n], n)
	}
}

func (p *inliner) escape(rest string) {
	if len(rest) > 1 && rest[1] < utf8.RuneSelf && (unicode.IsPunct(rune(rest[1])) || unicode.IsSymbol(rune(rest[1]))) {
		p.write(rest[1:2], 2)
		return
	}
	p.write(`\`, 1)
}

// span copies a code span as it is.
func (p *inliner) span() {
	run := leadingRun(p.in[p.at:])
	n := len(run)
	end := p.at + n
	for n < len(p.unclosed) && !p.unclosed[n] {
		i := strings.Index(p.in[end:], run)
		if i < 0 {
			p.unclosed[n] = true
			break
		}
		end += i
		found := len(leadingRun(p.in[end:]))
		if end += found; found == n {
			p.write(p.in[p.at:end], end-p.at)
			return
		}
	}
	p.write(run, n)
}

// link ends a pair of brackets, and removes the markup if it is a link. Rest follows the brackets.
func (p *inliner) link(rest string) {
	n := len(p.brackets) - 1
	if n < 0 {
		p.write("]", 1)
		return
	}
	open := p.brackets[n]
	p.brackets = p.brackets[:n]
	switch {
	case len(rest) > 1 && rest[0] == '(':
		p.out[open] = 0
		if end := strings.IndexByte(rest, ')'); end >= 0 {
			rest = rest[:end+1]
		} // else the address is incomplete
		p.at += 1 + len(rest)
	case strings.HasPrefix(rest, "]") && open > 0 && p.out[open-1] == '[':
		p.brackets = p.brackets[:max(0, n-1)]
		clear(p.out[open-1 : open+1+bytes.IndexByte(p.out[open:], '|')]) // [[page|name]] is its name
		p.out[open] = 0
		p.at += 2
	default:
		p.write("]", 1)
	}
}

// emphasis reads a run of marks, which may close or open a pair. It removes the marks of a pair,
// and the text in a pair of ~~.
func (p *inliner) emphasis(run string) {
	n, at := len(run), len(p.out)
	before, _ := utf8.DecodeLastRuneInString(p.in[:p.at])
	after, _ := utf8.DecodeRuneInString(p.in[p.at+n:])
	start := p.at == 0
	p.write(run, n)
	if n > 3 || run[0] == '~' && n != 2 {
		return
	}
	kind := strings.IndexByte("*_~", run[0])
	strict := n == 1 || run[0] == '_' // not inside a word
	if open := p.runs[kind][n]; open > 0 && !start && !unicode.IsSpace(before) && (!strict || !isWord(after)) {
		clear(p.out[open-1 : open-1+n])
		clear(p.out[at:])
		if run[0] == '~' {
			clear(p.out[open-1 : at])
		}
		p.runs[kind][n] = 0
		return
	}
	if !unicode.IsSpace(after) && (start || !strict || !isWord(before) && before != '/') {
		p.runs[kind][n] = at + 1
	}
}

// closeStart removes the marks of a text that begins bold, if the closing ones are missing. The
// agent may still write them.
func (p *inliner) closeStart() {
	for kind := range p.runs {
		if p.runs[kind][2] == 1 {
			if r, _ := utf8.DecodeRune(p.out[2:]); isWord(r) {
				clear(p.out[:2])
			}
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
