package conversation

import "iter"

// An Owner is what a [Slot] keeps values of: a pending request, or a session that is kept.
type Owner interface {
	*Request | *Session
	owner
}

type owner interface {
	slots() *slots
	isKept() bool // it is pending, or the conversation keeps it
	weigh(c *Conversation, more int)
}

// A Slot keeps a value of an adapter for each request or session that the adapter chooses, so that
// the adapter needs no map of them. Its methods are called with the lock held.
//
// A value lives as long as its owner:
//
//   - That of a session lives until the session is removed. Observers that are told SessionRemoved
//     can still read it.
//   - That of a request lives until all adapters have handled the response: observers that are told
//     RequestEnded, and Handle and Unread with Message.Request, can still read it. If the request
//     ends without a response, the value lives until all observers were told RequestEnded.
//
// A request that is amended, or whose id is used again, ends, and another begins: it does not
// inherit values.
//
// The weight of a value counts in [Options].MaxBytes until the request ends or the session is
// removed.
type Slot[K Owner, T any] struct{ conversation *Conversation }

// NewSlot returns an empty Slot. Each has its own values.
func NewSlot[K Owner, T any](c *Conversation) *Slot[K, T] { return &Slot[K, T]{c} }

// slotWeight is the estimated bytes that a value takes in addition to what its adapter says.
const slotWeight = 64

// Put keeps a value for a request or a session, in place of an earlier one. Weight is about how
// many bytes the value takes; put a value again when that changes. Sessions and requests over the
// bound are evicted, perhaps this one.
//
// It reports whether the value is kept. It is not if the owner is nil, has ended, or is evicted
// now, nor if the value alone is over the bound: then nothing is evicted, and an earlier value is
// removed.
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

// Get returns the value of a request or a session; ok is false if there is none. A nil owner has
// none.
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

// All yields the pending requests or the sessions that have a value: requests in the order in which
// they began, those of the client first, and sessions with the one used last at the end. The loop
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

// owners returns all that are pending or kept.
func owners[K Owner](c *Conversation) (all []K) {
	switch all := any(&all).(type) {
	case *[]*Request:
		*all = append(c.pending[0].Values(), c.pending[1].Values()...)
	case *[]*Session:
		*all = c.sessions.Values()
	}
	return all
}

// slots are the values that adapters keep of one request or session. There are few.
type slots struct {
	values []slotValue
	size   int // estimated bytes
}

type slotValue struct {
	slot   any // the *Slot
	value  any
	weight int
}

// put keeps a value, and returns how much heavier the slots become.
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

// drop removes all values of an owner that has ended: their weight counts no more.
func (s *slots) drop() { *s = slots{} }

// recount counts anew what size has counted.
func (s *slots) recount() (size int) {
	for _, v := range s.values {
		size += v.weight
	}
	return size
}

func (r *Request) slots() *slots { return &r.values }
func (r *Request) isKept() bool  { return r.isPending }

func (r *Request) weigh(c *Conversation, more int) {
	c.size += more
	c.trim()
}

func (s *Session) slots() *slots { return &s.values }
func (s *Session) isKept() bool  { return !s.Evicted }

func (s *Session) weigh(c *Conversation, more int) { c.weigh(s, more) }
