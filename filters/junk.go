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

// Junk looks for lines that are no messages before it hands the others on. A
// message is a JSON object with a method, a result or an error, or an array. A
// blank line is neither message nor junk. It is for one goroutine.
//
// Where junk passes, only what the beginning of a line tells is known of it:
// nothing is held to count it.
type Junk struct {
	Next   wire.Interceptor
	Policy JunkPolicy               // "" is JunkPass
	Found  func(line []byte, n int) // told of each junk line and its number, from 1; may be nil
	Aside  func(line []byte)        // takes what JunkStderr moves; it must neither block nor keep the bytes

	found  int
	passed []byte // the last beginning of a message: most share theirs
}

// Inspect implements wire.Interceptor.
func (j *Junk) Inspect(line []byte, whole bool) wire.Verdict {
	if len(j.passed) > 0 && bytes.HasPrefix(line, j.passed) {
		return j.Next.Inspect(line, whole)
	}
	head := line[:min(len(line), wire.HeadSize)]
	h, reading := wire.PeekHead(head, isMessage)
	switch {
	case isMessage(h):
		j.passed = append(j.passed[:0], head[:h.Size]...)
		return j.Next.Inspect(line, whole)
	case reading == wire.Array || len(bytes.TrimSpace(head)) == 0:
		return j.Next.Inspect(line, whole)
	case reading == wire.NotJSON || reading == wire.Decided:
		if j.moves() {
			return wire.Hold
		}
		j.report(head)
		return wire.Pass
	case j.moves() && reading == wire.Incomplete:
		return wire.More
	case j.moves():
		return wire.Hold
	}
	return j.Next.Inspect(line, whole)
}

func isMessage(h wire.Head) bool { return h.Method != nil || h.Response }

// Rewrite implements wire.Interceptor.
func (j *Junk) Rewrite(dst, line []byte) (out []byte, by []string) {
	if !j.moves() || !j.isJunk(line) {
		return wire.Apply(j.Next, dst, line)
	}
	j.report(line)
	if j.Policy == JunkStderr {
		j.Aside(line)
	}
	return dst, []string{ByJunk}
}

// TooLong implements wire.Interceptor.
func (j *Junk) TooLong(head []byte) { j.Next.TooLong(head) }

// Flush implements wire.Interceptor.
func (j *Junk) Flush(dst []byte, end bool) (out []byte, by []string) { return j.Next.Flush(dst, end) }

// isJunk reports whether a whole line is junk. What is JSON and ambiguous, or
// has something behind it, is no junk: a peer may read it.
func (j *Junk) isJunk(line []byte) bool {
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

func (j *Junk) moves() bool { return j.Policy == JunkStderr || j.Policy == JunkDrop }

func (j *Junk) report(line []byte) {
	j.found++
	if j.Found != nil {
		j.Found(line, j.found)
	}
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
