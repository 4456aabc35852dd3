package repair

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// announcements are the tool calls of each session, by the agent's ids.
type announcements struct{ ids[call] }

// A call is what is known of a tool call. A nil call is unknown.
type call struct {
	by       wire.Reason // why acpshim has announced the call, until the agent does
	isAsked  bool        // only permission requests have named it so far
	asked    []byte      // what they said of it; nil if that is not kept
	turn     int         // the turn in which it began: see idSet.turn
	isEnded  bool        // its last status says so
	isUnsure bool        // its last status could not be read
	client   clientID
}

// note notes the status of a message about the call; "" if the message has none. IsRead is false if
// the message may have one.
func (c *call) note(status string, isRead bool) {
	switch {
	case c == nil:
	case !isRead:
		c.isUnsure = true
	case status != "":
		c.isEnded, c.isUnsure = acp.IsOver(status), false
	}
}

// number returns the number in the id that the client knows.
func (c *call) number() int { return c.client.number }

// Observe implements dispatch.Observer. A client that loads a session shows it anew, and the agent
// announces its calls again. If the load is refused, the client still shows the earlier calls.
func (k *announcements) Observe(e conversation.Event) {
	r := e.Request
	if r == nil || r.From != conversation.Client || !r.Opens() && !r.IsPrompt() {
		return
	}
	s, _ := k.conversation.Find(r.Session)
	all, ok := k.sessions.Get(s)
	switch {
	case !ok || all.isLost && e.Kind == conversation.RequestEnded:
	case r.IsPrompt():
		if e.Kind == conversation.RequestEnded && !k.conversation.Prompting(r.Session) {
			all.turn++
		}
	case e.Kind == conversation.RequestBegan && r.Method == acp.SessionLoad:
		all = &idSet[call]{known: map[string]*call{}, before: all.whole()}
		k.sessions.Put(s, all, all.weight())
	case e.Kind == conversation.RequestEnded && s.Loaded:
		all.before = nil
		k.sessions.Put(s, all, all.size)
	case e.Kind == conversation.RequestEnded && !k.conversation.Opening(r.Session):
		all = all.whole()
		k.sessions.Put(s, all, all.size)
	}
}

// find returns a known call, or nil. Early is as for ids.of.
func (k *announcements) find(session, id string, early bool) *call {
	_, all := k.of(session, early)
	if all == nil {
		return nil
	}
	return all.known[id]
}

// begin notes that a call begins, under the id with that number for the client.
func (k *announcements) begin(session string, is *call, number int) {
	if _, all := k.of(session, true); is != nil && all != nil {
		is.by, is.turn, is.isEnded, is.isUnsure = wire.Reason{}, all.turn, false, false
		is.client.number = number
	}
}

// isOpen reports whether a call that was announced has certainly not ended. Agents that number
// their calls use the number of an abandoned call in the next turn, so a turn ends its calls.
func (k *announcements) isOpen(session string, is *call) bool {
	_, all := k.of(session, true)
	return all != nil && !is.isAsked && is.turn == all.turn && !is.isEnded && !is.isUnsure
}

// isOver reports whether a call has certainly ended.
func (k *announcements) isOver(session string, is *call) bool {
	_, all := k.of(session, true)
	return all != nil && (is.isEnded || is.turn != all.turn)
}

// goesOn reports whether a call that was announced has certainly not ended, although its turn may
// have. It then belongs to the turn that runs.
func (k *announcements) goesOn(session string, is *call) bool {
	_, all := k.of(session, true)
	if all == nil || is.isAsked || is.isEnded || is.isUnsure {
		return false
	}
	is.turn = all.turn
	return true
}

// maxAsked bounds what is kept of the permission requests of a session, in bytes. Of those beyond,
// only short members are kept.
const (
	maxAsked      = 1 << 20
	maxAskedShort = 1 << 10
)

// keepAsked keeps what a permission request says of a call that is not announced, in addition to
// earlier requests.
func (k *announcements) keepAsked(session string, is *call, about []byte) {
	s, all := k.of(session, true)
	if s == nil {
		return
	}
	kept, _ := wire.Parse(is.asked)
	if kept == nil {
		is.asked = []byte("{}")
		kept, _ = wire.Parse(is.asked)
	}
	room := maxAsked - all.asked
	var settings []wire.Setting
	for _, member := range members(about) {
		size := len(member.Name) + len(member.Value)
		isShort := size <= maxAskedShort && slices.Contains([]string{"title", "kind", "status", "locations"}, member.Name)
		if size <= room || isShort {
			room -= size
			settings = append(settings, member)
		}
	}
	before := len(is.asked)
	is.isAsked, is.asked = true, wire.Splice(nil, is.asked, kept.Set(settings...)...)
	all.grow(len(is.asked) - before)
	if !k.sessions.Put(s, all, all.weight()) {
		k.lose(session)
	}
}

// forgetAsked notes that a call is announced.
func (k *announcements) forgetAsked(session string, is *call) {
	if is == nil || !is.isAsked {
		return
	}
	s, all := k.of(session, true)
	if s != nil {
		all.grow(-len(is.asked))
		k.sessions.Put(s, all, all.weight())
	}
	is.isAsked, is.asked = false, nil
}

// grow counts bytes of permission requests.
func (i *idSet[T]) grow(more int) { i.size, i.asked = i.size+more, i.asked+more }

// members returns the members of a tool call that an announcement can have.
func members(call []byte) (settings []wire.Setting) {
	o, _ := wire.Parse(call)
	if o == nil {
		return nil
	}
	for _, m := range o.Members {
		if raw := o.Raw(m.Name); m.Name != "toolCallId" && m.Name != "sessionUpdate" && !wire.IsAbsent(raw) {
			settings = append(settings, wire.Setting{Name: m.Name, Value: raw})
		}
	}
	return settings
}
