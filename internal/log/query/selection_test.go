package query

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// said returns a record in which the agent sends a streamed message in pieces.
func said(t *testing.T, pieces ...string) *history.History {
	var b strings.Builder
	for i, piece := range pieces {
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}}`+"\n", i+1, piece)
	}
	h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A text may begin in one piece of a streamed message and end in a much later one. Then all pieces
// of the message match.
func TestATextStandsInManyPieces(t *testing.T) {
	h := said(t, "The Par", "s", "", "er forgets ", "COMM", "ents")
	for text, want := range map[string]bool{"parser forgets comments": true, "parsers": false, "the": true, "-parser": false, "-nothing": true, `parser -"ER F"`: false} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := q.Of(h.All())
		for i, m := range h.Messages {
			if got := s.Next(m); got != want {
				t.Errorf("%s: piece %d: %v, want %v", text, i, got, want)
			}
		}
	}
}

// The time to search a streamed message is linear in its length. The selector keeps no more of it
// than the length of the text.
func TestALongStreamedMessage(t *testing.T) {
	q, err := Parse(`"comments need care"`)
	if err != nil {
		t.Fatal(err)
	}
	read := func(size int) *history.History {
		return said(t, strings.Split(strings.Repeat("Comments need no care; ", size/4), " ")...)
	}
	growth.Linear(t, "pieces", 2000, func(size int) func() {
		h := read(size)
		return func() { q.Of(h.All()) }
	})
	s := newSelector(q)
	for m := range read(2000).All() {
		s.add(m)
	}
	if len(s.open) != 1 {
		t.Fatalf("%d streamed messages are open, want 1", len(s.open))
	}
	for _, of := range s.open {
		if n := len(of.tail); n > s.longest {
			t.Errorf("the selector keeps %d bytes of the message", n)
		}
	}
}
