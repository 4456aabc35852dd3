// Package frames has what WebSocket frames, server-sent events and bodies of HTTP have in common
// where they carry ACP: messages, which a relay knows as lines.
package frames

import (
	"bytes"

	"acpshim/internal/wire"
)

// MaxMessage is how long a message may be, in bytes.
const MaxMessage = 64 << 20

// A Joiner makes lines of frames. Most peers send a message in each; some send several lines in
// one, or a part of a line. The zero value is ready. It is for one goroutine.
type Joiner struct{ part []byte } // of a line, from earlier frames

// Add returns the messages that a frame completes, each on one line without its end. They may point
// into the frame. What is no JSON is a message, too, once it is known to have ended.
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
	// Without an end it may be whole. Of long ones that is not looked for, each time another part
	// comes.
	if n := len(j.part); n > MaxMessage || n <= maxLook && isMessages(j.part) {
		lines = append(lines, j.take(nil)...)
	}
	return lines
}

// maxLook is how long a line may be, in bytes, that counts as whole without its end.
const maxLook = 64 << 10

// take appends what has come of a line, and begins another one. Messages that stand one behind the
// other are several.
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

// isMessages reports whether a text is JSON objects and arrays, one at least, and nothing else.
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

// Rest returns what is left when no more frames come; nil if that is nothing.
func (j *Joiner) Rest() []byte { return j.part }

// OneLine returns a JSON text without the space around it, and on one line: in JSON, line ends are
// space. The result may be the text's own memory, in which line ends then are spaces.
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

// IsMessage reports whether a text is a JSON object or array, and nothing else.
func IsMessage(text []byte) bool {
	n := len(text)
	if n < 2 || (text[0] != '{' || text[n-1] != '}') && (text[0] != '[' || text[n-1] != ']') {
		return false
	}
	return wire.CheckValue(text, 0, 0) == n
}
