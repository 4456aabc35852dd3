package transcript

import (
	"bytes"
	"regexp"
	"slices"
)

// A Gap is a place where two sequences of messages differ.
type Gap struct {
	At        int // in then
	Then, Now [][]byte
}

// lookahead bounds the search for the next equal message after a difference.
const lookahead = 64

// Align returns where now differs from then. Messages are the same if their bytes are, without line
// ends. Ids that acpshim makes may differ: an id that only then has is paired with an id that only
// now has, and has to be that id everywhere.
func Align(then, now [][]byte) (found []Gap) {
	p := pairing{read(then), read(now), map[string]string{}, map[string]string{}}
	p.pairEqual()
	i, j := 0, 0
	for i < len(then) || j < len(now) {
		if i < len(then) && j < len(now) && p.same(i, j) {
			p.pair(i, j)
			i, j = i+1, j+1
			continue
		}
		m, n := next(i, j, len(then), len(now), p.same)
		if last := len(found) - 1; last >= 0 && found[last].At+len(found[last].Then) == i { // the last one was cut
			found[last].Then = append(found[last].Then, then[i:m]...)
			found[last].Now = append(found[last].Now, now[j:n]...)
		} else {
			found = append(found, Gap{i, then[i:m:m], now[j:n:n]})
		}
		i, j = m, n
	}
	return found
}

// next returns where both sequences are the same again after i and j.
func next(i, j, ends, nows int, same func(i, j int) bool) (m, n int) {
	for far := 1; far < lookahead; far++ {
		for m := i; m <= i+far; m++ {
			if n := j + far - (m - i); m < ends && n < nows && same(m, n) {
				return m, n
			}
		}
	}
	return min(ends, i+lookahead), min(nows, j+lookahead)
}

// ownID matches ids that acpshim makes. They depend on the run, and on the whole conversation, of
// which a record may lack a part.
var ownID = regexp.MustCompile(`acpshim-(?:(?:plan|question)-[0-9A-Za-z-]+|[0-9a-f]{32}-[0-9]+)`)

// A text is a message without its line end, with its own ids apart from the rest.
type text struct {
	rest []byte
	ids  []string
}

func read(messages [][]byte) []text {
	texts := make([]text, len(messages))
	for i, m := range messages {
		t := &texts[i]
		t.rest = ownID.ReplaceAllFunc(bytes.TrimSpace(m), func(id []byte) []byte {
			t.ids = append(t.ids, string(id))
			return []byte("\x00")
		})
	}
	return texts
}

// A pairing holds which id of then is which id of now.
type pairing struct {
	then, now     []text
	toNow, toThen map[string]string
}

// pairEqual pairs ids that both have with themselves.
func (p *pairing) pairEqual() {
	inThen := map[string]bool{}
	for _, t := range p.then {
		for _, id := range t.ids {
			inThen[id] = true
		}
	}
	for _, t := range p.now {
		for _, id := range t.ids {
			if inThen[id] {
				p.toNow[id], p.toThen[id] = id, id
			}
		}
	}
}

// same reports whether two messages are the same, given the pairs of ids so far.
func (p *pairing) same(i, j int) bool {
	a, b := p.then[i], p.now[j]
	if len(a.ids) != len(b.ids) || !bytes.Equal(a.rest, b.rest) {
		return false
	}
	for k, id := range a.ids {
		now, isPaired := p.toNow[id]
		then, ok := p.toThen[b.ids[k]]
		if (isPaired || ok) && (now != b.ids[k] || then != id) || slices.Index(a.ids, id) != slices.Index(b.ids, b.ids[k]) {
			return false
		}
	}
	return true
}

// pair adds the ids of two equal messages.
func (p *pairing) pair(i, j int) {
	for k, id := range p.then[i].ids {
		p.toNow[id], p.toThen[p.now[j].ids[k]] = p.now[j].ids[k], id
	}
}
