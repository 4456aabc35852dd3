package versions

import (
	"slices"

	"acpshim/internal/wire"
)

// A call is a tool call of an agent of version 2, as far as the client of version 1 has to be told
// more of it later: that replaces the content as a whole.
type call struct {
	id          string
	isAnnounced bool // the client was told that it began
	hasTitle    bool
	parts       []part // its content
	bytes       int    // of parts
	shown       int    // the bytes of the content as it was shown last
	isDirty     bool   // there is more to show
	meta        []byte // its _meta
}

// Bounds: of how many tool calls of a session something is kept, and how many bytes of the content
// of one and of all. What is over them is shown once, and not again with what is added later.
const (
	maxCalls    = 512
	maxContent  = 256 << 10
	maxContents = 2 << 20
)

// A calls has the tool calls of a session, the one used last at the end.
type calls struct {
	byID  map[string]*call
	order []string
	bytes int // about how many they take
}

// use returns the call of an id, which it adds if it is new.
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
		c.bytes -= 128 + len(first) + c.byID[first].bytes + len(c.byID[first].meta)
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

// set gives a call content in place of what it has.
func (c *calls) set(of *call, parts []part) {
	c.bytes -= of.bytes
	of.parts, of.bytes = parts, 0
	for _, p := range parts {
		of.bytes += 48 + len(p.raw) + len(p.terminal)
	}
	c.bytes += of.bytes
	of.isDirty = true
}

// add adds content to that of a call.
func (c *calls) add(of *call, parts []part) {
	for _, p := range parts {
		n := 48 + len(p.raw) + len(p.terminal)
		of.bytes, c.bytes = of.bytes+n, c.bytes+n
	}
	of.parts, of.isDirty = append(of.parts, parts...), true
}

// trim forgets content that is over the bounds, when it was shown.
func (c *calls) trim(of *call) {
	if of.bytes > maxContent {
		c.set(of, []part{note("[more was shown]")})
		of.isDirty = false
	}
	for i := 0; c.bytes > maxContents && i < len(c.order); i++ {
		if other := c.byID[c.order[i]]; !other.isDirty {
			c.set(other, nil)
			other.isDirty = false
		}
	}
}

// updateTo1 returns an update of a tool call of version 2 for version 1. There it begins with an
// update of its own, and null means that nothing has changed. It is nil for an update without an
// id.
func (s *session) updateTo1(update *wire.Object) []byte {
	id, ok := update.Text("toolCallId")
	if !ok || len(id) > maxID {
		return nil
	}
	of, _ := s.calls.use(id)
	if !of.isAnnounced {
		of.isAnnounced = true
		return s.membersTo1(object(nil).text("sessionUpdate", "tool_call"), update, of, titleOf(update)).json()
	}
	return s.membersTo1(object(nil).text("sessionUpdate", "tool_call_update"), update, of, "").json()
}

// membersTo1 adds the members of a tool call. Title is for a call that has none, and beside are
// texts for its reader, who is shown them behind the content.
func (s *session) membersTo1(to object, update *wire.Object, of *call, title string, beside ...part) object {
	var meta []byte
	for _, m := range membersOf(update) {
		raw := update.Raw(m.Name)
		isNull := wire.IsAbsent(raw)
		switch m.Name {
		case "sessionUpdate", "capabilities":
			continue
		case "_meta":
			meta = s.calls.merged(of, raw)
			continue
		case "title":
			of.hasTitle = of.hasTitle || !isNull
		case "kind":
			raw = wire.Quote(nil, kindTo1(raw))
		case "status":
			if raw = statusTo1(raw); raw == nil {
				continue
			}
		case "content":
			for _, p := range of.parts {
				if t := s.terminals.byID[p.terminal]; t != nil && t.shownIn == of && !t.isTold {
					t.shownIn = nil
				}
			}
			s.calls.set(of, contentTo1(raw))
			continue
		case "locations":
			if isNull {
				raw, isNull = []byte("[]"), false
			}
		}
		if isNull && m.Name != "kind" && m.Name != "status" {
			continue
		}
		to = to.with(m.Name, raw)
	}
	if title != "" && !of.hasTitle {
		to = to.text("title", title)
	}
	if of.isDirty || len(beside) > 0 {
		content := s.contentOf(of, beside...)
		of.isDirty, of.shown = len(beside) > 0 && len(of.parts) > 0, s.sizeOf(of)
		s.calls.trim(of)
		to = to.with("content", content)
	}
	return to.with("_meta", s.reportIn(meta, of))
}

