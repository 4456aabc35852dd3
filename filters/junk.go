package filters

import (
	"bytes"
	"errors"

	"acpshim/internal/chain/wire"
)

// A JunkPolicy says what happens to lines on an agent's standard output that are not messages, such
// as warnings of npm, stack traces and logs.
type JunkPolicy string

const (
	JunkPass   JunkPolicy = "pass"   // forward
	JunkStderr JunkPolicy = "stderr" // move to standard error
	JunkDrop   JunkPolicy = "drop"
)

// Junk is the dispatch.Junk of a policy. A line is junk unless it is blank, an array, or a JSON
// object with a method, a result or an error. It is for one goroutine at a time.
//
// With JunkPass, no line is held only to find out. So it counts only lines whose beginning shows
// that they are junk.
//
//   - Settles: The client hangs or ends the session: the agent, or a program that starts it, writes
//     lines to standard output that are not messages.
//   - For: Any client.
//   - Keys: junk
//   - Seen: opencode 1.2.1
//   - Read: anomalyco/opencode#13634, openclaw/acpx#160, logancyang/obsidian-copilot#2909
type Junk struct {
	Policy JunkPolicy               // "" is JunkPass
	Found  func(line []byte, n int) // gets each junk line and its number, from 1; may be nil
	Aside  func(line []byte)        // gets each line that JunkStderr moves; must neither block nor keep the line

	found int
}

func isMessage(h wire.Head) bool { return h.Method != nil || h.Response }

// IsJunk implements dispatch.Junk. JSON that is ambiguous, or followed by other text, is not junk:
// a peer may be able to read it. Nor is an object with jsonrpc: some peers omit an undefined
// result.
func (j *Junk) IsJunk(line []byte) bool {
	h, reading := wire.PeekHead(line, isMessage)
	switch {
	case isMessage(h), len(bytes.TrimSpace(line)) == 0:
		return false
	case reading == wire.Array:
		return !mayBeBatch(line)
	case reading == wire.Unclear:
		o, err := wire.Parse(line)
		return err == nil && o.Get("method") == nil && o.Get("result") == nil && o.Get("error") == nil
	}
	o, err := wire.Parse(line)
	return err != nil || o.Get("jsonrpc") == nil
}

// mayBeBatch reports whether a line that begins like an array is one. If other text follows, as in
// "[1] 4711", it is one only if it begins like a list of messages.
func mayBeBatch(line []byte) bool {
	_, err := wire.Batch(line)
	if errors.Is(err, wire.ErrTrailing) {
		_, inside, _ := bytes.Cut(line, []byte("["))
		return bytes.HasPrefix(bytes.TrimSpace(inside), []byte("{"))
	}
	return err == nil || errors.Is(err, wire.ErrMany)
}

// Moves implements dispatch.Junk.
func (j *Junk) Moves() bool { return j.Policy == JunkStderr || j.Policy == JunkDrop }

// Take implements dispatch.Junk.
func (j *Junk) Take(line []byte) {
	j.found++
	if j.Found != nil {
		j.Found(line, j.found)
	}
	if j.Policy == JunkStderr {
		j.Aside(line)
	}
}

// Number returns how many junk lines were found. It must not be called at the same time as Take.
func (j *Junk) Number() int { return j.found }

// JunkHint guesses from a junk line what is wrong with the agent. It returns "" if it has no idea.
func JunkHint(line []byte) string {
	switch text := bytes.TrimSpace(line); {
	case bytes.HasPrefix(bytes.ToLower(text), []byte("content-length:")):
		return "this looks like LSP framing; ACP is one message a line, without headers"
	case len(text) == 1 && (text[0] == '{' || text[0] == '}'):
		return "this looks like JSON over several lines; ACP is one message a line"
	}
	return ""
}
