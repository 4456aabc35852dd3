package filters

import (
	"bytes"
	"errors"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate"
)

// FromAgent sees the lines from the agent to the client, and translates the
// plans in them.
type FromAgent struct {
	wire.Base
	c *Conversation

	// passed are beginnings that passed lately: agents stream hundreds of
	// updates that differ behind their kind only.
	passed [4]beginning
	oldest int

	by []string // what changed the line that is rewritten, if one does
}

// Names of what changes lines.
const (
	ByPlan = "plan" // the translation of plans
	ByGate = "gate"
	ByJunk = "junk"
)

var byPlan, byGate = []string{ByPlan}, []string{ByGate}

// A beginning is one of a line that passes while the conversation watches for
// the same.
type beginning struct {
	watch uint32
	head  []byte
}

// Inspect implements wire.Interceptor.
func (f *FromAgent) Inspect(line []byte, whole bool) wire.Verdict {
	c, head := f.c, line[:min(len(line), wire.HeadSize)]
	watch := c.watch.Load()
	if watch&watchFlags == 0 {
		return wire.Pass
	}
	for i := range f.passed {
		if b := &f.passed[i]; b.watch == watch && bytes.HasPrefix(head, b.head) {
			return wire.Pass
		}
	}
	tools := watch&watchTools != 0
	h, reading := wire.PeekHead(head, func(h wire.Head) bool {
		switch {
		case h.Response:
			return h.ID != nil
		case h.SessionUpdate == nil:
			return h.Method != nil && string(h.Method) != "session/update"
		case tools && string(h.SessionUpdate) == "tool_call_update":
			return h.SessionID != nil && h.ToolCallID != nil
		}
		return true
	})
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
	case reading != wire.Decided && watch&watchFlags == watchPrompts && (reading != wire.Incomplete || len(head) >= wire.HeadSize):
		return wire.Pass // no line is held for that
	case reading == wire.Incomplete:
		return wire.More
	case reading != wire.Decided:
		return wire.Hold
	case h.Response:
		defer c.lock()()
		id := wire.ID(h.ID)
		r, ok := c.kept.request(id)
		if ok && !c.handshake.translating && r.method == "session/prompt" && !c.due {
			c.kept.requests.Remove(id) // nothing has to go before it
			return wire.Pass
		}
		if ok {
			return wire.Hold
		}
	case h.SessionUpdate != nil:
		if watch&(watchPlans|watchBridge) != 0 && isPlan(h.SessionUpdate) || watch&(watchOwed|watchDue) != 0 && h.Method == nil {
			return wire.Hold
		}
		if watch&watchGates != 0 && c.isGated(string(h.SessionUpdate)) {
			return wire.Hold
		}
		if tools {
			if verdict, sure := c.peekTools(h); !sure {
				return verdict
			}
		}
		f.passed[f.oldest] = beginning{watch, append(f.passed[f.oldest].head[:0], head[:h.Size]...)}
		f.oldest = (f.oldest + 1) % len(f.passed)
	case watch&(watchOwed|watchDue) != 0 || tools && c.isToolMethod(string(h.Method)):
		return wire.Hold
	}
	return wire.Pass
}

func (f *FromAgent) forgetPassed() {
	for i := range f.passed {
		f.passed[i].watch = 0
	}
}

// isGated reports whether an update, or a part of it, may be kept from the client.
func (c *Conversation) isGated(sessionUpdate string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handshake.closed.looksAt(sessionUpdate)
}

// gate returns what is left of an update.
func (c *Conversation) gate(line []byte, update *wire.Object, sessionUpdate string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshake.closed.updates[sessionUpdate] {
		return nil
	}
	return c.handshake.closed.withoutOptions(line, update)
}

func isPlan(sessionUpdate []byte) bool {
	switch string(sessionUpdate) {
	case "plan", "plan_update", "plan_removed":
		return true
	}
	return false
}

// Rewrite implements wire.Interceptor.
func (f *FromAgent) Rewrite(dst, line []byte) (out []byte, by []string) {
	f.by = byPlan
	f.c.begin(line)
	dst, err := rewrite(dst, line, f.replace)
	f.c.opts.Events.unread(err)
	if err != nil {
		f.TooLong(line[:min(len(line), wire.HeadSize)])
	}
	return dst, f.by
}

