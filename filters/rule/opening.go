package rule

import (
	"bytes"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// opening is what is known of the sessions that are being opened, and the
// messages that wait for it. A client may hang on updates of a session before
// the answer that opens it.
type opening struct {
	creating int            // requests pending that make a session with a new id
	named    map[string]int // requests pending that open a session, by its id
	known    *simplelru.LRU[string, bool]
	held     []heldMessage
	size     int // bytes of the held
}

type heldMessage struct {
	session string
	rule    string // that holds it
	line    []byte // with its end
}

// Bounds on what an opening keeps.
const (
	maxHeld      = 1 << 10
	maxHeldBytes = 1 << 20
	maxSessions  = 1 << 10
)

func newOpening() opening {
	known, _ := simplelru.NewLRU[string, bool](maxSessions, nil)
	return opening{named: map[string]int{}, known: known}
}

// creates reports whether the answer names the session; opens whether it makes
// one known at all.
func creates(method string) bool { return method == "session/new" || method == "session/fork" }

func opens(method string) bool {
	return creates(method) || method == "session/load" || method == "session/resume"
}

// asked notes a request, ended that it waits no longer.
func (o *opening) asked(r call) {
	if creates(r.method) {
		o.creating++
	} else if opens(r.method) {
		o.named[r.session]++
	}
}

func (o *opening) ended(r call) {
	if creates(r.method) {
		o.creating--
	} else if opens(r.method) {
		if o.named[r.session]--; o.named[r.session] == 0 {
			delete(o.named, r.session)
		}
	}
}

// waits reports whether the answer that opens the session has yet to pass.
func (o *opening) waits(session string) bool {
	return o.named[session] > 0 || o.creating > 0 && !o.known.Contains(session)
}

// hold keeps a message back, and reports whether there is room for it.
func (o *opening) hold(session, rule string, line []byte) bool {
	if len(o.held) >= maxHeld || o.size+len(line) > maxHeldBytes {
		return false
	}
	line = endLine(bytes.Clone(line))
	o.held = append(o.held, heldMessage{session, rule, line})
	o.size += len(line)
	return true
}

// release appends the messages that wait no longer, in their order; all of
// them if asked to. By names the rule of each.
func (o *opening) release(dst []byte, all bool) (_ []byte, by []string) {
	kept := o.held[:0]
	for _, h := range o.held {
		if !all && o.waits(h.session) {
			kept = append(kept, h)
			continue
		}
		dst = append(endLine(dst), h.line...)
		o.size -= len(h.line)
		by = append(by, h.rule)
	}
	clear(o.held[len(kept):])
	o.held = kept
	return dst, by
}

// endLine ends a line that has not been ended.
func endLine(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '\n' {
		dst = append(dst, '\n')
	}
	return dst
}
