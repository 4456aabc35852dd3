package document

import (
	"slices"
	"strings"
)

// A scanner splits markdown into blocks in one pass, line by line. The kind of a line depends on
// the lines above it and on the underline below it.
//
// It reads markdown as people and models write it, which differs from CommonMark: only the same run
// closes a fence, and HTML never hides other lines.
type scanner struct {
	blocks  []block
	lines   int        // lines that were read
	cut     bool       // there are more than maxBlocks
	section int        // index of the last heading, or -1
	open    bool       // the next line may continue the last block, a paragraph or an item
	items   []listItem // the items around the line, outermost first
	quotes  int        // quote marks before them

	fence       string // the run that opened the current code block, or ""
	fenceQuotes int    // quote marks before it
	comment     bool   // the line is inside <!--
	indented    bool   // the line before was indented code
	more        []byte // lines to append to the last block
	table       *table // the current table, or nil
}

// A listItem has the columns of an item's marker and text.
type listItem struct{ marker, text int }

// maxNested is the maximum number of items around an item.
const maxNested = 32

func (s *scanner) scan(text string) {
	for text != "" {
		if s.cut = len(s.blocks) == maxBlocks; s.cut {
			break
		}
		raw, rest, whole := strings.Cut(text, "\n")
		s.lines++
		if l := readLine(raw); whole || s.fence != "" || !isUndecided(l.text) {
			s.line(l)
		}
		text = rest
	}
	s.finish()
}

func (s *scanner) line(l line) {
	if s.hides(l) {
		return
	}
	l.text = trimProposal(l.text)
	if l.text == "" {
		s.open, s.table, s.indented = false, nil, false
		return
	}
	if s.table != nil && len(splitRow(l.text)) > 1 {
		s.add(block{kind: row, text: l.text, table: s.table})
		return
	}
	s.table = nil
	s.closeItems(l)
	base := 0
	if n := len(s.items); n > 0 {
		base = s.items[n-1].text
	}
	if l.indent >= base+4 {
		s.indentedLine(l)
		return
	}
	s.indented = false
	s.blockLine(l)
}

// hides reports whether a line is in a code block or a comment, or ends one.
func (s *scanner) hides(l line) bool {
	switch {
	case s.fence != "" && l.quotes < s.fenceQuotes:
		s.fence = ""
		return false
	case s.fence != "":
		if l.quotes == s.fenceQuotes && closesFence(l.text, s.fence) {
			s.fence = ""
		}
		return true
	case s.comment:
		s.comment = !strings.Contains(l.text, "-->")
		return true
	}
	return false
}

// closeItems closes the items that a line is not part of. A line that continues a paragraph closes
// none.
func (s *scanner) closeItems(l line) {
	if s.open && !interrupts(l.text) {
		return
	}
	if l.quotes != s.quotes {
		s.quotes, s.items = l.quotes, s.items[:0]
	}
	for n := len(s.items); n > 0 && l.indent < s.items[n-1].text; n-- {
		s.items = s.items[:n-1]
	}
}

// interrupts reports whether a line begins a block in the middle of a paragraph.
func interrupts(text string) bool {
	if strings.IndexByte("#-*+_=`~<[0123456789", text[0]) < 0 {
		return false // most lines
	}
	level, _ := cutHeading(text)
	width, _, _ := cutMarker(text)
	return level > 0 || width > 0 || openingFence(text) != "" || isBreak(text) || underline(text) > 0 ||
		hasPlainBox(text) || strings.HasPrefix(text, "<!--")
}

func (s *scanner) indentedLine(l line) {
	switch {
	case s.open:
		s.join(l.text)
	case !s.indented:
		s.add(block{kind: code, text: l.text})
		s.indented = true
	}
}

// blockLine reads a line that begins a block or continues a paragraph.
func (s *scanner) blockLine(l line) {
	if fence := openingFence(l.text); fence != "" {
		s.openFence(fence, l.text, l.quotes)
	} else if strings.HasPrefix(l.text, "<!--") {
		s.open = false
		if text := s.cutComments(l.text); text != "" {
			s.textLine(text)
		}
	} else if level := underline(l.text); level > 0 && s.mayBeUnderlined() {
		s.underlined(level)
	} else if isBreak(l.text) {
		s.open = false
	} else if level, title := cutHeading(l.text); level > 0 {
		s.heading(level, title)
	} else if width, _, _ := cutMarker(l.text); width > 0 {
		s.item(l)
	} else if hasPlainBox(l.text) {
		s.addItem(block{level: l.indent, nested: len(s.items), text: l.text})
	} else {
		s.textLine(l.text)
	}
}

