// Package conversation holds the state of one connection: who the peers are, which sessions there
// are and how they were opened, which requests of either peer are pending, and which prompts are
// under way. Package dispatch writes it; adapters read it, and keep their values in a [Slot].
//
// It does no input or output, and what it keeps is bounded: see [Options].
package conversation

import (
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Side is a peer, or the direction of the lines that this peer sends.
type Side string

// The sides.
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

// Index is 0 for the client and 1 for the agent: the place of a side in an array of two.
func (s Side) Index() int {
	if s == Client {
		return 0
	}
	return 1
}

// Options bound a Conversation. The zero value is ready for use.
type Options struct {
	// MaxBytes bounds the memory of pending requests, of sessions, and of what adapters keep of
	// either, as it is estimated. The least recently used is evicted first. 0 is 64 MiB.
	MaxBytes int

	// Evicted is called for the first eviction only. What begins with "a plan", "a session" or "a
	// request", and says how many are kept if that is why. It is called with the lock held and must
	// not block. It may be nil.
	Evicted func(what string)

	// Peers are the peers as far as they are known at the start.
	Peers Peers
}

// Bounds on parts of the state, far above what peers need, so that no part takes all of MaxBytes.
const (
	MaxRequests  = 1 << 13 // pending ones of a side
	MaxSessions  = 1 << 10
	MaxSessionID = 1 << 10 // bytes; a session with a longer one is not kept
	maxMethod    = 256     // bytes; a request of a longer one is not kept, and its response passes
	maxRoots     = 64      // of a session
	maxRoot      = 4 << 10 // bytes; no folder has a longer name
)

// A Conversation is the state of one connection. Its methods may be called from any goroutine and
// take its lock, but for those whose comment says that the lock is held: their callers hold it, see
// [Conversation.Lock]. The observer, see [Conversation.Observe], is called with the lock held.
type Conversation struct {
	opts     Options
	observe  func(Event)
	mu       sync.Mutex // protects the fields below
	peers    Peers
	answered int // initialize requests that were answered with success
	pending  [2]*simplelru.LRU[string, *Request]
	late     [2]*simplelru.LRU[string, struct{}] // ids of requests that ended before their peer responded
	lateOnes [2]atomic.Int32                     // how many
	sessions *simplelru.LRU[string, *Session]
	creating int            // pending requests that make a session with a new id
	opening  map[string]int // pending requests that open a session, by its id
	prompts  map[string]int // pending prompts, by their session
	running  map[string]int // those that are not cancelled, likewise
	size     int            // estimated bytes of all that is kept
	clock    int            // the number of uses so far: see Session.used and Request.used
	reported bool           // Options.Evicted was called

	// waiting is read without the lock, for each line: how many requests of a side are pending, and
	// how many of these are not prompts.
	waiting [2]struct{ all, others atomic.Int32 }
}

// New returns the Conversation of a new connection.
func New(o Options) *Conversation {
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	c := &Conversation{opts: o, peers: o.Peers, observe: func(Event) {}, opening: map[string]int{}, prompts: map[string]int{}, running: map[string]int{}}
	for i := range c.pending {
		c.pending[i], _ = simplelru.NewLRU(MaxRequests, func(_ string, r *Request) { c.requestEnded(r) })
		c.late[i], _ = simplelru.NewLRU[string, struct{}](MaxRequests, nil) // ids have at most 128 bytes: 2 MB of a side
	}
	c.sessions, _ = simplelru.NewLRU(MaxSessions, func(_ string, s *Session) {
		s.Evicted = true
		c.size -= s.size
		c.observe(Event{Kind: SessionRemoved, Session: s})
		s.values.drop()
	})
	return c
}

// An Event is a change of the state.
type Event struct {
	Kind    EventKind
	Request *Request // of those about requests, and of Negotiated
	Session *Session // of SessionRemoved
}

// An EventKind says what changed.
type EventKind int

const (
	PeersChanged   EventKind = iota // initialize or its response told more of the peers
	Negotiated                      // see [Conversation.Negotiate]
	RequestBegan                    // a request is pending
	RequestEnded                    // a request is pending no longer, for whatever reason; the last event about it
	SessionRemoved                  // a session is not kept any more: closed, evicted, or of another start
	WantsChanged                    // see [Conversation.ChangeWants]
)

// Observe has f called for each change, with the lock held. It replaces the observer before, and is
// called before the conversation is used.
func (c *Conversation) Observe(f func(Event)) { c.observe = f }

// ChangeWants has the adapters asked anew which messages they want. The lock is held.
func (c *Conversation) ChangeWants() { c.observe(Event{Kind: WantsChanged}) }

// Lock takes the lock, for methods whose comment says that it is held.
func (c *Conversation) Lock() { c.mu.Lock() }

// Unlock releases the lock.
func (c *Conversation) Unlock() { c.mu.Unlock() }

// MaxBytes is [Options].MaxBytes, or its default.
func (c *Conversation) MaxBytes() int { return c.opts.MaxBytes }

// Busy reports whether a prompt is pending.
func (c *Conversation) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.prompts) > 0
}

// weigh notes that more bytes of a session are kept than before, or fewer if more is negative.
// Sessions and requests over the bound are evicted, perhaps this one. The lock is held.
func (c *Conversation) weigh(s *Session, more int) {
	if s.Evicted || more == 0 {
		return
	}
	s.size += more
	c.size += more
	c.trim()
}

// Evict reports an eviction to [Options].Evicted, the first time. The lock is held.
func (c *Conversation) Evict(what string) {
	if c.reported {
		return
	}
	c.reported = true
	if c.opts.Evicted != nil {
		c.opts.Evicted(what)
	}
}

// Size returns the estimated bytes of all that is kept. The lock is held.
func (c *Conversation) Size() int { return c.size }

// trim evicts the least recently used sessions and requests until the rest is within MaxBytes.
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

// tick counts a use and returns its number.
func (c *Conversation) tick() int {
	c.clock++
	return c.clock
}
