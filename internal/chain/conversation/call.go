package conversation

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Call is a tool call of the agent, merged from what the agent has said about it: in tool_call,
// in tool_call_update, and in permission requests, whose toolCall is a patch, too. The zero value
// is a call about which the agent has said nothing.
//
// A Call has the members kind, title, locations, status and rawInput, and [CallTool]. A member is
// not known if its last value was malformed or longer than 16 KiB, if a message that may have
// changed it could not be read, or if the call was evicted: a session keeps the 512 calls used
// last, of at most 256 KiB, with ids of at most 256 bytes of valid Unicode.
type Call struct {
	values  [len(callMembers)][]byte // raw; nil if the call does not have the member
	unknown [len(callMembers)]bool
}

// callMembers are the members of a Call, with the values that a new call starts with.
var callMembers = [...]struct{ name, initial string }{
	{"kind", `"other"`}, {"title", ""}, {"locations", "[]"}, {"status", `"pending"`}, {"rawInput", ""}, {CallTool, ""},
}

// CallTool is the list of the names that the agent gave to the tool of a call.
const CallTool = "tool names"

// toolNames are the places where agents name the tool of a call: in version 2 and Codex, and
// claude-agent-acp, goose, others and Cursor.
var toolNames = []wire.Pointer{
	{"name"}, {"_meta", "claudeCode", "toolName"}, {"_meta", "goose", "toolCall", "toolName"}, {"_meta", "toolName"}, {"rawInput", "_toolName"},
}

// toolsOf returns the names of the tool in a message about a call, after those before, as a list,
// or nil. If one is not a text, it returns what is not a list.
func toolsOf(message *wire.Object, before []byte) []byte {
	names, _ := wire.Elements(before)
	isNamed := false
	for _, place := range toolNames {
		raw := message.Raw(place[0])
		if len(place) > 1 {
			raw = place[1:].Raw(raw)
		}
		name, isText := wire.Text(raw)
		if !isText && !wire.IsAbsent(raw) {
			return []byte("false")
		}
		quoted := wire.Quote(nil, name)
		if name != "" && !slices.ContainsFunc(names, func(is []byte) bool { return bytes.Equal(is, quoted) }) {
			names = append(names, quoted)
		}
		isNamed = isNamed || name != ""
	}
	if !isNamed {
		return nil
	}
	return wire.List(names)
}

// Bounds on the calls of a session.
const (
	maxCalls      = 512
	maxCallID     = 256       // bytes
	maxCallMember = 16 << 10  // bytes
	maxCallBytes  = 256 << 10 // of all calls
)

// Raw returns the raw value of a member, or nil if the call does not have it. isKnown is false if
// that is not known.
func (c *Call) Raw(name string) (raw []byte, isKnown bool) {
	for i, m := range callMembers {
		if m.name == name {
			return c.values[i], !c.unknown[i]
		}
	}
	return nil, false
}

// Text is Raw for the text of a string. It returns "" if the call does not have the member.
func (c *Call) Text(name string) (text string, isKnown bool) {
	raw, isKnown := c.Raw(name)
	text, _ = wire.Text(raw)
	return text, isKnown
}

// merge adds a message about the call. As in version 1, null means no change. Begins says that the
// message announces the call. If it announces the call again without a member, then it is not known
// whether the member stays or starts anew: clients differ.
func (c *Call) merge(message *wire.Object, begins bool) {
	for i, m := range callMembers {
		raw := message.Raw(m.name)
		if m.name == CallTool {
			raw = toolsOf(message, c.values[i])
		}
		isSet := !wire.IsAbsent(raw)
		switch {
		case isSet:
			c.values[i], c.unknown[i] = raw, !isCallMember(m.name, raw)
		case begins && c.values[i] == nil && !c.unknown[i] && m.initial != "":
			c.values[i] = []byte(m.initial)
		case begins && c.values[i] != nil && string(c.values[i]) != m.initial:
			c.values[i], c.unknown[i] = nil, true
		}
	}
}

// isCallMember reports whether a raw value has the type of a member.
func isCallMember(name string, raw []byte) bool {
	switch name {
	case "locations":
		all, ok := wire.Elements(raw)
		return ok && !slices.ContainsFunc(all, func(raw []byte) bool {
			l, err := wire.Parse(raw)
			_, isText := l.Text("path")
			return err != nil || !isText
		})
	case CallTool:
		_, ok := wire.Elements(raw)
		return ok
	case "rawInput":
		return true
	}
	_, ok := wire.Text(raw)
	return ok
}

// keep copies the values that are from a message, and removes those that are too long.
func (c *Call) keep(message *wire.Object) {
	for i, raw := range c.values {
		switch {
		case message.Get(callMembers[i].name) == nil && callMembers[i].name != CallTool:
		case len(raw) > maxCallMember:
			c.values[i], c.unknown[i] = nil, true
		default:
			c.values[i] = bytes.Clone(raw)
		}
	}
}