// cutComments removes the comments from the beginning of a line. An open comment hides the next
// lines, too.
func (s *scanner) cutComments(text string) string {
	for strings.HasPrefix(text, "<!--") {
		_, rest, closed := strings.Cut(text, "-->")
		s.comment = !closed
		text = strings.TrimLeft(rest, " \t")
	}
	return text
}

func (s *scanner) openFence(fence, text string, quotes int) {
	s.add(block{kind: code, text: text})
	s.fence, s.fenceQuotes, s.open = fence, quotes, false
}

func (s *scanner) heading(level int, title string) {
	box, title := cutBox(title)
	for s.section >= 0 && s.blocks[s.section].level >= level {
		s.section = s.blocks[s.section].section
	}
	s.add(block{kind: heading, level: level, box: box, text: title})
	s.section, s.open, s.items = len(s.blocks)-1, false, s.items[:0]
}

// mayBeUnderlined reports whether an underline makes the last block a heading.
func (s *scanner) mayBeUnderlined() bool {
	return s.open && len(s.items) == 0 && s.blocks[len(s.blocks)-1].kind == paragraph
}

// underlined makes the last paragraph a heading.
func (s *scanner) underlined(level int) {
	s.finish()
	last := len(s.blocks) - 1
	b := s.blocks[last]
	s.blocks = s.blocks[:last]
	s.heading(level, b.text)
	s.blocks[last].line = b.line
}

// item reads the markers at the beginning of a line, and the text after them. There can be several,
// because an item can begin with a list.
func (s *scanner) item(l line) {
	b := block{text: l.text}
	column := l.indent
	for {
		width, ordered, rest := cutMarker(b.text)
		if width == 0 || len(s.items) >= maxNested || isBreak(b.text) {
			break
		}
		s.items = append(s.items, listItem{column, column + width})
		b.text, b.ordered = rest, ordered
		column += width
		if box, _ := cutBox(rest); box.sign != 0 {
			break
		}
	}
	if n := len(s.items); n > 0 {
		b.level, b.nested = s.items[n-1].marker, n-1
	}
	if fence := openingFence(b.text); fence != "" {
		s.openFence(fence, b.text, l.quotes)
		return
	}
	s.addItem(b)
}

// addItem adds an item whose text may begin with a box.
func (s *scanner) addItem(b block) {
	b.kind = item
	b.box, b.text = cutBox(b.text)
	s.add(b)
	s.open = true
}

// textLine reads a line of a paragraph, or the delimiter below the head of a table.
func (s *scanner) textLine(text string) {
	if !s.open {
		s.open = !beginsWithTag(text)
		b := block{kind: paragraph, text: text}
		if !s.open {
			b.kind = markup
		}
		s.add(b)
		return
	}
	last := len(s.blocks) - 1
	if b := &s.blocks[last]; b.kind == paragraph && len(s.more) == 0 && isDelimiter(text) {
		s.table = newTable(splitRow(b.text))
		s.blocks, s.open = s.blocks[:last], false
		return
	}
	s.join(text)
}

// add adds a block that begins on this line.
func (s *scanner) add(b block) {
	s.finish()
	b.line, b.section = s.lines, s.section
	b.text, b.cut = truncate(b.text)
	if len(s.blocks) == cap(s.blocks) {
		s.blocks = slices.Grow(s.blocks, max(64, len(s.blocks))) // append grows large ones by a quarter
	}
	s.blocks = append(s.blocks, b)
}

func (s *scanner) join(text string) {
	b := &s.blocks[len(s.blocks)-1]
	if len(b.text)+len(s.more)+1+len(text) > maxText {
		b.cut = true
		return
	}
	s.more = append(append(s.more, '\n'), text...)
}

// finish appends the joined lines to the last block, at once, because a copy for each line would
// take quadratic time.
func (s *scanner) finish() {
	if len(s.more) > 0 {
		s.blocks[len(s.blocks)-1].text += string(s.more)
		s.more = s.more[:0]
	}
}
