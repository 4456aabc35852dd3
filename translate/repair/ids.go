package repair

import "acpshim/internal/conversation"

// Ids are those of one kind of thing that sessions have, such as tool calls. Where not all ids of a
// session are known, nothing can be said of any. The conversation's lock protects them.
type ids struct {
	conversation *conversation.Conversation
	known        map[*conversation.Session]map[string]bool
	gone         map[string]bool // ids of sessions of which not all are known
	isLost       bool            // there were more of these than gone may have
}

// Bounds on what is known.
const (
	maxIDs  = 20_000 // of a session
	maxID   = 256    // bytes
	maxGone = 1024
)

func newIDs(c *conversation.Conversation) ids {
	return ids{conversation: c, known: map[*conversation.Session]map[string]bool{}, gone: map[string]bool{}}
}

// removed notes that a session, if it is not nil, is not kept any more. The lock is held.
func (k *ids) removed(s *conversation.Session) {
	if len(k.known[s]) > 0 {
		k.lose(s.ID)
	}
	delete(k.known, s)
}

// lose notes that not all ids of a session are known. The lock is held.
func (k *ids) lose(session string) {
	if session == "" || len(k.gone) == maxGone {
		k.isLost = true
		return
	}
	k.gone[session] = true
}

// lost reports whether not all ids of a session are known. The lock is held.
func (k *ids) lost(session string) bool { return k.isLost || k.gone[session] }

// lacks reports whether a session certainly does not have an id. The lock is held.
func (k *ids) lacks(session, id string) bool {
	s, ok := k.conversation.Find(session)
	return ok && !k.lost(session) && !k.known[s][id] && len(k.known[s]) < maxIDs && len(id) <= maxID
}

// add notes an id, and reports whether it is certainly new. Early says that the session may be one
// whose first response has not come yet. The lock is held.
func (k *ids) add(session, id string, early bool) (isNew bool) {
	find := k.conversation.Find
	if early {
		find = k.conversation.FindNew
	}
	s, _ := find(session)
	if !k.lacks(session, id) {
		return false
	}
	if k.known[s] == nil {
		k.known[s] = map[string]bool{}
	}
	k.known[s][id] = true
	k.conversation.Weigh(s, 64+len(id))
	return true
}
