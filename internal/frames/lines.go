// Package frames has what WebSocket frames, server-sent events and bodies of HTTP have in common
// where they carry ACP: messages, which a relay knows as lines.
package frames

import (
	"bytes"

	"acpshim/internal/wire"
)

// MaxMessage is how long a message may be, in bytes.
const MaxMessage = 64 << 20

// A Joiner makes lines of frames. Most peers send a message in each; some send several lines in one,
// or a part of a line. The zero value is ready. It is for one goroutine.
type Joiner struct{ part []byte } // of a line, from earlier frames

// Add returns the messages that a frame completes, each on one line without its end. They may point
// into the frame. What is no JSON is a message, too, once it is known to have ended.
func (j *Joiner) Add(frame []byte) (lines [][]byte) {
	if line := OneLine(frame); IsMessage(line) {
		if len(j.part) > 0 {
			lines = append(lines, j.part)
			j.part = nil
		}
		return append(lines, line)
	}
	rest := frame
	if len(j.part) > 0 {
		rest = append(j.part, frame...)
		j.part = nil
	}
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && (found || IsMessage(line)) {
			lines = append(lines, line)
			line = nil
		}
		if !found {
			if len(line) > MaxMessage {
				return append(lines, line)
			}
			j.part = bytes.Clone(line)
			return lines
		}
		rest = after
	}
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
