package document

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline returns the plain text of a piece of markdown on one line: code spans
// keep their backticks, links and images are their text, what is struck is gone.
// It is linear in the text.
func inline(text string) string {
	if !strings.ContainsAny(text, "\\`<&!]*_~\x00") {
		return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\ufffd")
	}
	p := inliner{in: text, out: make([]byte, 0, len(text))}
	for p.at < len(text) {
		p.step()
	}
	p.bareStart()
	return squeeze(p.out)
}

// An inliner writes text in one pass. What turns out to have been markup is
// overwritten with zeros, which squeeze takes out.
type inliner struct {
	in       string
	at       int
	out      []byte
	brackets []int     // where [ stand in out, the innermost last
	runs     [3][4]int // where a run of *, _ or ~ of a length opened in out, plus one
	unclosed [16]bool  // by length: runs of backticks that nothing closes
}

func (p *inliner) step() {
	switch c := p.in[p.at]; c {
	case 0:
		p.at++
	case '\\':
		p.escape()
	case '`':
		p.span()
	case '<':
		p.tag()
	case '&':
		p.entity()
	case '!':
		p.at++
		if !strings.HasPrefix(p.in[p.at:], "[") {
			p.out = append(p.out, '!')
		}
	case '[':
		p.brackets = append(p.brackets, len(p.out))
		p.out = append(p.out, '[')
		p.at++
	case ']':
		p.link()
	case '*', '_', '~':
		p.run()
	default:
		p.out = append(p.out, c)
		p.at++
	}
}

func (p *inliner) escape() {
	p.at++
	if p.at < len(p.in) && p.in[p.at] < utf8.RuneSelf && (unicode.IsPunct(rune(p.in[p.at])) || unicode.IsSymbol(rune(p.in[p.at]))) {
		p.out = append(p.out, p.in[p.at])
		p.at++
		return
	}
	p.out = append(p.out, '\\')
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
		end += found
		if found == n {
			p.out = append(p.out, p.in[p.at:end]...)
			p.at = end
			return
		}
	}
	p.out = append(p.out, run...)
	p.at += n
}

// link makes a link of the brackets that end here, if it is one.
func (p *inliner) link() {
	p.at++
	if len(p.brackets) == 0 {
		p.out = append(p.out, ']')
		return
	}
	open := p.brackets[len(p.brackets)-1]
	p.brackets = p.brackets[:len(p.brackets)-1]
	switch rest := p.in[p.at:]; {
	case len(rest) > 1 && rest[0] == '(':
		p.out[open] = 0
		if end := strings.IndexByte(rest, ')'); end >= 0 {
			p.at += end + 1
		} else { // it is still written
			p.at = len(p.in)
		}
		return
	case strings.HasPrefix(rest, "]") && open > 0 && p.out[open-1] == '[':
		p.wikiLink(open)
		return
	}
	p.out = append(p.out, ']')
}

// wikiLink makes [[page|name]] its name.
func (p *inliner) wikiLink(open int) {
	p.at++
	p.brackets = p.brackets[:max(0, len(p.brackets)-1)]
	p.out[open-1], p.out[open] = 0, 0
	if bar := bytes.IndexByte(p.out[open:], '|'); bar >= 0 {
		clear(p.out[open : open+bar+1])
	}
}

// run reads a run of emphasis marks: it closes one that opened, or may open.
func (p *inliner) run() {
	run := leadingRun(p.in[p.at:])
	before, _ := utf8.DecodeLastRuneInString(p.in[:p.at])
	after, _ := utf8.DecodeRuneInString(p.in[p.at+len(run):])
	start, end := p.at == 0, p.at+len(run) == len(p.in)
	p.at += len(run)
	at, n := len(p.out), len(run)
	p.out = append(p.out, run...)
	if n > 3 || run[0] == '~' && n != 2 {
		return
	}
	kind := strings.IndexByte("*_~", run[0])
	strict := n == 1 || run[0] == '_'
	if open := p.runs[kind][n]; open > 0 && !start && !unicode.IsSpace(before) && (end || !strict || !isWord(after)) {
		p.close(open-1, at, n, run[0] == '~')
		return
	}
	if !end && !unicode.IsSpace(after) && (start || !strict || !isWord(before) && before != '/') {
		p.runs[kind][n] = at + 1
	}
}

// close takes out the marks of an emphasis, and all of it if it is struck.
func (p *inliner) close(open, at, n int, struck bool) {
	clear(p.out[open : open+n])
	clear(p.out[at : at+n])
	if struck {
		clear(p.out[open:at])
	}
	for i := range p.runs {
		for j, other := range p.runs[i] {
			if other > open {
				p.runs[i][j] = 0
			}
		}
	}
	for len(p.brackets) > 0 && struck && p.brackets[len(p.brackets)-1] > open {
		p.brackets = p.brackets[:len(p.brackets)-1]
	}
}

// bareStart takes the marks off a text that begins bold and does not end so:
// the rest of it is on its way.
func (p *inliner) bareStart() {
	for kind := range p.runs {
		if n := 2; p.runs[kind][n] == 1 && len(p.out) > n {
			if r, _ := utf8.DecodeRune(p.out[n:]); isWord(r) {
				clear(p.out[:n])
			}
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// squeeze takes out zeros and makes each run of spaces one.
func squeeze(out []byte) string {
	kept := out[:0]
	for _, c := range out {
		switch {
		case c == 0:
			continue
		case c == '\n' || c == '\t' || c == '\r':
			c = ' '
		}
		if c != ' ' || len(kept) > 0 && kept[len(kept)-1] != ' ' {
			kept = append(kept, c)
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "\ufffd"))
}
