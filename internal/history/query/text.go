package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acpshim/internal/history"
)

// fold returns a text in which letters that differ in case only are the same, by the
// simple case folding of Unicode.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		if least < utf8.RuneSelf {
			least = unicode.ToLower(least)
		}
		return least
	}, text)
}

// In returns what says of the messages of a history whether they are meant. It is
// [Query.Match], but a text may stand in the pieces of a streamed message together,
// which then all are meant. It is for one goroutine.
func (q Query) In(h *history.History) func(*history.Message) bool {
	if !slices.ContainsFunc(q.terms, func(t term) bool { return t.name == "" }) {
		return q.Match
	}
	whole := streamed(h)
	return func(m *history.Message) bool {
		return q.match(&subject{Record: m.Record, message: m, whole: whole[m]})
	}
}

// streamed returns what each streamed message of several pieces says, by its pieces.
func streamed(h *history.History) map[*history.Message]string {
	var streams history.Streams
	pieces := map[*history.Message][]*history.Message{} // by the first
	for m := range h.All() {
		if m == nil {
			streams.Interrupt("")
		} else if first, _ := streams.Add(m); first != nil {
			pieces[first] = append(pieces[first], m)
		}
	}
	whole := map[*history.Message]string{}
	for _, all := range pieces {
		var b strings.Builder
		for _, m := range all {
			b.WriteString(m.Piece())
		}
		text := fold(b.String())
		for _, m := range all {
			whole[m] = text
		}
	}
	return whole
}
