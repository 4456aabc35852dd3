package peer

import (
	"bytes"
	"encoding/json"
	"time"

	"acpshim/internal/chain/wire"
)

// A Message is a line that the agent or acpshim wrote.
type Message struct {
	From   wire.Side
	Line   []byte // without its line end; nil if it was not kept
	Size   int    // bytes, without the line end
	At     time.Time
	Number uint64 // in the record, once the process has ended; before that, and without a record, from 1

	Method        string // "" for a response
	ID            []byte // raw; nil if it has none
	Result, Error []byte // raw; nil if it has none
	Session       string // params.sessionId
	Update        string // params.update.sessionUpdate
	IsJunk        bool   // it is not a message
	Pieces        int    // how many lines it was put together from; 0 for a line
	IsPiece       bool   // it is one of these lines; known once the process has ended

	NoEnd bool // the output ended within the line

	ordinal int // among the lines of its side, from 0
}

// IsRequest reports whether the message is a request.
func (m *Message) IsRequest() bool { return m.Method != "" && wire.ID(m.ID) != "" }

// IsResponse reports whether the message is a response.
func (m *Message) IsResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// Code returns the code of an error, or "".
func (m *Message) Code() string {
	o, _ := wire.Parse(m.Error)
	return wire.ID(o.Raw("code"))
}

// read reads a line. It reports whether the line is an object.
func (m *Message) read(line []byte) bool {
	o, err := wire.Parse(line, "params", "params.update")
	if o == nil || err != nil {
		return false
	}
	m.Method, _ = o.Text("method")
	m.ID, m.Result, m.Error = bytes.Clone(o.Raw("id")), bytes.Clone(o.Raw("result")), bytes.Clone(o.Raw("error"))
	m.Session, _ = o.Open("params").Text("sessionId")
	m.Update, _ = o.Open("params").Open("update").Text("sessionUpdate")
	return true
}

// A collage puts together JSON that has line breaks in it, so that an agent that writes such
// messages can be judged further.
type collage struct {
	first *Message
	text  []byte
	lines int
}

// The largest message with line breaks that is put together.
const (
	maxCollage      = 1 << 20
	maxCollageLines = 10_000
)

// add adds a line that is not a message. It returns the message that is complete with it, or nil.
func (c *collage) add(m *Message) *Message {
	switch {
	case len(c.text)+len(m.Line) > maxCollage || c.lines == maxCollageLines || m.Line == nil:
		*c = collage{}
		return nil
	case c.first == nil && !bytes.HasPrefix(bytes.TrimSpace(m.Line), []byte("{")):
		return nil
	case c.first == nil:
		c.first = m
	}
	c.text = append(append(c.text, m.Line...), '\n')
	c.lines++
	if !bytes.HasSuffix(bytes.TrimSpace(m.Line), []byte("}")) {
		return nil
	}
	var whole bytes.Buffer
	if json.Compact(&whole, c.text) != nil {
		return nil
	}
	m = &Message{From: m.From, Line: whole.Bytes(), Size: whole.Len(), At: m.At, Pieces: c.lines, ordinal: c.first.ordinal}
	*c = collage{}
	if !m.read(m.Line) {
		return nil
	}
	return m
}
