package repair

import (
	"slices"
	"strings"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A promptText is the text of a prompt.
type promptText struct {
	text  string
	ends  []int // where its blocks end
	shown int   // bytes that the agent has repeated, in whole blocks
}

// endsBlock reports whether a block ends at a place in the text, or after white space there.
func (p promptText) endsBlock(at int) bool {
	i, isEnd := slices.BinarySearch(p.ends, at)
	return isEnd || i < len(p.ends) && strings.TrimSpace(p.text[at:p.ends[i]]) == ""
}

// pieces are user messages of a session that may be the beginning of a running prompt. They wait
// for the rest.
type pieces struct {
	text  string
	lines []piece
	size  int // bytes
	timer *dispatch.Timer
}

type piece struct {
	number int64  // see dispatch.Message.Number
	line   []byte // with its line end
}

// Limits of the pieces of a session.
const (
	maxPieces = 1 << 20 // bytes
	maxWait   = 2 * time.Second
)

// isEcho handles a user message that is or may be the next part of a running prompt, and reports
// whether it is.
func (a *Echo) isEcho(m *dispatch.Message) bool {
	text := textOf(m.Params().Open("update").Raw("content"))
	if text == "" || m.Kind != dispatch.Notification || a.conversation.Opening(m.Session) {
		return false
	}
	s, _ := a.conversation.Find(m.Session)
	var before []piece
	known := ""
	if held, ok := a.held.Get(s); ok {
		known = held.text
	}
	begun, isWhole := a.match(m.Session, known, text)
	if begun == "" && known != "" {
		before = a.take(s)
		begun, isWhole = a.match(m.Session, "", text)
	}
	switch {
	case isWhole:
		a.take(s)
		m.Because(whyEcho)
		m.Drop()
	case begun == "" || s == nil:
		a.add(m, before, m.Line)
		return before != nil
	default:
		m.Because(whyPiece)
		m.Drop()
		a.keep(s, begun, piece{m.Number, wire.EndLine(slices.Clone(m.Line))})
	}
	a.add(m, before)
	return true
}

// match returns how a prompt of the session goes on with two texts; it is "" if none does. IsWhole
// says that a block of the prompt ends there, which match then notes as shown.
func (a *Echo) match(session, known, text string) (begun string, isWhole bool) {
	for _, r := range a.conversation.Prompts(session) {
		p, _ := a.prompts.Get(r)
		rest, begins := strings.CutPrefix(p.text[p.shown:], known)
		rest, goesOn := strings.CutPrefix(rest, text)
		if !begins || !goesOn {
			continue
		}
		at := len(p.text) - len(rest)
		begun = p.text[p.shown:at]
		if p.endsBlock(at) {
			p.shown = at
			a.prompts.Put(r, p, len(p.text)+8*len(p.ends))
			return begun, true
		}
	}
	return begun, false
}

// keep adds a piece. If there is no room, it releases all.
func (a *Echo) keep(s *conversation.Session, text string, p piece) {
	held, ok := a.held.Get(s)
	if !ok {
		held = &pieces{timer: a.After(maxWait, func() { a.release(s, whyPieceLate) })}
		a.holding++
	}
	held.text, held.lines = text, append(held.lines, p)
	if held.size += 128 + len(p.line); held.size > maxPieces || !a.held.Put(s, held, len(text)+held.size) {
		a.send(a.end(held), whyNoRoom)
		a.held.Delete(s)
	}
}

// take removes and returns the pieces of a session.
func (a *Echo) take(s *conversation.Session) []piece {
	held, ok := a.held.Take(s)
	if !ok {
		return nil
	}
	a.streamed.Delete(s)
	return a.end(held)
}

// end removes and returns the lines. The timer ends with the first call.
func (a *Echo) end(held *pieces) []piece {
	lines := held.lines
	if held.timer != nil {
		held.timer.Stop()
		a.holding--
	}
	*held = pieces{}
	return lines
}

// release sends the pieces of a session to the client.
func (a *Echo) release(s *conversation.Session, why wire.Reason) { a.send(a.take(s), why) }

func (a *Echo) send(lines []piece, why wire.Reason) {
	for _, p := range lines {
		a.GoOn(dispatch.Agent, p.number, p.line, why)
	}
}

// releaseBefore sends the pieces of a session before another message about it.
func (a *Echo) releaseBefore(m *dispatch.Message) {
	session := m.Session
	if m.Request != nil {
		session = m.Request.Session
	}
	if s, ok := a.conversation.Find(session); ok && a.holding > 0 {
		a.add(m, a.take(s), m.Line)
	}
}

// add puts pieces before what goes on of a message, in the same batch.
func (a *Echo) add(m *dispatch.Message, lines []piece, goesOn ...[]byte) {
	if lines == nil {
		return
	}
	if goesOn != nil {
		m.Because(whyDiffers)
	}
	var all [][]byte
	for _, p := range lines {
		if all = append(all, p.line); !m.InBatch() {
			m.BeforeHeld(p.number, p.line)
		}
	}
	if m.InBatch() {
		m.Replace(append(all, goesOn...)...)
	}
}

// Flush implements dispatch.Flusher: it sends the pieces when the agent has ended.
func (a *Echo) Flush(m *dispatch.Message, end bool) {
	if !end || m.From != dispatch.Agent {
		return
	}
	for s := range a.held.All() {
		for _, p := range a.take(s) {
			m.Because(whyAgentEnded)
			m.AfterHeld(p.number, p.line)
		}
	}
}
