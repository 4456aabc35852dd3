package versions

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A call is the state of a tool call of an agent of version 2. Version 1 can only replace the whole
// content of a call, so acpshim keeps the content.
type call struct {
	id          string
	isAnnounced bool // the client got its tool_call
	hasTitle    bool
	parts       []part // its content
	bytes       int    // of parts
	shown       int    // the bytes of the content that the client has
	isDirty     bool   // the client does not have all of the content
	isCharged   bool   // its parts are charged to the current line, see [dispatch.Port.Charge]
	meta        []byte // its _meta
	known       object // the other members that it has in version 1, as far as they are kept

	// Of a call of a subagent:
	isAsked bool // the client knows it from a permission request
}

// Limits of one session. Content beyond them is shown once, and not repeated later.
const (
	maxCalls    = 512
	maxContent  = 256 << 10 // bytes of one call
	maxContents = 2 << 20   // bytes of all calls
	maxKnown    = 2 << 10   // bytes of a member of call.known
)

// calls are the tool calls of a session.
type calls struct {
	byID  map[string]*call
	order []string // ids, the one used last at the end
	bytes int      // approximate memory
	parts int      // of which contents
}

// use returns the call with an id, and adds it if it is new.
func (c *calls) use(id string) (_ *call, isNew bool) {
	if c.byID == nil {
		c.byID = map[string]*call{}
	}
	of, ok := c.byID[id]
	if n := len(c.order); ok && c.order[n-1] == id {
		return of, false
	}
	if i := slices.Index(c.order, id); i >= 0 {
		c.order = slices.Delete(c.order, i, i+1)
	} else if len(c.order) == maxCalls {
		first := c.order[0]
		c.weigh(c.byID[first], -c.byID[first].bytes)
		c.bytes -= 128 + len(first) + len(c.byID[first].meta) + len(c.byID[first].known)
		delete(c.byID, first)
		c.order = c.order[1:]
	}
	c.order = append(c.order, id)
	if !ok {
		of = &call{id: id}
		c.byID[id] = of
		c.bytes += 128 + len(id)
	}
	return of, !ok
}

func (c *calls) set(of *call, parts []part) {
	c.weigh(of, -of.bytes)
	of.parts = nil
	c.add(of, parts)
}

func (c *calls) add(of *call, parts []part) {
	for _, p := range parts {
		c.weigh(of, 48+len(p.raw)+len(p.terminal))
	}
	of.parts, of.isDirty = append(of.parts, parts...), true
}

// weigh adds to the size of a call's content.
func (c *calls) weigh(of *call, n int) {
	of.bytes, c.bytes, c.parts = of.bytes+n, c.bytes+n, c.parts+n
}

// trim removes content beyond the limits after it was shown.
func (c *calls) trim(of *call) {
	if of.bytes > maxContent {
		c.set(of, []part{note("[more was shown]")})
		of.isDirty = false
	}
	for i := 0; c.parts > maxContents && i < len(c.order); i++ {
		if other := c.byID[c.order[i]]; !other.isDirty {
			c.set(other, nil)
			other.isDirty = false
		}
	}
}

// trimUnseen is trim for content that the client may be shown later. It keeps that of the call.
func (c *calls) trimUnseen(of *call) {
	if of.bytes > maxContent {
		c.set(of, []part{note("[the content is too long to be shown]")})
	}
	for i := 0; c.parts > maxContents && i < len(c.order); i++ {
		if other := c.byID[c.order[i]]; other != of {
			c.set(other, nil)
			other.isDirty = false
		}
	}
}

// updateTo1 translates an update of a tool call to version 1, or returns nil if it has no id. In
// version 1, a call begins with a tool_call, and null means that a member has not changed.
func (s *session) updateTo1(update *wire.Object) []byte {
	id, ok := update.Text("toolCallId")
	if !ok || len(id) > maxID {
		return nil
	}
	of, _ := s.calls.use(id)
	if !of.isAnnounced {
		of.isAnnounced, of.isDirty = true, of.isDirty || len(of.parts) > 0
		return s.wholeTo1(object(nil).text("sessionUpdate", acp.ToolCall), update, of, titleOf(update)).json()
	}
	hadTitle := of.hasTitle
	to, meta := s.take(object(nil).text("sessionUpdate", acp.ToolCallUpdate), update, of)
	if hadTitle && !of.hasTitle { // version 1 cannot remove it
		to = to.text("title", titleOf(update))
	}
	return s.withContent(to, of, meta).json()
}