func membersOf(o *wire.Object) []wire.Member {
	if o == nil {
		return nil
	}
	return o.Members
}

// titleOf is a title for a call that has none.
func titleOf(update *wire.Object) string {
	for _, name := range []string{"title", "name", "kind"} {
		if text, _ := update.Text(name); text != "" {
			return text
		}
	}
	return "Tool"
}

// kindTo1 is the kind of a tool as version 1 has it.
func kindTo1(raw []byte) string {
	switch kind, _ := wire.Text(raw); kind {
	case "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode":
		return kind
	}
	return "other"
}

// statusTo1 is the status of a tool call as version 1 has it; nil for one that it cannot say.
func statusTo1(raw []byte) []byte {
	switch status, _ := wire.Text(raw); {
	case wire.IsAbsent(raw):
		return []byte(`"pending"`)
	case status == "cancelled":
		return []byte(`"failed"`)
	case status == "paused":
		return []byte(`"in_progress"`)
	case slices.Contains([]string{"pending", "in_progress", "completed", "failed"}, status):
		return raw
	}
	return nil
}

// contentOf is the content of a call for version 1, with what its terminals have said, and more. A
// terminal that another call has shown later is shown there.
func (s *session) contentOf(of *call, more ...part) []byte {
	elements := [][]byte{}
	for _, p := range slices.Concat(of.parts, more) {
		switch t := s.terminals.byID[p.terminal]; {
		case p.terminal == "":
			elements = append(elements, p.raw)
		case s.draws:
			elements = append(elements, object(nil).text("type", "terminal").text("terminalId", p.terminal).json())
		case t != nil && (t.shownIn == nil || t.shownIn == of || s.calls.byID[t.shownIn.id] != t.shownIn):
			t.shownIn = of
			elements = append(elements, note(t.text()).raw)
		}
	}
	return list(elements)
}

// chunk takes in content that is added to a call, and reports whether it is so much that it is to
// be shown at once.
func (s *session) chunk(update *wire.Object) (isMuch bool) {
	id, ok := update.Text("toolCallId")
	if !ok || len(id) > maxID {
		return false
	}
	of, _ := s.calls.use(id)
	s.calls.add(of, partsTo1(update.Raw("content")))
	return of.bytes > maxContent
}

// sizeOf is about how many bytes the content of a call has.
func (s *session) sizeOf(of *call) (n int) {
	n = of.bytes
	for _, p := range of.parts {
		if t := s.terminals.byID[p.terminal]; t != nil && p.terminal != "" {
			n += len(t.output)
		}
	}
	return n
}

// due returns the updates of the calls that have more to show: of a call that grows, only if that
// is a part worth it, unless all is wanted.
func (s *session) due(all bool) (updates [][]byte) {
	for _, id := range slices.Clone(s.calls.order) {
		of := s.calls.byID[id]
		if !of.isDirty {
			continue
		}
		size := s.sizeOf(of)
		if grown := size - of.shown; !all && grown >= 0 && grown < of.shown/8 {
			continue
		}
		content := s.contentOf(of)
		of.isDirty, of.shown = false, size
		kind := "tool_call_update"
		to := object(nil)
		if !of.isAnnounced {
			of.isAnnounced, kind = true, "tool_call"
			to = to.text("title", "Tool")
		}
		to = to.text("sessionUpdate", kind).text("toolCallId", id).with("content", content)
		updates = append(updates, to.with("_meta", s.reportIn(nil, of)).json())
		s.calls.trim(of)
	}
	return updates
}

// touch notes that there is more to show of a terminal: in the call that shows it, or else in those
// that have it.
func (c *calls) touch(t *terminal, id string) {
	if t.shownIn != nil {
		t.shownIn.isDirty = true
		return
	}
	for _, of := range c.byID {
		of.isDirty = of.isDirty || of.shows(id)
	}
}

// shows reports whether the content has the output of a terminal.
func (c *call) shows(terminal string) bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.terminal == terminal })
}
