package repair

import (
	"cmp"

	"acpshim/internal/chain/conversation"
)

// ids records ids of one kind, such as those of terminals, by session, with what is known of each.
// If some ids of a session are unknown, the session counts as unknown and ids makes no claims.
type ids[T any] struct {
	conversation *conversation.Conversation
	sessions     *conversation.Slot[*conversation.Session, *idSet[T]]
}

type idSet[T any] struct {
	known  map[string]*T
	size   int       // about how many bytes they take, without those of before
	isLost bool      // some ids are unknown
	before *idSet[T] // those from before a pending load; nil if there is none
	turn   int       // the number of turns that have ended
	asked  int       // bytes of size that permission requests take

	renamed int // how many calls have got an id of acpshim
}

func (i *idSet[T]) weight() int {
	if i.before == nil {
		return i.size
	}
	return i.size + i.before.size
}

// whole returns the ids with those from before the load.
func (i *idSet[T]) whole() *idSet[T] {
	all := i.before
	if all == nil || all.isLost {
		return cmp.Or(all, i)
	}
	for id, of := range i.known {
		if !all.has(id) {
			all.size += 64 + len(id)
		}
		all.known[id] = of
	}
	all.grow(i.asked)
	all.turn, all.renamed = all.turn+i.turn, all.renamed+i.renamed
	return all
}

func (i *idSet[T]) has(id string) bool {
	_, ok := i.known[id]
	return ok
}

// Limits.
const (
	maxIDs = 20_000 // of a session
	maxID  = 256    // bytes
)

func newIDs[T any](c *conversation.Conversation) ids[T] {
	return ids[T]{c, conversation.NewSlot[*conversation.Session, *idSet[T]](c)}
}

// lose marks a session as unknown, or all sessions if session is empty.
func (k *ids[T]) lose(session string) {
	all := k.conversation.Sessions()
	if s, ok := k.conversation.FindNew(session); session != "" {
		all = all[:0]
		if ok {
			all = append(all, s)
		}
	}
	for _, s := range all {
		k.sessions.Put(s, &idSet[T]{isLost: true}, 0)
	}
}

// of returns a session and its ids, or nil if the session is unknown. Early allows a session whose
// first response has not come yet.
func (k *ids[T]) of(session string, early bool) (s *conversation.Session, all *idSet[T]) {
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
		all = &idSet[T]{known: map[string]*T{}}
	}
	return s, all
}

// lacks reports whether a session certainly lacks an id.
func (k *ids[T]) lacks(session, id string) bool {
	s, all := k.of(session, false)
	return s != nil && !all.has(id) && len(id) <= maxID
}

// add records an id that a session lacks, and returns what is known of it. It returns nil if it is
// not certain that the id is new, or if there is no room. Early is as for of.
func (k *ids[T]) add(session, id string, early bool) *T {
	s, all := k.of(session, early)
	if s == nil || all.has(id) || len(id) > maxID {
		return nil
	}
	of := new(T)
	all.known[id] = of
	all.size += 64 + len(id)
	if len(all.known) > maxIDs || !k.sessions.Put(s, all, all.weight()) {
		k.lose(session)
		return nil
	}
	return of
}
