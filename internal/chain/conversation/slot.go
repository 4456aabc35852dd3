package conversation

import "iter"

// An Owner owns values in a [Slot]: it is a pending request or a session.
type Owner interface {
	*Request | *Session
	owner
}

type owner interface {
	slots() *slots
	isKept() bool // it is pending, or a session of the conversation
	weigh(c *Conversation, more int)
}

// A Slot keeps values of an adapter for requests or sessions, in place of a map. Its methods are
// called with the lock held.
//
// A value lives as long as its owner:
//
//   - A value of a session lives until the session is removed. Observers of SessionRemoved can
//     still read it.
//   - A value of a request lives until all adapters have handled the response. Observers of
//     RequestEnded, and Handle and Unread with Message.Request, can still read it. If the request
//     ends without a response, the value lives until all observers got RequestEnded.
//
// A request that is amended, or whose id is used again, ends, and a new one begins without values.
//
// The weight of a value counts in [Options].MaxBytes until the request ends or the session is
// removed.
type Slot[K Owner, T any] struct{ conversation *Conversation }

// NewSlot returns an empty Slot. Each has its own values.
func NewSlot[K Owner, T any](c *Conversation) *Slot[K, T] { return &Slot[K, T]{c} }

// slotWeight is the estimated bytes that a value takes on top of the adapter's weight.
const slotWeight = 64

// Put sets the value of a request or a session. weight is the estimated size of the value in bytes;
// put the value again when that changes. Over the bound, Put evicts sessions and requests, perhaps
// this one.
//
// It reports whether the value is kept. It is not kept if the owner is nil, has ended, or is
// evicted now. A value that alone is over the bound is not kept either: then nothing is evicted,
// but an earlier value is removed.
func (s *Slot[K, T]) Put(of K, value T, weight int) (isKept bool) {
	if of == nil || !of.isKept() {
		return false
	}
	weight += slotWeight
	if weight > s.conversation.opts.MaxBytes {
		s.Delete(of)
		return false
	}
	of.weigh(s.conversation, of.slots().put(s, value, weight))
	return of.isKept()
}

// Get returns the value of a request or a session; ok is false if it has no value. The owner may be
// nil.
func (s *Slot[K, T]) Get(of K) (value T, ok bool) {
	if of == nil {
		return value, false
	}
	v, ok := of.slots().get(s)
	value, _ = v.(T)
	return value, ok
}

// Take returns the value like [Slot.Get], and removes it.
func (s *Slot[K, T]) Take(of K) (value T, ok bool) {
	value, ok = s.Get(of)
	s.Delete(of)
	return value, ok
}

// Delete removes the value of a request or a session, if there is one.
func (s *Slot[K, T]) Delete(of K) {
	if of == nil {
		return
	}
	less := of.slots().delete(s)
	if of.isKept() {
		of.weigh(s.conversation, -less)
	}
}

// All yields the pending requests or the sessions that have a value. Requests come in the order in
// which they began, the client's first; sessions come with the most recently used last. The loop
// may change values.
func (s *Slot[K, T]) All() iter.Seq2[K, T] {
	return func(yield func(K, T) bool) {
		for _, of := range owners[K](s.conversation) {
			if value, ok := s.Get(of); ok && of.isKept() && !yield(of, value) {
				return
			}
		}
	}
}

// owners returns all pending requests, or all sessions.
func owners[K Owner](c *Conversation) (all []K) {
	switch all := any(&all).(type) {
	case *[]*Request:
		*all = append(c.pending[0].Values(), c.pending[1].Values()...)
	case *[]*Session:
		*all = c.sessions.Values()
	}
	return all
}

// slots holds the few values that adapters keep for one request or session.
type slots struct {
	values []slotValue
	size   int // estimated bytes
}

type slotValue struct {
	slot   any // the *Slot
	value  any
	weight int
}

// put sets a value and returns the increase of the weight.
func (s *slots) put(slot, value any, weight int) (more int) {
	more = weight - s.delete(slot)
	s.values = append(s.values, slotValue{slot, value, weight})
	s.size += weight
	return more
}

func (s *slots) get(slot any) (value any, ok bool) {
	for _, v := range s.values {
		if v.slot == slot {
			return v.value, true
		}
	}
	return nil, false
}

// delete removes a value, and returns its weight.
func (s *slots) delete(slot any) (weight int) {
	for i, v := range s.values {
		if v.slot == slot {
			last := len(s.values) - 1
			s.values[i], s.values[last] = s.values[last], slotValue{}
			s.values = s.values[:last]
			s.size -= v.weight
			return v.weight
		}
	}
	return 0
}

// drop removes all values of an owner that has ended, with their weight.
func (s *slots) drop() { *s = slots{} }

// recount computes size again.
func (s *slots) recount() (size int) {
	for _, v := range s.values {
		size += v.weight
	}
	return size
}

func (r *Request) slots() *slots { return &r.values }
func (r *Request) isKept() bool  { return r.isPending() }

func (r *Request) weigh(c *Conversation, more int) {
	c.size += more
	c.trim()
}

func (s *Session) slots() *slots { return &s.values }
func (s *Session) isKept() bool  { return !s.Evicted }

func (s *Session) weigh(c *Conversation, more int) { c.weigh(s, more) }