// wholeTo1 adds all that is known of a tool call to an object. The update may be nil. Title is for
// a call without a title. The texts are shown once after the content.
func (s *session) wholeTo1(to object, update *wire.Object, of *call, title string, texts ...part) object {
	to, meta := s.take(to, update, of)
	to = to.rest(of.known)
	if title != "" && textOf(open(to.json()), "title") == "" {
		to = to.text("title", title)
	}
	return s.withContent(to, of, meta, texts...)
}

// take notes an update of a tool call, which may be nil, and adds its members to an object, without
// its content. It returns its _meta, too.
func (s *session) take(to object, update *wire.Object, of *call) (_ object, meta []byte) {
	if update == nil {
		return to, nil
	}
	for _, m := range update.Members {
		raw := update.Raw(m.Name)
		isNull := wire.IsAbsent(raw)
		switch m.Name {
		case "sessionUpdate", "capabilities":
			continue
		case "_meta":
			if meta = s.calls.mergeMeta(of, raw); isNull {
				s.cleared(of.id, m.Name)
			}
			continue
		case "title":
			text, _ := wire.Text(raw)
			if of.hasTitle = text != ""; !of.hasTitle {
				s.calls.know(of, m.Name, nil)
				continue
			}
		case "kind":
			raw = wire.Quote(nil, kindTo1(raw))
		case "status":
			if raw = statusTo1(raw); raw == nil {
				continue
			}
		case "content":
			if raw = s.withoutLinks(raw); raw == nil {
				continue
			}
			for _, p := range of.parts {
				if t := s.terminals.byID[p.terminal]; t != nil && t.shownIn == of && !t.isSent {
					t.shownIn = nil
				}
			}
			elements, _ := wire.Elements(raw)
			s.calls.set(of, s.contentTo1(elements...))
			of.isCharged = true
			continue
		case "locations":
			if isNull {
				raw, isNull = []byte("[]"), false
			}
		case "rawInput", "name":
			if isNull { // version 1 cannot say so
				s.calls.know(of, m.Name, nil)
				s.cleared(of.id, m.Name)
			}
		}
		if isNull && m.Name != "kind" && m.Name != "status" {
			continue
		}
		s.calls.know(of, m.Name, raw)
		to = to.with(m.Name, raw)
	}
	return to, meta
}

// renew forgets what was said of a call that has ended: a permission request with its id is about a
// new call.
func (c *calls) renew(of *call) {
	if status, _ := open(of.known.json()).Text("status"); acp.IsOver(status) {
		c.bytes -= len(of.known)
		of.known, of.hasTitle = nil, false
	}
}

// know keeps a member of a call for a later message that has to be complete.
func (c *calls) know(of *call, name string, raw []byte) {
	if !slices.Contains([]string{"title", "name", "kind", "status", "locations", "rawInput"}, name) {
		return
	}
	before, known := open(of.known.json()), object(nil)
	for _, m := range before.Members {
		if m.Name != name {
			known = known.with(m.Name, before.Raw(m.Name))
		}
	}
	if len(raw) <= maxKnown {
		known = known.with(name, raw)
	}
	c.bytes += len(known) - len(of.known)
	of.known = known
}

// withContent adds the content of a call to an object if the client does not have all of it. The
// texts are shown once after it.
func (s *session) withContent(to object, of *call, meta []byte, texts ...part) object {
	if of.isDirty || len(texts) > 0 {
		content, isAll := s.contentOf(of, texts...)
		of.isCharged = false
		of.isDirty, of.shown = !isAll || len(texts) > 0 && len(of.parts) > 0, s.sizeOf(of)
		if isAll {
			s.calls.trim(of)
		} else {
			s.calls.trimUnseen(of)
		}
		to = to.with("content", content)
	}
	return to.with("_meta", s.reportIn(meta, of))
}

// titleOf returns a title for a call without a title.
func titleOf(update *wire.Object) string {
	for _, name := range []string{"title", "name", "kind"} {
		if text, _ := update.Text(name); text != "" {
			return text
		}
	}
	return "Tool"
}

func kindTo1(raw []byte) string {
	switch kind, _ := wire.Text(raw); kind {
	case acp.KindRead, acp.KindEdit, acp.KindDelete, acp.KindMove, acp.KindSearch, acp.KindExecute, acp.KindThink, acp.KindFetch, acp.KindSwitchMode:
		return kind
	}
	return acp.KindOther
}

