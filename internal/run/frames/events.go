package frames

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Events reads server-sent events, as the HTML standard defines them in "Interpreting an event
// stream". It is for one goroutine.
type Events struct {
	lines *bufio.Scanner
	after bool // the last line ended with CR, so a LF belongs to it

	ID       string // the Last-Event-ID: the id of the last event with one
	Comments int    // the number of comment lines, which servers send to keep a stream open
}

// NewEvents returns Events for a body.
func NewEvents(body io.Reader) *Events {
	e := &Events{lines: bufio.NewScanner(body)}
	e.lines.Buffer(make([]byte, 0, 64<<10), MaxMessage+64)
	e.lines.Split(e.split)
	return e
}

// split is a bufio.SplitFunc for lines that end with LF, CR or CRLF.
func (e *Events) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if e.after && len(data) > 0 {
		e.after = false
		if data[0] == '\n' {
			advance, token, err = e.split(data[1:], atEOF)
			return advance + 1, token, err
		}
	}
	i := bytes.IndexByte(data, '\n')
	if cr := bytes.IndexByte(data[:max(i, 0)], '\r'); cr >= 0 || i < 0 {
		if i < 0 {
			cr = bytes.IndexByte(data, '\r')
		}
		if cr >= 0 {
			e.after = true
			return cr + 1, data[:cr], nil
		}
	}
	switch {
	case i >= 0:
		return i + 1, data[:i], nil
	case atEOF:
		return len(data), nil, nil // an incomplete line is dropped
	}
	return 0, nil, nil
}

// Next returns the data of the next event with data. The caller owns it. The error is io.EOF at the
// end of the body, ErrTooLong for an event over MaxMessage, or an error of reading.
func (e *Events) Next() (data []byte, err error) {
	has := false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && has:
			return data, nil
		case len(line) > 0 && len(name) == 0:
			e.Comments++
		case string(name) == "id" && bytes.IndexByte(value, 0) < 0:
			e.ID = string(value[:min(len(value), maxEventID)])
		case string(name) == "data":
			if has {
				data = append(data, '\n')
			}
			if has = true; len(data)+len(value) > MaxMessage {
				return nil, ErrTooLong
			}
			data = append(data, value...)
		}
	}
	switch err := e.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, ErrTooLong
	case err != nil:
		return nil, err
	}
	return nil, io.EOF
}

// maxEventID is how much of an id is kept, in bytes.
const maxEventID = 1 << 10

// ErrTooLong is the error of a message over MaxMessage.
var ErrTooLong = errors.New("a message is longer than 64 MiB")

// AppendEvent appends an event with a message, which must not contain line ends.
func AppendEvent(dst, message []byte) []byte {
	dst = append(dst, "data: "...)
	dst = append(dst, message...)
	return append(dst, "\n\n"...)
}
