package prefilter

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"acpshim/internal/wire"
)

// A node is a place on the way to values that rules ask for, and what they ask of the value there.
type node struct {
	below    map[string]*node // by names
	elements *node            // of each element of a list that rules look into
	named    bool             // rules also ask for one element of a list by its number

	present  bool            // that it is there
	equal    map[string]bool // that it is one of these strings
	longest  int             // bytes of the longest of these
	texts    []string        // that it has one of these texts in it
	contains *search         // for texts; nil if there are none
}

// add notes a requirement at the place that the rest of its pointer leads to.
func (n *node) add(rest wire.Selector, r Requirement) {
	switch {
	case len(rest) > 0 && rest.Selects(0):
		if n.elements == nil {
			n.elements = &node{}
		}
		n.elements.add(rest[1:], r)
		if _, _, isChoice := rest.Choice(0); isChoice {
			n.at(rest[0]).present = true // the name of a member, below which nothing is chosen
		} else {
			n.at(rest[0]).add(rest[1:], r)
		}
	case len(rest) > 0:
		n.named = true
		n.at(rest[0]).add(rest[1:], r)
	case r.Kind == Present:
		n.present = true
	case r.Kind == Contains:
		n.texts = append(n.texts, r.Text)
	default:
		if n.equal == nil {
			n.equal = map[string]bool{}
		}
		n.equal[r.Text] = true
		n.longest = max(n.longest, len(r.Text))
	}
}

// at returns the place below a name.
func (n *node) at(name string) *node {
	if n.below == nil {
		n.below = map[string]*node{}
	}
	if n.below[name] == nil {
		n.below[name] = &node{}
	}
	return n.below[name]
}

// mayMatch reports whether a string, as it stands in the line, may be one that rules ask for.
func (n *node) mayMatch(raw []byte) bool {
	const longestEscape = len(`\u0061`)
	if len(raw) <= n.longest*longestEscape+len(`""`) {
		if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			if n.equal[string(inner)] { // no copy
				return true
			}
		} else if text, _ := wire.Text(raw); n.equal[text] {
			return true
		}
	}
	if n.contains == nil && n.texts != nil {
		n.contains = newSearch(n.texts)
	}
	return n.contains != nil && n.contains.in(raw)
}

// plain is the requirement as a line is searched for it. JSON has several spellings of a string,
// so a text that is searched for has only characters that are spelled as they are, or as \u00XX.
func (r Requirement) plain() Requirement {
	if r.Kind == Contains {
		if r.Text = longestPlain(r.Text); len(r.Text) < minText {
			r.Kind = Present
		}
	}
	return r
}

// minText is the shortest text that is searched for, in bytes: most strings have shorter ones.
const minText = 3

// compare orders requirements by how few lines have what they ask for.
func (r Requirement) compare(other Requirement) int {
	return cmp.Or(cmp.Compare(r.Kind, other.Kind), cmp.Compare(len(r.Text), len(other.Text)),
		cmp.Compare(len(r.Pointer), len(other.Pointer)))
}

// longestPlain returns the longest part of a text without characters that have an escape of their
// own.
func longestPlain(text string) (longest string) {
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= ' ' && text[i] < 0x7f && text[i] != '"' && text[i] != '\\' && text[i] != '/' {
			continue
		}
		if i-start > len(longest) {
			longest = text[start:i]
		}
		start = i + 1
	}
	return longest
}
