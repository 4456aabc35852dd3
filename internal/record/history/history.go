// Package history reads a record as a conversation: each message with what it is about, and each
// response with its request.
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
	Ended    time.Duration   // since the run began; 0 if the record has no end
	Broken   int             // lines of the file that are not entries of a record
	Missing  record.Missing
	Schema   int // see record.Reader
}

// All yields all entries of the record in order. The message is nil for other entries.
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

// Each is [History.All], but yields only one message of each batch.
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

// Sent counts the messages that the peers sent, not those of acpshim.
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

// Scan reads a whole record and calls each with its entries in order, which each may keep. The
// message is nil for other entries. Its relations to later messages are not known at that time. The
// History has no Messages and no Others. The error is one of reading, or of each.
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

// Open reads the whole record that open opens. The error is one of opening or of reading.
func Open(open func() (io.ReadCloser, error)) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Read(record.NewReader(files))
}

// Walk is [Scan] for the record that open opens. The error may be one of opening, too.
func Walk(open func() (io.ReadCloser, error), each func(*Message, record.Record) error) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Scan(record.NewReader(files), each)
}
