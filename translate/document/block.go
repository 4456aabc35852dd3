package document

import "strings"

// A kind is what a block is.
type kind uint8

const (
	paragraph kind = iota
	heading
	item // of a list: its first paragraph
	row  // of a table
	code
	markup // a line of HTML tags
)

// A block is a piece of a document: it becomes an entry, or is prose.
type block struct {
	kind    kind
	line    int      // where it begins, from 1
	level   int      // heading: 1 to 6; item: the column of its marker
	nested  int      // item: the items around it
	ordered bool     // item: it has a number
	box     checkbox // item, heading
	text    string   // its lines joined by \n, without marker and box; at most maxText bytes
	cut     bool     // text is not all of it
	table   *table   // row
	section int      // index of the heading that it stands below, or -1
	legend  bool     // it explains signs
}

// maxText bounds the text of a block in bytes: far more than an entry may have, and
// little enough that reading it again and again costs nothing.
const maxText = 1200

// bounded returns a text of at most maxText bytes, and whether there was more of it.
func bounded(text string) (_ string, cut bool) {
	if len(text) <= maxText {
		return text, false
	}
	return strings.ToValidUTF8(text[:maxText], ""), true
}

// firstLine returns the first line of the text.
func (b *block) firstLine() string {
	first, _, _ := strings.Cut(b.text, "\n")
	return first
}