// statusTo1 translates the status of a tool call to version 1, or returns nil if it is unknown.
func statusTo1(raw []byte) []byte {
	switch status, _ := wire.Text(raw); {
	case wire.IsAbsent(raw):
		return []byte(`"pending"`)
	case status == acp.StatusCancelled:
		return []byte(`"failed"`)
	case status == "paused":
		return []byte(`"in_progress"`)
	case slices.Contains([]string{acp.StatusPending, acp.StatusInProgress, acp.StatusCompleted, acp.StatusFailed}, status):
		return raw
	}
	return nil
}

// contentOf returns the content of a call for version 1, with the output of its terminals, and more
// parts. The output of a terminal is only in the last call that shows it. IsAll is false if the
// line has no room for the rest.
func (s *session) contentOf(of *call, more ...part) (content []byte, isAll bool) {
	elements := [][]byte{}
	for _, p := range slices.Concat(of.parts, more) {
		element, ok := s.elementOf(of, p)
		if !ok {
			return wire.List(append(elements, note(noRoom).raw)), false
		}
		if element != nil {
			elements = append(elements, element)
		}
	}
	return wire.List(elements), true
}

// elementOf returns a part of a call as an element of its content, or nil if there is nothing to
// show. It returns false if the line has no room for it.
func (s *session) elementOf(of *call, p part) (element []byte, ok bool) {
	t := s.terminals.byID[p.terminal]
	switch {
	case p.terminal == "":
		return p.raw, of.isCharged || s.charge(len(p.raw))
	case s.draws:
		return object(nil).text("type", acp.ContentTerminal).text("terminalId", p.terminal).json(), s.charge(len(p.terminal))
	case t == nil || t.shownIn != nil && t.shownIn != of && s.calls.byID[t.shownIn.id] == t.shownIn:
		return nil, true
	case !s.charge(len(t.output)):
		return nil, false
	}
	t.shownIn = of
	text := t.text()
	if text == "" {
		return nil, true
	}
	if !s.charge(wire.QuotedLen(text)) {
		return nil, false
	}
	return note(text).raw, true
}

// chunk adds content to a call, and reports whether it is too large to be shown later.
func (s *session) chunk(update *wire.Object) (isMuch bool) {
	id, ok := update.Text("toolCallId")
	if !ok || len(id) > maxID || s.isLink(update.Raw("content")) {
		return false
	}
	of, _ := s.calls.use(id)
	more := s.contentTo1(update.Raw("content"))
	s.calls.add(of, slices.DeleteFunc(more, func(p part) bool { return p.terminal != "" && of.shows(p.terminal) }))
	return of.bytes > maxContent
}

func (s *session) sizeOf(of *call) (n int) {
	n = of.bytes
	for _, p := range of.parts {
		if t := s.terminals.byID[p.terminal]; t != nil && p.terminal != "" {
			n += len(t.output)
		}
	}
	return n
}

// due returns the lines that show what the calls of the session with an id have more to show.
// Without all, it omits calls that have grown by less than an eighth. IsAll is false if the line or
// the Flush has no room for the rest.
func (s *session) due(session string, all bool) (lines []byte, isAll bool) {
	for _, id := range slices.Clone(s.calls.order) {
		of := s.calls.byID[id]
		if !of.isDirty {
			continue
		}
		size := s.sizeOf(of)
		if grown := size - of.shown; !all && grown >= 0 && grown < of.shown/8 {
			continue
		}
		content, ok := s.contentOf(of)
		if !ok || !s.charge(len(session)) {
			return lines, false
		}
		of.isDirty, of.shown = false, size
		kind := acp.ToolCallUpdate
		to := object(nil)
		if !of.isAnnounced {
			of.isAnnounced, kind = true, acp.ToolCall
			if to = to.rest(of.known); !of.hasTitle {
				to = to.text("title", "Tool")
			}
		}
		to = to.text("sessionUpdate", kind).text("toolCallId", id).with("content", content)
		lines = append(lines, wire.SessionUpdate(session, to.with("_meta", s.reportIn(nil, of)).json())...)
		s.calls.trim(of)
	}
	return lines, true
}

// touch marks the call that shows a terminal as dirty, or else all calls that refer to it.
func (c *calls) touch(t *terminal, id string) {
	if t.shownIn != nil {
		t.shownIn.isDirty = true
		return
	}
	for _, of := range c.byID {
		of.isDirty = of.isDirty || of.shows(id)
	}
}

// shows reports whether the content refers to a terminal.
func (c *call) shows(terminal string) bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.terminal == terminal })
}
