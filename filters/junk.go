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

// Junk is the dispatch.Junk of a policy. Junk is a line that is neither blank, nor an array, nor a
// JSON object with a method, a result or an error. It is for one goroutine at a time.
//
// Where junk passes, no line is held to find out, so that only lines whose beginning shows that
// they are junk are counted.
//
//   - Settles: An agent, or what starts it, writes lines to standard output that are not messages.
//   - For: Clients that hang, or end the session, at a line that is not a message.
//   - Keys: junk
//   - Read: anomalyco/opencode#13634, openclaw/acpx#160, logancyang/obsidian-copilot#2909
type Junk struct {
	Policy JunkPolicy               // "" is JunkPass
	Found  func(line []byte, n int) // called for each line of junk with its number, from 1; may be nil
	Aside  func(line []byte)        // called for what JunkStderr moves; must neither block nor keep line

	found int
}

func isMessage(h wire.Head) bool { return h.Method != nil || h.Response }

// IsJunk implements dispatch.Junk. What is JSON and ambiguous, or has something behind it, is no
// junk: a peer may read it. Nor is an object that says jsonrpc: some peers leave out a result that
// is undefined.
func (j *Junk) IsJunk(line []byte) bool {
	h, reading := wire.PeekHead(line, isMessage)
	switch {
	case isMessage(h), reading == wire.Array, len(bytes.TrimSpace(line)) == 0:
		return false
	case reading == wire.Unclear:
		o, err := wire.Parse(line)
		return err == nil && o.Get("method") == nil && o.Get("result") == nil && o.Get("error") == nil
	}
	o, err := wire.Parse(line)
	return err != nil || o.Get("jsonrpc") == nil
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

// Number returns how many lines of junk were found. It is not called at the same time as Take.
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
