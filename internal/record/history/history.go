// Package history reads a record as a conversation. It relates each response to its request, and
// each message that acpshim sent to the one that caused it.
package history

import (
	"errors"
	"io"
	"iter"
	"time"

	"acpshim/internal/record"
)

// A History is a whole record.
type History struct {
	Start    *record.Start
	Messages []*Message
	Others   []record.Record // stderr, events and gaps
	End      *record.End     // nil if the record has none
	Ended    time.Duration   // how long the run took; 0 if the record has no end
	Broken   int             // the number of lines that are not entries of a record
	Missing  record.Missing
	Schema   int // see record.Reader
}

// All yields all entries in order. The message is nil for an entry that is not a message.
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

// Each is [History.All], but yields only the first message of each batch.
func (h *History) Each() iter.Seq2[*Message, record.Record] {
	return func(yield func(*Message, record.Record) bool) {
		var last uint64
		for m, r := range h.All() {
			if m != nil && m.Seq == last {
				continue
			}
			if last = r.Seq; !yield(m, r) {
				return
			}
		}
	}
}

// Sent returns the number of messages that the peers sent, not acpshim.
func (h *History) Sent() (n int) {
	for _, m := range h.Messages {
		if m.Message.Received() {
			n++
		}
	}
	return n
}

// Read reads a whole record. After an error of reading, the History has the entries before it.
func Read(r *record.Reader) (*History, error) {
	var messages []*Message
	var others []record.Record
	h, err := Scan(r, func(m *Message, rec record.Record) error {
		if m != nil {
			messages = append(messages, m)
		} else {
			others = append(others, rec)
		}
		return nil
	})
	h.Messages, h.Others = messages, others
	return h, err
}

// Scan reads a whole record and calls each for its entries in order. Each may keep them. The
// message is nil for an entry that is not a message. It is not yet related to later messages. The
// History has no Messages and no Others. The error is one of reading, or comes from each.
func Scan(r *record.Reader, each func(*Message, record.Record) error) (*History, error) {
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
			h.End, h.Ended = rec.End, rec.Mono
		case rec.Message != nil:
			for _, m := range c.Add(rec) {
				if err := each(m, rec); err != nil {
					return &h, err
				}
			}
		default:
			if err := each(nil, rec); err != nil {
				return &h, err
			}
		}
	}
}

// Open reads the record that open opens. The error is one of opening or of reading.
func Open(open func() (io.ReadCloser, error)) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Read(record.NewReader(files))
}

// Walk is [Scan] for the record that open opens. The error may also be one of opening.
func Walk(open func() (io.ReadCloser, error), each func(*Message, record.Record) error) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Scan(record.NewReader(files), each)
}
