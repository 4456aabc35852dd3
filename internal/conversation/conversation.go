// Package conversation knows what has been said on one connection: who the peers are, which
// sessions there are and how they were opened, which requests of either peer are pending, and
// which prompts are under way. Whoever changes lines reads it; nobody keeps a second one.
//
// It is pure, and bounded: see [Options].
package conversation

import (
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Side is a peer, and a direction by where its lines come from.
type Side string

// The two sides.
const (
	Client Side = "client"
	Agent  Side = "agent"
)

// Other returns the opposite side.
func (s Side) Other() Side {
	if s == Client {
		return Agent
	}
	return Client
}

// Index is 0 for the client and 1 for the agent, for what is kept of each.
func (s Side) Index() int {
	if s == Client {
		return 0
	}
	return 1
}

// Options bound a Conversation. The zero value is ready for use.
type Options struct {
	// MaxBytes bounds what is kept, sessions with what adapters keep of them and pending requests,
	// by a count of bytes that is about what they take. What was used longest ago is evicted
	// first. 0 is 64 MiB.
	MaxBytes int

	// Evicted is told once that something is evicted, and what: a plan, a session or a request. It
	// is called with the lock held and must not block. It may be nil.
	Evicted func(what string)

	// Peers are the two as far as they are known at the start.
	Peers Peers
}

// Bounds on single things. They are far from what peers need, and keep one of them from taking the
// room of all.
const (
	MaxRequests  = 1 << 13 // pending ones of a side
	MaxSessions  = 1 << 10
	MaxSessionID = 1 << 10 // bytes; a session with a longer one is not kept
	maxMethod    = 256     // bytes; the response to a request of a longer one is nobody's
	maxRoots     = 64      // of a session
	maxRoot      = 4 << 10 // bytes; no folder has a longer name
)

// A Conversation is what is known of one connection.
//
// Methods of it lock it, but for those that say that the lock is held. An observer, see
// [Conversation.Observe], is called with the lock held.
type Conversation struct {
	opts     Options
	observe  func(Event)
	mu       sync.Mutex // protects the fields below
	peers    Peers
	answered int // initialize requests that were answered with success
	pending  [2]*simplelru.LRU[string, *Request]
	sessions *simplelru.LRU[string, *Session]
	creating int            // pending requests that make a session with a new id
	opening  map[string]int // pending requests that open a session, by its id
	prompts  map[string]int // pending prompts, by their session
	newRoots []string       // the folders of requests that make a session; nil if not looked up
	size     int            // about how many bytes all takes
	clock    int            // counts uses
	reported bool           // that something was evicted

	// For those who look at a line without the lock: how many requests of a side are pending, and
	// how many of them are no prompts.
	waiting [2]struct{ all, others atomic.Int32 }
}

// New returns a Conversation in which nothing has been said.
func New(o Options) *Conversation {
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	c := &Conversation{opts: o, peers: o.Peers, observe: func(Event) {}, opening: map[string]int{}, prompts: map[string]int{}}
	for i := range c.pending {
		c.pending[i], _ = simplelru.NewLRU(MaxRequests, func(_ string, r *Request) { c.ended(r) })
	}
	c.sessions, _ = simplelru.NewLRU(MaxSessions, func(_ string, s *Session) {
		s.Evicted = true
		c.size -= s.size
		c.observe(Event{Kind: Gone, Session: s})
	})
	return c
}

// An Event is a change of what is known.
type Event struct {
	Kind    EventKind
	Request *Request // of Began and Ended
	Session *Session // of Gone
}

// An EventKind says what changed.
type EventKind int

const (
	Met        EventKind = iota // initialize or its response told more of the peers
	Negotiated                  // see [Conversation.Negotiate]
	Began                       // a request is pending
	Ended                       // a request is pending no longer, for whatever reason
	Gone                        // a session is not kept any more: closed, evicted, or of another start
)

// Observe has f told of all changes, with the lock held. It is called once, before anything is
// said.
func (c *Conversation) Observe(f func(Event)) { c.observe = f }

// Lock takes the state for methods that want it held.
func (c *Conversation) Lock() { c.mu.Lock() }

// Unlock gives it back.
func (c *Conversation) Unlock() { c.mu.Unlock() }

// MaxBytes is the bound on all that is kept.
func (c *Conversation) MaxBytes() int { return c.opts.MaxBytes }

// Busy reports whether a prompt is pending.
func (c *Conversation) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.prompts) > 0
}

// Weigh notes that an adapter keeps so many bytes more, or less, of a session, and evicts what is
// too much. The lock is held.
func (c *Conversation) Weigh(s *Session, more int) {
	if s.Evicted || more == 0 {
		return
	}
	s.size += more
	if c.size += more; c.size > c.opts.MaxBytes {
		c.trim()
	}
}

// Evict notes that what of a session is evicted by who keeps it. The lock is held.
func (c *Conversation) Evict(what string) {
	if c.reported {
		return
	}
	c.reported = true
	if c.opts.Evicted != nil {
		c.opts.Evicted(what)
	}
}

// Size is about how many bytes are kept. The lock is held.
func (c *Conversation) Size() int { return c.size }

// trim evicts what was used longest ago while all takes too much.
func (c *Conversation) trim() {
	for c.size > c.opts.MaxBytes {
		var oldest *simplelru.LRU[string, *Request]
		used := 0
		for _, pending := range c.pending {
			if _, r, ok := pending.GetOldest(); ok && (oldest == nil || r.used < used) {
				oldest, used = pending, r.used
			}
		}
		_, s, ok := c.sessions.GetOldest()
		switch {
		case ok && (oldest == nil || s.used < used):
			c.Evict("a session")
			c.sessions.RemoveOldest()
		case oldest != nil:
			c.Evict("a request")
			oldest.RemoveOldest()
		default:
			return
		}
	}
}

// tick counts a use.
func (c *Conversation) tick() int {
	c.clock++
	return c.clock
}
