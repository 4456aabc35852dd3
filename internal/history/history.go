// Package history reads a record as a conversation: each message with what it is
// about, responses with the requests that they answer.
package history

import (
	"errors"
	"io"
	"iter"

	"acpshim/internal/record"
)

// A History is a whole record.
type History struct {
	Start    *record.Start
	Messages []*Message
	Others   []record.Record // stderr, events and gaps
	End      *record.End     // nil if the record has none
	Broken   int             // lines of the file that were no record
	Missing  record.Missing
	Schema   int // see record.Reader
}

// All yields all that is in the record, in its order; the message is nil for what is none.
func (h *History) All() iter.Seq2[*Message, record.Record] {
	return func(yield func(*Message, record.Record) bool) {
		messages, others := h.Messages, h.Others
		for len(messages)+len(others) > 0 {
			if len(messages) == 0 || len(others) > 0 && others[0].Seq < messages[0].Seq {
				if !yield(nil, others[0]) {
					return
				}
				others = others[1:]
				continue
			}
			if !yield(messages[0], messages[0].Record) {
				return
			}
			messages = messages[1:]
		}
	}
}

// Lines yields the messages, but one only of each batch.
func (h *History) Lines() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		for i, m := range h.Messages {
			if (i == 0 || m.Seq != h.Messages[i-1].Seq) && !yield(m) {
				return
			}
		}
	}
}

// Sent is how many messages the peers sent; what acpshim sent is not among them.
func (h *History) Sent() (n int) {
	for _, m := range h.Messages {
		if m.Message.Received() {
			n++
		}
	}
	return n
}

// Read reads a whole record. The error is one of reading.
func Read(r *record.Reader) (*History, error) {
	var h History
	var c Conversation
	for {
		rec, err := r.Next()
		h.Broken, h.Missing, h.Schema = r.Broken, r.Missing(), r.Schema
		switch {
		case errors.Is(err, io.EOF):
			return &h, nil
		case err != nil:
			return &h, err
		case rec.Start != nil:
			if h.Start == nil {
				h.Start = rec.Start
			}
		case rec.End != nil:
			h.End = rec.End
		case rec.Message != nil:
			h.Messages = append(h.Messages, c.Add(rec)...)
		default:
			h.Others = append(h.Others, rec)
		}
	}
}

// Open reads the whole record that open opens. The error is one of opening or of reading.
func Open(open func() (io.ReadCloser, error)) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Read(record.NewReader(files))
}
