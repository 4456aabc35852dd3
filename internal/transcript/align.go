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

// lookahead bounds how far behind a difference the next message that is the same is looked for, and
// with it the work.
const lookahead = 64

// Align returns where now differs from then. Messages are the same if their bytes are, but for
// their ends, and for ids that acpshim makes: one that only then has may be one that only now has,
// and is that everywhere.
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

// next returns where both sequences are the same again behind i and j.
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

// made are ids of messages that acpshim makes: they depend on what stands in a conversation, of
// which a record may have less, and on the run.
var made = regexp.MustCompile(`acpshim-(?:(?:plan|question)-[0-9A-Za-z-]+|[0-9a-f]{32}-[0-9]+)`)

// A text is a message without its end, with the made ids that it has apart from the rest.
type text struct {
	rest []byte
	ids  []string
}

func read(messages [][]byte) []text {
	texts := make([]text, len(messages))
	for i, m := range messages {
		t := &texts[i]
		t.rest = made.ReplaceAllFunc(bytes.TrimSpace(m), func(id []byte) []byte {
			t.ids = append(t.ids, string(id))
			return []byte("\x00")
		})
	}
	return texts
}

// A pairing knows which made id of then is which of now.
type pairing struct {
	then, now     []text
	toNow, toThen map[string]string
}

// pairEqual pairs the ids that both have with themselves.
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

// same reports whether two messages are the same, with their ids paired as they are so far.
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

// pair notes the ids of two messages that are the same.
func (p *pairing) pair(i, j int) {
	for k, id := range p.then[i].ids {
		p.toNow[id], p.toThen[p.now[j].ids[k]] = p.now[j].ids[k], id
	}
}
