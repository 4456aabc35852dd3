// Package frames carries ACP messages over WebSocket and HTTP. It converts between frames,
// server-sent events and bodies on one side and lines on the other.
package frames

import (
	"bytes"
	"iter"

	"acpshim/internal/chain/wire"
)

// MaxMessage is the longest message, in bytes.
const MaxMessage = 64 << 20

// A Joiner makes lines from frames. Most peers send a message in each frame. Some send several
// lines in a frame, or a part of a line. The zero value is ready. It is for one goroutine.
type Joiner struct{ part []byte } // an incomplete line

// Add returns the messages that a frame completes, each on one line without its end. They may point
// into the frame. Complete lines that are not JSON are returned, too.
func (j *Joiner) Add(frame []byte) (lines [][]byte) {
	if line := OneLine(frame); IsMessage(line) {
		return append(j.take(nil), line)
	}
	for {
		line, after, found := bytes.Cut(frame, []byte("\n"))
		j.part = append(j.part, line...)
		if !found {
			break
		}
		lines = append(lines, j.take(nil)...)
		frame = after
	}
	// A line without its end may be complete. Long ones are not checked, because that would be
	// repeated for each part.
	if n := len(j.part); n > MaxMessage || n <= maxLook && isMessages(j.part) {
		lines = append(lines, j.take(nil)...)
	}
	return lines
}

// maxLook is the longest line that is checked, in bytes.
const maxLook = 64 << 10

// take appends the line in part, which is complete, and clears part. It splits messages on the same
// line.
func (j *Joiner) take(lines [][]byte) [][]byte {
	line := bytes.TrimSpace(j.part)
	j.part = nil
	if !isMessages(line) {
		if len(line) > 0 {
			lines = append(lines, line)
		}
		return lines
	}
	for len(line) > 0 {
		n := wire.CheckValue(line, 0, 0)
		lines = append(lines, line[:n])
		line = bytes.TrimSpace(line[n:])
	}
	return lines
}

// isMessages reports whether a text is one or more JSON objects and arrays, and nothing else.
func isMessages(text []byte) bool {
	text = bytes.TrimSpace(text)
	for n := 0; len(text) > 0; text = bytes.TrimSpace(text[n:]) {
		if text[0] != '{' && text[0] != '[' {
			return false
		}
		if n = wire.CheckValue(text, 0, 0); n < 0 {
			return false
		}
		if n == len(text) {
			return true
		}
	}
	return false
}

// Rest returns the incomplete line after the last frame, or nil.
func (j *Joiner) Rest() []byte { return j.part }

// OneLine returns a JSON text on one line, without whitespace around it. It may replace the line
// ends in text itself by spaces.
func OneLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	if !IsMessage(text) {
		return text
	}
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}

// IsMessage reports whether a text is one JSON object or array, and nothing else.
func IsMessage(text []byte) bool {
	n := len(text)
	if n < 2 || (text[0] != '{' || text[n-1] != '}') && (text[0] != '[' || text[n-1] != ']') {
		return false
	}
	return wire.CheckValue(text, 0, 0) == n
}

// Messages returns the message on a line, or each message of a batch.
func Messages(line []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if line[0] != '[' {
			yield(line)
			return
		}
		for span, err := range wire.EachElement(line) {
			if err != nil || !yield(line[span.Start:span.End]) {
				return
			}
		}
	}
}