// TooLong implements wire.Interceptor: a response that is too long or cannot be read came all
// the same. Its request waits no longer, and the sessions that waited for it count as open.
func (f *FromAgent) TooLong(head []byte) {
	h, _ := wire.PeekHead(head, func(h wire.Head) bool { return h.Response && h.ID != nil })
	if !h.Response {
		return
	}
	c, id := f.c, wire.ID(h.ID)
	defer c.lock()()
	r, ok := c.kept.request(id)
	if !ok {
		return
	}
	for _, s := range c.kept.sessions.Values() {
		if r.opens() && s.id == r.session || r.creates() && s.waiting != nil && !s.known {
			s.known, s.roots = true, r.roots
			s.loaded = s.loaded || r.method == "session/load"
			c.weigh(s)
		}
	}
	c.kept.requests.Remove(id)
	c.due = true
	c.changed = c.changed || c.kept.filed > 0
}

// Flush implements wire.Interceptor: the client is shown the plans that waited for
// the lines that were there at once, and at the end told what is owed.
func (f *FromAgent) Flush(dst []byte, end bool) (out []byte, by []string) {
	c := f.c
	if !end && c.watch.Load()&watchDue == 0 {
		return dst, nil
	}
	defer c.lock()()
	n := len(dst)
	dst = c.tellLate(c.release(dst, "", atFlush))
	if end && len(dst) == n {
		dst = c.tellAll(dst, atFlush)
	}
	return dst, byPlan
}

func (f *FromAgent) replace(line []byte, msg *wire.Object) replacement {
	method, isMethod := msg.Text("method")
	switch {
	case isMethod && method == "session/update":
		return f.update(line, msg)
	case isMethod && f.c.isToolMethod(method):
		return f.c.toolMessage(line, msg, method)
	case isMethod && msg.Get("id") != nil:
		return f.request(line, msg, method)
	case !isMethod && (msg.Get("result") == nil) != isAbsent(msg.Raw("error")):
		return f.answer(line, msg)
	}
	return replacement{self: line}
}

// isAbsent reports whether a member is not there, or null, which says the same.
func isAbsent(raw []byte) bool { return raw == nil || string(raw) == "null" }

// answer reads what the agent answers to a request of the client.
func (f *FromAgent) answer(line []byte, msg *wire.Object) replacement {
	c := f.c
	id := wire.ID(msg.Raw("id"))
	files := f.readAgain(id)
	defer c.lock()()
	re := replacement{self: line}
	r, ok := c.kept.request(id)
	if !ok {
		return re
	}
	c.takeReadings(files)
	re.before = c.release(nil, r.session, atEnd)
	refused := !isAbsent(msg.Raw("error"))
	if s, ok := c.kept.use(r.session); ok && r.opens() && !refused {
		s.known, s.roots = true, r.roots
		s.loaded = s.loaded || r.method == "session/load"
	}
	c.kept.requests.Remove(id)
	result := msg.Open("result")
	re.self = c.handshake.closed.withoutOptions(line, result)
	switch {
	case r.method == "initialize":
		c.initialized(r, result)
	case r.method == "session/prompt":
		c.changed = c.changed || c.kept.filed > 0
		if r.session == "" {
			re.before = c.tellAll(re.before, atEnd)
		} else if s, ok := c.kept.use(r.session); ok {
			re.before = c.tell(re.before, s, atEnd)
		}
	case r.ends() && !refused:
		c.kept.sessions.Remove(r.session)
	case r.creates():
		c.created(r, result)
	case r.opens():
		c.opened(r)
	}
	re.after = c.release(nil, r.session, atEnd)
	if s, ok := c.kept.use(r.session); ok && r.method == "session/load" {
		re.after = c.tell(re.after, s, atEnd) // what was replayed says it, in no turn
	}
	return re
}

// created notes the answer to a request that makes a session.
func (c *Conversation) created(r request, result *wire.Object) {
	c.changed = c.changed || c.kept.filed > 0
	id, ok := result.Text("sessionId")
	switch {
	case ok && keptID(id) != "":
		s := c.session(id)
		s.known, s.roots = true, r.roots
		c.weigh(s)
	case !ok && c.creating == 0:
		c.forgetHeld() // what came for it has no session
	}
}

