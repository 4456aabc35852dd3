package translate

import "strings"

// A kind is what a block is.
type kind uint8

const (
	paragraph kind = iota
	title          // a heading
	item           // a list item, by its first paragraph
	row            // a row of a table
	code
	markup // a line of HTML tags
)

// A block is a piece of a document that can become an entry, or is more to say.
type block struct {
	kind    kind
	line    int       // the first, from 1
	level   int       // of a heading, or the column of an item's marker
	nested  int       // items around an item
	ordered bool      // an item has a number
	mark    checkmark // the box of an item or heading
	raw     string    // lines joined by \n, at most maxRaw bytes; without mark and marker
	cut     bool      // there was more of it
	head    *table    // of a row
	section int       // index of the heading that it stands below, or -1
	key     bool      // it is part of a legend
	plan    answer    // a heading: whether it, or one around it, names a plan
}

// An answer to a question that is asked once.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// maxRaw is how much of a block is kept: far more than an entry may have, and
// little enough that what is done with it costs nothing.
const maxRaw = 1200

// clip bounds the first line of a block.
func (b *block) clip() {
	if len(b.raw) > maxRaw {
		b.raw, b.cut = strings.ToValidUTF8(b.raw[:maxRaw], ""), true
	}
}

// firstLine is what a block says on its first line.
func (b *block) firstLine() string {
	first, _, _ := strings.Cut(b.raw, "\n")
	return first
}