// renew loses a call that has ended: what was said of it is not about a new one with its id.
func (c *Call) renew() {
	status, _ := c.Text("status")
	if acp.IsOver(status) || status == acp.StatusCancelled {
		c.lose()
	}
}

// lose notes that no member is known.
func (c *Call) lose() {
	*c = Call{}
	for i := range c.unknown {
		c.unknown[i] = true
	}
}

func (c *Call) size() int {
	size := 0
	for _, raw := range c.values {
		size += len(raw)
	}
	return size
}

// calls are the tool calls of a session.
type calls struct {
	byID   *simplelru.LRU[string, *Call]
	size   int  // estimated bytes
	isLost bool // nothing is known about calls that are not in byID
}

// callsOf returns the calls of a session. They are not kept yet if they are new.
func (c *Conversation) callsOf(s *Session) *calls {
	if all, ok := c.calls.Get(s); ok {
		return all
	}
	all := &calls{isLost: c.reported || c.lostCalls} // an evicted session may begin again
	all.byID, _ = simplelru.NewLRU(maxCalls, func(id string, of *Call) {
		all.size -= callSize(id, of)
		all.isLost = true
	})
	return all
}

// isKept reports whether calls with an id are kept. Ids that are not valid Unicode read as the same
// text, although they differ.
func isKept(id string) bool {
	return len(id) <= maxCallID && !strings.ContainsRune(id, utf8.RuneError)
}

func callSize(id string, of *Call) int { return 256 + len(id) + of.size() }

// change calls f with a call, which may be new, and keeps the call.
func (c *Conversation) change(session, id string, f func(*Call)) {
	if id == "" || !isKept(id) || KeptID(session) == "" {
		return
	}
	s := c.Session(session)
	all := c.callsOf(s)
	of, ok := all.byID.Get(id)
	if !ok {
		if of = new(Call); all.isLost {
			of.lose()
		}
		all.byID.Add(id, of)
		all.size += callSize(id, of)
	}
	before := of.size()
	f(of)
	for all.size += of.size() - before; all.size > maxCallBytes; {
		all.byID.RemoveOldest()
	}
	c.keepCalls(s, all)
}

func (c *Conversation) keepCalls(s *Session, all *calls) {
	if !c.calls.Put(s, all, all.size) {
		c.Evict("a session's tool calls")
	}
}

// NoteCall merges a message about a tool call: a tool_call, which begins the call, or a
// tool_call_update. See dispatch.Want.Calls.
func (c *Conversation) NoteCall(session string, message *wire.Object, begins bool) {
	id, _ := message.Text("toolCallId")
	c.change(session, id, func(of *Call) {
		if status, _ := message.Text("status"); !begins && (status == acp.StatusPending || status == acp.StatusInProgress) {
			of.renew()
		}
		of.merge(message, begins)
		of.keep(message)
	})
}

// NoteAsked merges the toolCall of a permission request, which is about a new call if the one with
// its id has ended.
func (c *Conversation) NoteAsked(session string, request *wire.Object) {
	id, _ := request.Text("toolCallId")
	c.change(session, id, (*Call).renew)
	c.NoteCall(session, request, false)
}

// ForgetCall notes that the agent has cleared a member of a call, as in version 2. Several members
// may have a name of the tool.
func (c *Conversation) ForgetCall(session, id, member string) {
	c.change(session, id, func(of *Call) {
		for i, m := range callMembers {
			isNamed := m.name == CallTool && (member == "name" || member == "rawInput" || member == "_meta")
			if (m.name == member || isNamed) && of.values[i] != nil {
				of.values[i], of.unknown[i] = nil, true
			}
		}
	})
}

// LoseCall notes that a message about a tool call could not be read. Without an id it is about any
// call of the session, and without a session about any call.
func (c *Conversation) LoseCall(session, id string) {
	if session != "" && id != "" {
		c.change(session, id, (*Call).lose) // CallOf does not know ids that are not kept
		return
	}
	sessions := c.Sessions()
	if KeptID(session) != "" {
		sessions = []*Session{c.Session(session)}
	} else if session == "" {
		c.lostCalls = true
	}
	for _, s := range sessions {
		all := c.callsOf(s)
		all.byID.Purge()
		all.isLost = true
		c.keepCalls(s, all)
	}
}

// CallOf returns the tool call of a permission request as it is with the members of the request. It
// refers to the bytes of the request.
func (c *Conversation) CallOf(session string, request *wire.Object) *Call {
	of := &Call{}
	id, isNamed := request.Text("toolCallId")
	s, _ := c.sessions.Peek(session)
	all := c.callsOf(s)
	if known, ok := all.byID.Peek(id); ok {
		*of = *known
	} else if isNamed && (all.isLost || !isKept(id) || len(session) > MaxSessionID) {
		of.lose()
	}
	of.renew()
	of.merge(request, false)
	return of
}
