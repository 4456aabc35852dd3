package replay

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// WriteDiff writes for a person where what came out at each end differs, and reports whether it
// does.
func WriteDiff(w io.Writer, then, now Passages) (differs bool) {
	differs = then[record.Client].WriteDiff(w, "to agent", now[record.Client])
	return then[record.Agent].WriteDiff(w, "to client", now[record.Agent]) || differs
}

// WriteDiff writes where a passage differs from what comes out now; what names it.
func (p Passage) WriteDiff(w io.Writer, what string, now Passage) bool {
	differences := Diff(p.Lines, now.Lines)
	for _, d := range differences {
		at := "at the end"
		if d.At < len(p.Of) {
			m := p.Of[d.At]
			at = strings.TrimRight(fmt.Sprintf("#%d, %.3fs, %s", m.Seq, m.Mono.Seconds(), terminal.Plain(m.Method+" "+m.Update, 0)), ", ")
		}
		fmt.Fprintf(w, "%s, %s\n", what, at)
		for _, line := range d.Then {
			fmt.Fprintf(w, "- %s\n", terminal.Message(line))
		}
		for _, line := range d.Now {
			fmt.Fprintf(w, "+ %s\n", terminal.Message(line))
		}
	}
	return len(differences) > 0
}

// A Difference is a place where two sequences of messages differ.
type Difference struct {
	At        int // in then
	Then, Now [][]byte
}

// lookahead bounds how far behind a difference the next message that is the
// same is looked for, and with it the work.
const lookahead = 64

// Diff returns where now differs from then. Messages are the same if their
// bytes are, but for their ends.
func Diff(then, now [][]byte) (found []Difference) {
	same := func(a, b []byte) bool { return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) }
	i, j := 0, 0
	for i < len(then) || j < len(now) {
		if i < len(then) && j < len(now) && same(then[i], now[j]) {
			i, j = i+1, j+1
			continue
		}
		a, b := next(then[i:], now[j:], same)
		if n := len(found); n > 0 && found[n-1].At+len(found[n-1].Then) == i { // the last one was cut
			found[n-1].Then = append(found[n-1].Then, then[i:i+a]...)
			found[n-1].Now = append(found[n-1].Now, now[j:j+b]...)
		} else {
			found = append(found, Difference{i, then[i : i+a : i+a], now[j : j+b : j+b]})
		}
		i, j = i+a, j+b
	}
	return found
}

// next says how many messages of both differ before two are the same.
func next(then, now [][]byte, same func(a, b []byte) bool) (a, b int) {
	for n := 1; n < lookahead; n++ {
		for a := 0; a <= n; a++ {
			if b := n - a; a < len(then) && b < len(now) && same(then[a], now[b]) {
				return a, b
			}
		}
	}
	return min(len(then), lookahead), min(len(now), lookahead)
}
