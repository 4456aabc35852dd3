package translate

import (
	"slices"
	"strings"
)

// A scanner cuts a document into blocks, line by line and in one pass: what a
// line is depends on the lines above it and on the underline below it.
//
// It reads markdown as people and models write it, not as CommonMark has it: a
// fence is closed by its like alone, and HTML hides no more than its own line.
type scanner struct {
	blocks  []block
	lines   int
	cut     bool // there are more than maxBlocks
	section int  // index of the last heading, or -1
	open    bool
	lists   []span // the items around the line, outermost first

	quotes  int    // quote marks before the items around the line
	fence   string // what opened the code block that is open
	quoted  int    // quote marks before it
	comment bool   // inside <!--
	coded   bool   // the line before was indented code
	more    []byte // what the last block goes on with
	table   *table // the table that is open
}

// A span is the room of a list item.
type span struct{ marker, text int } // columns

// maxNested bounds the items around an item.
const maxNested = 32

func (s *scanner) scan(text string) {
	for text != "" {
		if s.cut = len(s.blocks) == maxBlocks; s.cut {
			break
		}
		raw, rest, whole := strings.Cut(text, "\n")
		s.lines++
		if l := readLine(raw); whole || s.fence != "" || !undecided(l.text) {
			s.line(l)
		}
		text = rest
	}
	s.finish()
}

// finish writes into the last block what it goes on with: a copy for each line
// would be quadratic.
func (s *scanner) finish() {
	if len(s.more) > 0 {
		s.blocks[len(s.blocks)-1].raw += string(s.more)
		s.more = s.more[:0]
	}
}

// join adds a line to the last block.
func (s *scanner) join(text string) {
	b := &s.blocks[len(s.blocks)-1]
	if len(b.raw)+len(s.more)+1+len(text) > maxRaw {
		b.cut = true
		return
	}
	s.more = append(append(s.more, '\n'), text...)
}

func (s *scanner) line(l line) {
	if s.hidden(l) {
		return
	}
	l.text = unwrap(l.text)
	if l.blank() {
		s.open, s.table, s.coded = false, nil, false
		return
	}
	if s.table != nil {
		if cells := splitRow(l.text); len(cells) > 1 {
			s.add(block{kind: row, raw: l.text, head: s.table})
			return
		}
		s.table = nil
	}
	s.leave(l)
	base := 0
	if n := len(s.lists); n > 0 {
		base = s.lists[n-1].text
	}
	if l.indent >= base+4 {
		s.deep(l)
		return
	}
	s.coded = false
	s.top(l)
}

// hidden reports whether a line is part of a code block or a comment.
func (s *scanner) hidden(l line) bool {
	switch {
	case s.fence != "" && l.quotes < s.quoted:
		s.fence = ""
		return false
	case s.fence != "":
		if l.quotes == s.quoted && closes(l.text, s.fence) {
			s.fence = ""
		}
		return true
	case s.comment:
		s.comment = !strings.Contains(l.text, "-->")
		return true
	}
	return false
}

// uncomment takes the comments off the beginning of a line. One that is not
// closed hides the lines that follow, too.
func (s *scanner) uncomment(text string) string {
	for strings.HasPrefix(text, "<!--") {
		_, rest, closed := strings.Cut(text, "-->")
		s.comment = !closed
		text = strings.TrimLeft(rest, " \t")
	}
	return text
}

// leave closes the list items that a line is not part of. A line that goes on
// with a paragraph closes none.
func (s *scanner) leave(l line) {
	if s.open && !begins(l.text) {
		return
	}
	if l.quotes != s.quotes {
		s.quotes, s.lists = l.quotes, s.lists[:0]
	}
	for n := len(s.lists); n > 0 && l.indent < s.lists[n-1].text; n-- {
		s.lists = s.lists[:n-1]
	}
}

// begins reports whether a line begins a block in the middle of a paragraph.
func begins(text string) bool {
	if level, _ := heading(text); level > 0 {
		return true
	}
	width, _, _ := marker(text)
	return width > 0 || fence(text) != "" || isRule(text) || underline(text) > 0 ||
		plainBox(text) || strings.HasPrefix(text, "<!--")
}

