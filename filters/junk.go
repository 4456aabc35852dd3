package filters

import (
	"bytes"

	"acpshim/internal/wire"
)

// A JunkPolicy says what becomes of lines on an agent's standard output that
// are no messages: a warning of npm, a stack trace, a line of a log.
type JunkPolicy string

const (
	JunkPass   JunkPolicy = "pass"   // forwarded as it is
	JunkStderr JunkPolicy = "stderr" // moved to standard error
	JunkDrop   JunkPolicy = "drop"   // left out
)

// Junk says what becomes of lines that are no messages. A message is a JSON object with a method, a
// result or an error, or an array. A blank line is neither message nor junk. It is for one
// goroutine.
//
// Where junk passes, only what the beginning of a line tells is known of it: nothing is held to
// count it.
type Junk struct {
	Policy JunkPolicy               // "" is JunkPass
	Found  func(line []byte, n int) // told of each junk line and its number, from 1; may be nil
	Aside  func(line []byte)        // takes what JunkStderr moves; it must neither block nor keep the bytes

	found int
}

func isMessage(h wire.Head) bool { return h.Method != nil || h.Response }

// Has implements dispatch.Junk. What is JSON and ambiguous, or has something behind it, is no junk:
// a peer may read it.
func (j *Junk) Has(line []byte) bool {
	h, reading := wire.PeekHead(line, isMessage)
	switch {
	case isMessage(h), reading == wire.Array, len(bytes.TrimSpace(line)) == 0:
		return false
	case reading == wire.Unclear:
		o, err := wire.Parse(line)
		return err == nil && o.Get("method") == nil && o.Get("result") == nil && o.Get("error") == nil
	}
	return true
}

// Moves implements dispatch.Junk.
func (j *Junk) Moves() bool { return j.Policy == JunkStderr || j.Policy == JunkDrop }

// Take implements dispatch.Junk.
func (j *Junk) Take(line []byte) (passes bool) {
	j.found++
	if j.Found != nil {
		j.Found(line, j.found)
	}
	if j.Policy == JunkStderr {
		j.Aside(line)
	}
	return !j.Moves()
}

// Number is how many junk lines were found. It may be called when the
// direction has ended.
func (j *Junk) Number() int { return j.found }

// JunkHint guesses from a junk line what is wrong with the agent, or is empty.
func JunkHint(line []byte) string {
	switch text := bytes.TrimSpace(line); {
	case bytes.HasPrefix(bytes.ToLower(text), []byte("content-length:")):
		return "this looks like LSP framing; ACP is one message a line, without headers"
	case len(text) == 1 && (text[0] == '{' || text[0] == '}'):
		return "this looks like JSON over several lines; ACP is one message a line"
	}
	return ""
}
