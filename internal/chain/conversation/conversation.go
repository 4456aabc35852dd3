// Package conversation holds the state of one connection: the peers, the sessions and how they were
// opened, the pending requests of both peers, the running prompts, and the announced tool calls.
// Package dispatch updates it. Adapters read it and keep their own values in a [Slot].
//
// It does no input or output. Its memory is bounded: see [Options].
package conversation

import (
	"acpshim/internal/chain/wire"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Side is a peer, or the direction of the lines that this peer sends.
type Side = wire.Side

// The sides.
const (
	Client = wire.Client
	Agent  = wire.Agent
)

// Options bound a Conversation. The zero value is ready for use.
type Options struct {
	// MaxBytes bounds the estimated memory of pending requests, of sessions, and of the values that
	// adapters keep for them. The least recently used is evicted first. 0 means 64 MiB.
	MaxBytes int

	// Evicted is called at the first eviction only. what begins with "a plan", "a session" or "a
	// request", and names the limit if there is one. It must not block. It may be nil.
	Evicted func(what string)

	// Peers is what is known about the peers at the start.
	Peers Peers
}

// Bounds on parts of the state, far above what peers need. They keep one part from using all of
// MaxBytes.
const (
	MaxRequests  = 1 << 13 // pending ones of a side
	MaxSessions  = 1 << 10
	MaxSessionID = 1 << 10 // bytes; a session with a longer one is not kept
	MaxRequestID = 1 << 10 // bytes; of a request with a longer one only a digest is kept
	maxMethod    = 256     // bytes; a request of a longer one is not kept, and its response passes
	maxRoots     = 64      // of a session
	maxRoot      = 4 << 10 // bytes; no folder has a longer name
)

// A Conversation is the state of one connection. One goroutine at a time may use it and what it
// returns: package dispatch sees to that.
type Conversation struct {
	opts     Options
	observe  func(Event)
	peers    Peers
	answered int // initialize requests with a successful response
	pending  [2]*simplelru.LRU[string, *Request]
	late     [2]*simplelru.LRU[string, struct{}] // ids of requests that ended before their peer responded
	sessions *simplelru.LRU[string, *Session]
	creating int                   // pending requests that make a session with a new id
	opening  map[string]int        // pending requests that open a session, by its id
	prompts  map[string][]*Request // pending prompts, by their session, the first one first
	asked    map[string][]*Request // pending requests of the agent, by their session, the first one first
	size     int                   // estimated bytes of the whole state
	clock    int                   // the number of uses so far: see Session.used and Request.used
	reported bool                  // Options.Evicted was called

	calls     *Slot[*Session, *calls]
	lostCalls bool // nothing is known about the calls of sessions without calls

	// waiting has the number of pending requests of each side, and how many of them are not
	// prompts. It is read for each line.
	waiting [2]struct{ all, others int }
}

// New returns the Conversation of a new connection.
func New(o Options) *Conversation {
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	c := &Conversation{opts: o, peers: o.Peers, observe: func(Event) {}, opening: map[string]int{}, prompts: map[string][]*Request{}, asked: map[string][]*Request{}}
	for i := range c.pending {
		c.pending[i], _ = simplelru.NewLRU(MaxRequests, func(_ string, r *Request) { c.requestEnded(r) })
		c.late[i], _ = simplelru.NewLRU[string, struct{}](MaxRequests, nil) // ids have at most 128 bytes: 2 MB of a side
	}
	c.calls = NewSlot[*Session, *calls](c)
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
	PeersChanged   EventKind = iota // initialize or its response said more about the peers
	Negotiated                      // see [Conversation.Negotiate]
	RequestBegan                    // a request is pending
	RequestEnded                    // a request is not pending any more, for whatever reason; the last event about it
	SessionRemoved                  // a session is forgotten: it was closed or evicted, or the peers started again
	WantsChanged                    // see [Conversation.ChangeWants]
)

// Observe makes f the observer, which is called for each change. Call it before the conversation is
// used.
func (c *Conversation) Observe(f func(Event)) { c.observe = f }

// ChangeWants makes the dispatcher ask all adapters again which messages they want.
func (c *Conversation) ChangeWants() { c.observe(Event{Kind: WantsChanged}) }

// MaxBytes returns [Options].MaxBytes, or its default.
func (c *Conversation) MaxBytes() int { return c.opts.MaxBytes }

// Busy reports whether a prompt is pending.
func (c *Conversation) Busy() bool {
	return len(c.prompts) > 0
}

// weigh adds to the size of a session; more may be negative. Over the bound it evicts sessions and
// requests, perhaps this one.
func (c *Conversation) weigh(s *Session, more int) {
	if s.Evicted || more == 0 {
		return
	}
	s.size += more
	c.size += more
	c.trim()
}

// Evict reports an eviction to [Options].Evicted, the first time.
func (c *Conversation) Evict(what string) {
	if c.reported {
		return
	}
	c.reported = true
	if c.opts.Evicted != nil {
		c.opts.Evicted(what)
	}
}

// Size returns the estimated bytes of the whole state.
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
