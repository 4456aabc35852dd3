package redact

import "bytes"

// A block is lines that are replaced together: those that are indented more than a name, or those
// of a private key. The zero value is not a block.
type block struct {
	kind   Kind
	indent int // of the name, or ofKey
}

const ofKey = -1

var (
	blockStarts = lazily(`\A *[|>][-+0-9]* *\r?(?:\n|\\n|\z)\s*`)        // of YAML, after the colon
	keyEnds     = lazily(`-----END .{0,60}?-----|Private-MAC:[^\n\\"]*`) // of OpenSSL, PGP or PuTTY
	keyLines    = lazily(`\A\s*(?:[\w-]+:.*|-----END.*|[A-Za-z0-9+/=]*)\s*\z`)
)

// has reports whether a line belongs to the block.
func (b block) has(line []byte) bool {
	if b.indent == ofKey {
		return keyLines().Match(line)
	}
	text := bytes.TrimLeft(line, " \t\r\n")
	return len(text) == 0 || len(line)-len(text) > b.indent
}

// blockBelow is the block of the lines that are indented more than the one of a name.
func (s *scanner) blockBelow(n name, kind Kind) block {
	before := s.text[max(s.floor, n.start-maxName):n.start]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return block{kind, len(line) - len(bytes.TrimLeft(line, " \t-\""))}
}

// blockStart returns where the text of a block of YAML begins that is a value.
func (s *scanner) blockStart(v value) (start int, ok bool) {
	if v.sign != colon {
		return 0, false
	}
	m := blockStarts().FindIndex(s.near(v.signEnd, linkReach))
	if m == nil {
		return 0, false
	}
	return v.signEnd + m[1], true
}

// blockEnd returns the end of the line at i and of those after it that belong to the block. A block
// at the end of a text of lines is unfinished.
func (s *scanner) blockEnd(i int, b block) int {
	end := len(s.text)
	if b.indent == ofKey { // its last line ends it, whatever stands around the lines before
		if m := keyEnds().FindIndex(s.text[i:]); m != nil {
			return i + m[1]
		}
	} else {
		end = i
		for line := range bytes.Lines(s.text[i:]) {
			if end > i && !b.has(line) {
				break
			}
			end += len(line)
		}
	}
	if end == len(s.text) && s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.unfinished = b
	}
	return i + len(bytes.TrimRight(s.text[i:end], "\r\n"))
}

// resume replaces what belongs to the block that the text before left unfinished, and returns where
// to go on.
func (s *scanner) resume() int {
	b := s.unfinished
	s.unfinished = block{}
	first, _, _ := bytes.Cut(s.text, []byte("\n"))
	if b.kind == "" || !b.has(first) {
		return 0
	}
	return s.replace(len(s.text)-len(bytes.TrimLeft(s.text, " \t\r\n")), s.blockEnd(0, b), b.kind)
}
