package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A form is how something looks that is replaced, or kept, wherever it stands.
type form struct {
	begins  string                       // in any case; several are separated by "|"
	isAt    func(s *scanner, i int) bool // whether the form may be at i, nil for everywhere
	before  int                          // how many letters and digits there are before it at least
	reach   int                          // how much is looked at, 0 for the usual
	find    finder                       // finds the secret
	isBlock bool                         // the lines after it belong to it
	kind    Kind                         // "" for what is kept
	with    string                       // what replaces it, "" for the kind's marker
	vendor  string                       // of a token
}

// A formTable has forms by the lowest five bits of the first byte of their beginnings.
type formTable [32][]form

// add adds a form, and how it begins to the grams.
func (t *formTable) add(g *grams, f form) {
	for f.begins = range strings.SplitSeq(f.begins, "|") {
		by := &t[f.begins[0]&31]
		*by = append(slices.Clip(*by), f)
		g.add(formBit, f.begins)
	}
}

// readForm replaces what has one of the forms at i.
func (s *scanner) readForm(i int) int {
	forms := s.forms[s.text[i]&31]
	for n := range forms {
		f := &forms[n]
		if !hasFold(s.text[i:], f.begins) || f.isAt != nil && !f.isAt(s, i) || !f.isFree(s, i) {
			continue
		}
		secret, ok := f.find(s.near(i, cmp.Or(f.reach, sure)))
		if !ok {
			continue
		}
		start, end := i+secret.Start, i+secret.End
		if f.before > 0 {
			start = s.back(i, 64, isWord)
		}
		for end-i >= sure && end < len(s.text) && (isWord(s.text[end]) || strings.IndexByte("._~+/=$", s.text[end]) >= 0) {
			end++ // after what was looked at
		}
		if f.isBlock {
			end = s.blockEnd(i, block{Token, ofKey})
		}
		return s.add(edit{start: start, end: end, kind: f.kind, with: cmp.Or(f.with, marker(f.kind)), vendor: f.vendor})
	}
	return i
}

// isFree reports whether the form may begin at i: a word does, or enough letters and digits stand
// before.
func (f *form) isFree(s *scanner, i int) bool {
	if f.before > 0 {
		run := s.text[s.back(i, 64, isAlnum):i]
		return len(run) >= f.before && bytes.ContainsAny(run, digits)
	}
	return !isAlnum(s.text[i]) || i <= s.floor || starts(s.text, i)
}

var wordStarts = lazily(`(?:\\[A-Za-z]|%[0-9A-Fa-f]{2}|\[[0-9;]*m)\z`)

// starts reports whether a word may start at i, as it may after "\n", "%3D" or a colour, too.
func starts(text []byte, i int) bool {
	return i == 0 || !isWord(text[i-1]) || wordStarts().Match(text[max(0, i-16):i])
}
