package document

import "strings"

// A kind is the kind of a block.
type kind uint8

const (
	paragraph kind = iota
	heading
	item // the first paragraph of a list item
	row  // of a table
	code
	markup // a line of HTML tags
)

// A block is a part of a document: an entry of the plan, or prose.
type block struct {
	kind    kind
	line    int      // its first line, from 1
	level   int      // heading: 1 to 6; item: the column of its marker
	nested  int      // item: the number of items around it
	ordered bool     // item: it has a number
	box     checkbox // item, heading
	text    string   // its lines joined by \n, without marker and box; at most maxText bytes
	cut     bool     // text is truncated
	table   *table   // row
	section int      // index of the heading above it, or -1
	legend  bool     // it explains signs
}

// maxText is the maximum text of a block, in bytes. An entry needs far less, and blocks of this
// size can be read many times.
const maxText = 1200

// truncate truncates a text to maxText bytes, and reports whether it was longer.
func truncate(text string) (_ string, cut bool) {
	if len(text) <= maxText {
		return text, false
	}
	return strings.ToValidUTF8(text[:maxText], ""), true
}

func (b *block) firstLine() string {
	first, _, _ := strings.Cut(b.text, "\n")
	return first
}
