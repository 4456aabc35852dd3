package filters

import (
	"bytes"

	"acpshim/wire"
)

// A JunkPolicy says what becomes of lines on an agent's standard output that
// are no messages: a warning of npm, a stack trace, a line of a log.
type JunkPolicy string

const (
	JunkPass   JunkPolicy = "pass"   // forwarded as it is
	JunkStderr JunkPolicy = "stderr" // moved to standard error
	JunkDrop   JunkPolicy = "drop"   // left out
)

// Interceptor is what stands behind a Junk: a proxy.Interceptor.
type Interceptor interface {
	Peek(head []byte) wire.Verdict
	Rewrite(dst, line []byte) []byte
}

// Junk looks for lines that are no messages before it hands the others on. A
// message is a JSON object with a method, a result or an error, or an array. A
// blank line is neither message nor junk. It is for one goroutine.
//
// Where junk passes, only what the beginning of a line tells is known of it:
// nothing is held to count it.
type Junk struct {
	Next   Interceptor
	Policy JunkPolicy               // "" is JunkPass
	Found  func(line []byte, n int) // told of each junk line and its number, from 1; may be nil
	Aside  func(line []byte)        // takes what JunkStderr moves; it must neither block nor keep the bytes

	found  int
	isNext bool   // the line that was rewritten last was no junk
	passed []byte // the last beginning of a message: most share theirs
}

// Peek implements proxy.Interceptor.
func (j *Junk) Peek(head []byte) wire.Verdict {
	if j.begins(head) {
		return j.Next.Peek(head)
	}
	h, reading := wire.PeekHead(head, isMessage)
	switch {
	case isMessage(h):
		j.passed = append(j.passed[:0], head[:h.Size]...)
		return j.Next.Peek(head)
	case reading == wire.Array || len(bytes.TrimSpace(head)) == 0:
		return j.Next.Peek(head)
	case reading == wire.Foreign || reading == wire.Told:
		if j.moves() {
			return wire.Hold
		}
		j.report(head)
		return wire.Pass
	case j.moves() && reading == wire.Short:
		return wire.More
	case j.moves():
		return wire.Hold
	}
	return j.Next.Peek(head)
}

func isMessage(h wire.Head) bool { return h.Method != nil || h.Answer }

// Rewrite implements proxy.Interceptor.
func (j *Junk) Rewrite(dst, line []byte) []byte {
	if j.isNext = !j.moves() || !j.isJunk(line); !j.isNext {
		j.report(line)
		if j.Policy == JunkStderr {
			j.Aside(line)
		}
		return dst
	}
	if j.Next.Peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass {
		return append(dst, line...)
	}
	return j.Next.Rewrite(dst, line)
}

// Passes implements proxy.Passer for one behind it that does.
func (j *Junk) Passes(line []byte) bool {
	next, ok := j.Next.(interface{ Passes([]byte) bool })
	if ok && j.begins(line) {
		return next.Passes(line)
	}
	return j.Peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass
}

// begins reports whether a line begins like the message before it.
func (j *Junk) begins(line []byte) bool {
	return len(j.passed) > 0 && bytes.HasPrefix(line, j.passed)
}

// Overlooked implements proxy.Overlooker for one behind it that does.
func (j *Junk) Overlooked(head []byte) {
	if next, ok := j.Next.(interface{ Overlooked([]byte) }); ok {
		next.Overlooked(head)
	}
}

// Flush implements proxy.Flusher for one behind it that does.
func (j *Junk) Flush(dst []byte, end bool) []byte {
	j.isNext = true
	if next, ok := j.Next.(interface{ Flush([]byte, bool) []byte }); ok {
		return next.Flush(dst, end)
	}
	return dst
}

// ChangedBy implements proxy.Changer.
func (j *Junk) ChangedBy() []string {
	if next, ok := j.Next.(interface{ ChangedBy() []string }); ok && j.isNext {
		return next.ChangedBy()
	}
	return []string{ByJunk}
}

// isJunk reports whether a whole line is junk. What is JSON and ambiguous, or
// has something behind it, is no junk: a peer may read it.
func (j *Junk) isJunk(line []byte) bool {
	h, reading := wire.PeekHead(line, isMessage)
	switch {
	case isMessage(h), reading == wire.Array, len(bytes.TrimSpace(line)) == 0:
		return false
	case reading == wire.Odd:
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
