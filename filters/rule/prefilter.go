package rule

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"acpshim/internal/chain/wire"
)

// A prefilter decides without parsing a line whether one of several rules may match it.
type prefilter []needles

// Needles are those of some rules with the same name. Most lines do not contain the name. Then the
// values need no search.
type needles struct {
	name   []byte
	values [][]byte
}

// newPrefilter returns the prefilter of some rules.
func newPrefilter(rules []*compiledRule) (p prefilter) {
	for _, r := range rules {
		name := []byte(r.needle.name)
		i := slices.IndexFunc(p, func(n needles) bool { return bytes.Equal(n.name, name) })
		if i < 0 {
			i, p = len(p), append(p, needles{name: name})
		}
		p[i].values = append(p[i].values, []byte(r.needle.value))
	}
	for i, n := range p {
		if value := n.values[0]; len(n.values) == 1 && len(value) > 2 {
			p[i] = needles{name: value, values: [][]byte{nil}} // rare enough to be looked for alone
		}
	}
	return p
}

// mayMatch reports whether one of the rules may match a whole line. If it returns false, none does.
func (p prefilter) mayMatch(line []byte) bool {
	if bytes.Contains(line, []byte(`\u00`)) {
		return true // a needle may be spelled with it
	}
	for _, n := range p {
		if bytes.Contains(line, n.name) &&
			slices.ContainsFunc(n.values, func(value []byte) bool { return bytes.Contains(line, value) }) {
			return true
		}
	}
	return false
}

// A needle is two texts. Every line that a rule matches contains both, or has a \u00. If a text is
// not known it is "", which every line contains.
type needle struct {
	name  string // of a member, in quotes
	value string // a part of a string
	depth int    // of the member, 1 at the top: fewer lines contain the names of deep members
}

// newNeedle returns the needle of a rule that matches only lines with a value where the selector
// points, and with the text value.
func newNeedle(p wire.Selector, value string) (n needle) {
	for i, step := range p {
		if _, chosen, isChoice := p.Choice(i); isChoice { // in an object all of the step is a name
			value = longest(value, longestPlain(chosen))
		} else if isIndex := strings.Trim(step, "0123456789") == ""; step != "*" && !isIndex {
			n.name, n.depth = whole(step), i+1
		}
	}
	n.value = value
	return n
}

// rarer returns the needle that fewer lines are likely to contain.
func (n needle) rarer(other needle) needle {
	if cmp.Or(cmp.Compare(len(n.value), len(other.value)), cmp.Compare(n.depth, other.depth)) < 0 {
		return other
	}
	return n
}

// whole returns what all spellings of a JSON string contain: all of it in quotes, if it is plain.
func whole(text string) string {
	if plain := longestPlain(text); plain != text {
		return plain
	}
	return `"` + text + `"`
}

// longestPlain returns the longest part of some texts that JSON spells in only one way, or with
// \u00.
func longestPlain(texts ...string) (part string) {
	isEscaped := func(r rune) bool { return r < ' ' || r >= 0x7f || strings.ContainsRune(`"\/`, r) }
	for _, text := range texts {
		for plain := range strings.FieldsFuncSeq(text, isEscaped) {
			part = longest(part, plain)
		}
	}
	return part
}

func longest(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