// opened notes the answer to a request that opens a session again: see settle.
func (c *Conversation) opened(r request) {
	c.changed = c.changed || c.kept.filed > 0
	s, ok := c.kept.use(r.session)
	switch {
	case !ok:
	case !s.known && c.opening[s.id] == 0:
		c.kept.sessions.Remove(s.id) // it was not opened
	default:
		c.applied(s)
	}
}

// request sees a request of the agent. Before one that needs the reader, the
// reader is told what is owed.
func (f *FromAgent) request(line []byte, msg *wire.Object, method string) replacement {
	c := f.c
	re := replacement{self: line}
	if isForMachine(method) {
		return re
	}
	id, ok := msg.Open("params").Text("sessionId")
	files := f.readLater(id)
	defer c.lock()()
	c.takeReadings(files)
	re.before = c.release(nil, id, atQuestion)
	if !ok {
		re.before = c.tellAll(re.before, atQuestion)
	} else if s, ok := c.kept.use(id); ok {
		re.before = c.tell(re.before, s, atQuestion)
	}
	return re
}

// isForMachine reports whether a client answers a request without asking its
// user: telling a document that is still being streamed can wait then.
func isForMachine(method string) bool {
	return strings.HasPrefix(method, "fs/") || strings.HasPrefix(method, "terminal/") || strings.HasPrefix(method, "mcp/")
}

// update translates a session update that is about plans, or about a todo tool.
func (f *FromAgent) update(line []byte, msg *wire.Object) replacement {
	c := f.c
	as := replacement{self: line}
	params := msg.Open("params")
	id, ok := params.Text("sessionId")
	update := params.Get("update")
	watch := c.watch.Load()
	kind, _ := params.Open("update").Text("sessionUpdate")
	if watch&watchGates != 0 && c.isGated(kind) {
		f.by = byGate
		return replacement{self: c.gate(line, params.Open("update"), kind)}
	}
	ok = ok && len(id) <= maxSessionID
	if watch&watchTools != 0 && ok {
		switch {
		case kind == "tool_call" || kind == "tool_call_update":
			if kind == "tool_call" {
				f.forgetPassed() // it may use again the id of one that was ignored
			}
			return c.toolCall(line, id, update.Object)
		case isPlan([]byte(kind)) && watch&watchPlans == 0:
			as = c.ownPlan(line, id, update.Object)
		}
	}
	if watch&watchBridge != 0 && update != nil && as.self != nil {
		as.self = bridge(line, update.Object)
		return as
	}
	if !ok || update == nil || update.Object == nil || watch&watchPlans == 0 {
		return as
	}
	u, err := translate.Decode(update.Object)
	switch {
	case errors.Is(err, translate.ErrNoPlan) || err != nil && u.Kind == translate.Legacy:
		return as
	case err != nil:
		if c.opts.Events.Dropped != nil {
			c.opts.Events.Dropped(id, err)
		}
		return replacement{}
	}
	if u.Kind == translate.File {
		u.Text, err = f.read(id, u.URI)
	}

	defer c.lock()()
	s := c.session(id)
	if u.Kind == translate.File {
		c.takeFile(s, s.all(), u, err, false)
	} else {
		c.apply(s, u)
	}
	switch e := envelopeOf(line, update.Value, u.Meta); {
	case c.showAs() != AsPlan:
		// It is told when the reader is needed.
	case u.Kind == translate.Legacy && s.now.board.OnlyLegacy() && c.repeats(s, u):
	case u.Kind == translate.Legacy && s.now.board.OnlyLegacy() && !u.Flawed:
		s.shown, s.ours, s.waiting = translate.DigestOf(u.Entries), false, nil
		s.known = s.known || c.ready(s)
		c.weigh(s)
		return as
	case !c.ready(s):
		c.wait(s, e)
	case errors.Is(err, ErrLater):
		// What is shown changes when the text is there.
	case c.isBurst(s):
		c.waitForFlush(s, e)
	default:
		return replacement{self: c.show(nil, s, e)}
	}
	return replacement{}
}