// deep reads a line that is indented as code is.
func (s *scanner) deep(l line) {
	if s.open {
		s.join(l.text)
		return
	}
	if !s.coded {
		s.add(block{kind: code, raw: l.text})
	}
	s.coded = true
}

// top reads a line that begins a block or goes on with a paragraph.
func (s *scanner) top(l line) {
	if run := fence(l.text); run != "" {
		s.openFence(run, l)
	} else if strings.HasPrefix(l.text, "<!--") {
		s.open = false
		if l.text = s.uncomment(l.text); l.text != "" {
			s.text(l)
		}
	} else if level := underline(l.text); level > 0 && s.titled() {
		s.retitle(level)
	} else if isRule(l.text) {
		s.open = false
	} else if level, text := heading(l.text); level > 0 {
		s.title(level, text)
	} else if width, _, _ := marker(l.text); width > 0 {
		s.item(l)
	} else if plainBox(l.text) {
		m, text, _ := box(l.text)
		s.add(block{kind: item, level: l.indent, nested: len(s.lists), mark: m, raw: text})
		s.open = true
	} else {
		s.text(l)
	}
}

func (s *scanner) openFence(run string, l line) {
	s.add(block{kind: code, raw: l.text})
	s.fence, s.quoted, s.open = run, l.quotes, false
}

func (s *scanner) title(level int, text string) {
	m, text, _ := box(text)
	for s.section >= 0 && s.blocks[s.section].level >= level {
		s.section = s.blocks[s.section].section
	}
	s.add(block{kind: title, level: level, mark: m, raw: text})
	s.section, s.open, s.lists = len(s.blocks)-1, false, s.lists[:0]
}

// item reads the markers at the start of a line: a list may begin in an item.
func (s *scanner) item(l line) {
	column, text, ordered := l.indent, l.text, false
	for width := 0; ; column += width {
		var numbered bool
		var rest string
		if width, numbered, rest = marker(text); width == 0 || len(s.lists) >= maxNested || isRule(text) {
			break
		}
		s.lists = append(s.lists, span{column, column + width})
		text, ordered = rest, numbered
		if _, _, ok := box(text); ok {
			break
		}
	}
	at := 0
	if n := len(s.lists); n > 0 {
		at = s.lists[n-1].marker
	}
	if run := fence(text); run != "" {
		s.openFence(run, line{text: text, quotes: l.quotes})
		return
	}
	m, text, _ := box(text)
	s.add(block{kind: item, level: at, nested: max(0, len(s.lists)-1), ordered: ordered, mark: m, raw: text})
	s.open = true
}

// text reads a line of a paragraph, or the line that makes its one line the
// head of a table.
func (s *scanner) text(l line) {
	last := len(s.blocks) - 1
	if !s.open {
		if isTag(l.text) {
			s.add(block{kind: markup, raw: l.text})
			return
		}
		s.add(block{kind: paragraph, raw: l.text})
		s.open = true
		return
	}
	if b := &s.blocks[last]; b.kind == paragraph && len(s.more) == 0 && isDelimiter(l.text) {
		s.table = newTable(splitRow(b.raw))
		s.blocks, s.open = s.blocks[:last], false
		return
	}
	s.join(l.text)
}

// titled reports whether a paragraph is open that an underline makes a heading.
func (s *scanner) titled() bool {
	return s.open && len(s.lists) == 0 && s.blocks[len(s.blocks)-1].kind == paragraph
}

func (s *scanner) retitle(level int) {
	s.finish()
	b := s.blocks[len(s.blocks)-1]
	s.blocks = s.blocks[:len(s.blocks)-1]
	s.title(level, b.raw)
	s.blocks[len(s.blocks)-1].line = b.line
}

func (s *scanner) add(b block) {
	s.finish()
	b.line, b.section = s.lines, s.section
	b.clip()
	if len(s.blocks) == cap(s.blocks) {
		s.blocks = slices.Grow(s.blocks, max(64, len(s.blocks)))
	}
	s.blocks = append(s.blocks, b)
}
