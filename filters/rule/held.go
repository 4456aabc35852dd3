package rule

import (
	"bytes"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// held are the messages that wait for the response that opens their session. A client may hang on
// updates of a session before that.
type held struct {
	messages []heldMessage
	size     int // bytes of their lines
}

type heldMessage struct {
	session string
	rule    string // that holds it
	line    []byte // with its end
}

// Bounds on what is held.
const (
	maxHeld      = 1 << 10
	maxHeldBytes = 1 << 20
)

// hold keeps a message back if its session is not open yet, and reports whether it does. If there
// is no room, all that is held is let go first, in before; by names the rules that held it.
func (c *Chain) hold(m *message) (held bool, before []byte, by []string) {
	c.talk.Lock()
	if c.talk.IsReady(m.session) {
		c.talk.Unlock()
		return false, nil, nil
	}
	h := &c.held
	if line := wire.EndLine(bytes.Clone(m.line)); len(h.messages) < maxHeld && h.size+len(line) <= maxHeldBytes {
		h.messages = append(h.messages, heldMessage{m.session, m.holder, line})
		h.size += len(line)
		c.talk.Unlock()
		return true, nil, nil
	}
	before, by = c.release(true)
	c.talk.Unlock()
	if c.opts.Events.ReleasedEarly != nil {
		c.opts.Events.ReleasedEarly(len(by) + 1)
	}
	return false, before, by
}

// release returns the messages that wait no longer, in their order; all of them if asked to. By
// names the rule of each. The lock is held.
func (c *Chain) release(all bool) (lines []byte, by []string) {
	h := &c.held
	kept := h.messages[:0]
	for _, m := range h.messages {
		if !all && !c.talk.IsReady(m.session) {
			kept = append(kept, m)
			continue
		}
		lines = append(lines, m.line...)
		h.size -= len(m.line)
		by = append(by, m.rule)
	}
	clear(h.messages[len(kept):])
	h.messages = kept
	c.loose.Store(false)
	return lines, by
}

// releaseNow is release for who does not hold the lock.
func (c *Chain) releaseNow(all bool) (lines []byte, by []string) {
	c.talk.Lock()
	defer c.talk.Unlock()
	return c.release(all)
}

// Unread implements dispatch.Adapter: what waits for a response that nobody reads goes behind it.
func (c *Chain) Unread(m *dispatch.Message, err error) {
	if err != nil && len(c.ends[m.From.Index()].selection().rules) > 0 && c.opts.Events.Unread != nil {
		c.opts.Events.Unread(err)
	}
	if m.From == Agent {
		lines, by := c.releaseNow(false)
		m.After(lines)
		m.By(by...)
	}
}

// Flush implements dispatch.Adapter: at the end no response is to come for which messages are held.
func (c *Chain) Flush(m *dispatch.Message, end bool) {
	if m.From == Agent && (end || c.loose.Load()) {
		lines, by := c.releaseNow(end)
		m.After(lines)
		m.By(by...)
	}
}
