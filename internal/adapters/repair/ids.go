package repair

import (
	"cmp"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// ids records ids of one kind, such as those of tool calls, by session. If some ids of a session
// are unknown, the session counts as unknown and ids makes no claims.
type ids struct {
	conversation *conversation.Conversation
	sessions     *conversation.Slot[*conversation.Session, *idSet]
}

type idSet struct {
	known  map[string]bool // true for those that announcements marks
	size   int             // about how many bytes they take, without those of before
	isLost bool            // some ids are unknown
	before *idSet          // those from before a pending load; nil if there is none
}

func (i *idSet) weight() int {
	if i.before == nil {
		return i.size
	}
	return i.size + i.before.size
}

// whole returns the ids with those from before the load.
func (i *idSet) whole() *idSet {
	all := i.before
	if all == nil || all.isLost {
		return cmp.Or(all, i)
	}
	for id, isMarked := range i.known {
		if !all.has(id) {
			all.size += 64 + len(id)
		}
		all.known[id] = isMarked
	}
	return all
}

func (i *idSet) has(id string) bool {
	_, ok := i.known[id]
	return ok
}

// Limits.
const (
	maxIDs = 20_000 // of a session
	maxID  = 256    // bytes
)

func newIDs(c *conversation.Conversation) ids {
	return ids{c, conversation.NewSlot[*conversation.Session, *idSet](c)}
}

// lose marks a session as unknown, or all sessions if session is empty.
func (k *ids) lose(session string) {
	all := k.conversation.Sessions()
	if s, ok := k.conversation.FindNew(session); session != "" {
		all = all[:0]
		if ok {
			all = append(all, s)
		}
	}
	for _, s := range all {
		k.sessions.Put(s, &idSet{isLost: true}, 0)
	}
}

// of returns a session and its ids, or nil if the session is unknown. Early allows a session whose
// first response has not come yet.
func (k *ids) of(session string, early bool) (s *conversation.Session, all *idSet) {
	find := k.conversation.Find
	if early {
		find = k.conversation.FindNew
	}
	s, ok := find(session)
	all, isKept := k.sessions.Get(s)
	switch {
	case !ok || isKept && all.isLost:
		return nil, nil
	case !isKept:
		all = &idSet{known: map[string]bool{}}
	}
	return s, all
}

// lacks reports whether a session certainly lacks an id.
func (k *ids) lacks(session, id string) bool {
	s, all := k.of(session, false)
	return s != nil && !all.has(id) && len(id) <= maxID
}

// add records an id, and reports whether it is certainly new. Early is as for of.
func (k *ids) add(session, id string, early bool) (isNew bool) {
	s, all := k.of(session, early)
	if s == nil || all.has(id) || len(id) > maxID {
		return false
	}
	all.known[id] = false
	all.size += 64 + len(id)
	if len(all.known) > maxIDs || !k.sessions.Put(s, all, all.weight()) {
		k.lose(session)
		return false
	}
	return true
}

// announcements are the ids of the tool calls that the client knows. An id is marked while acpshim
// has announced the call and the agent has not.
type announcements struct{ ids }

// Observe implements dispatch.Observer. A client that loads a session shows it anew, and the agent
// announces its calls again. If the load is refused, the client still shows the earlier calls.
func (k *announcements) Observe(e conversation.Event) {
	r := e.Request
	if r == nil || r.From != conversation.Client || !r.Opens() {
		return
	}
	s, _ := k.conversation.Find(r.Session)
	all, ok := k.sessions.Get(s)
	switch {
	case !ok || all.isLost && e.Kind == conversation.RequestEnded:
	case e.Kind == conversation.RequestBegan && r.Method == acp.SessionLoad:
		all = &idSet{known: map[string]bool{}, before: all.whole()}
		k.sessions.Put(s, all, all.weight())
	case e.Kind == conversation.RequestEnded && s.Loaded:
		all.before = nil
		k.sessions.Put(s, all, all.size)
	case e.Kind == conversation.RequestEnded && !k.conversation.Opening(r.Session):
		all = all.whole()
		k.sessions.Put(s, all, all.size)
	}
}

// announce marks a known call.
func (k *announcements) announce(session, id string) {
	if s, all := k.of(session, true); s != nil && all.has(id) {
		all.known[id] = true
	}
}

// isOurs reports whether acpshim has announced a call and the agent has not.
func (k *announcements) isOurs(session, id string) bool {
	s, all := k.of(session, true)
	return s != nil && all.known[id]
}

// repeats reports whether the agent announces a call that acpshim has announced, and notes that it
// does.
func (k *announcements) repeats(m *dispatch.Message, id string) bool {
	is := m.Update == acp.ToolCall && k.isOurs(m.Session, id)
	if is {
		_, all := k.of(m.Session, true)
		all.known[id] = false
	}
	return is
}
