// Package filters decides, line by line, what acpshim changes in the traffic
// between a client and an agent. It is pure: it reads no file and logs
// nothing, what it needs and tells goes through [Options].
//
// This is the plan translation for old clients; docs/design.md has the whole
// flow.
package filters

import (
	"slices"
	"sync"
	"sync/atomic"

	"acpshim/wire"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Options are what a Conversation is given. The zero value has the zero
// Settings, cannot read file plans, sends no requests and reports to nobody.
type Options struct {
	Settings Settings

	// For returns the settings for two peers in place of Settings. It is called
	// with what the client says of itself, and again when the agent has
	// answered. It must not block. What is said for the client in initialize is
	// decided before the agent is known.
	For func(client, agent Implementation) Settings

	// ReadFile returns the text of a file plan. Roots are the absolute folders
	// that the client opened the session with. It has to return at once: the
	// agent's traffic waits for it. With ErrLater the text comes by FileRead;
	// after an error that is context.DeadlineExceeded no other file is read at
	// once.
	ReadFile func(uri string, roots []string) (string, error)

	// Rest is called before files are read for a reader who is to look at them
	// now. It may wait a moment for those that are being written. It may be nil.
	Rest func(files []File)

	// FilesChanged is called when what Files returns may have changed, from the
	// goroutine of either direction, and must not block. It may be nil.
	FilesChanged func()

	Requests Requests

	Events Events
}

// Events are told what a person who debugs wants to know; each may be nil.
// They are called from the goroutine of either direction and must not block.
type Events struct {
	Negotiated func(Negotiation)
	Unreadable func(session string, err error) // a file plan could not be read; the error names it
	Flawed     func(session string, err error) // a document in JSON is not as its format has it; it is shown as far as it can be
	Dropped    func(session string, err error) // a plan update made no sense and the client would refuse it
	Unread     func(err error)                 // a line that was held is no clear JSON and passed as it is: see wire.Parse
}

func (e Events) unread(err error) {
	if err != nil && e.Unread != nil {
		e.Unread(err)
	}
}

// A Conversation is what is known of one connection between a client and an
// agent. Its two ends, FromClient and FromAgent, are each for one goroutine;
// the two may run at the same time.
type Conversation struct {
	opts Options

	// watch is what the agent's lines are peeked at for, kept beside the state
	// below so that a line that concerns nobody takes no lock.
	watch atomic.Uint32

	mu        sync.Mutex // protects the fields below
	handshake handshake
	set       Settings                        // as the handshake settled it
	pending   *simplelru.LRU[string, request] // requests of the client whose answers matter, by wire.ID
	creating  int                             // of them, those that make a session with a new id
	opening   map[string]int                  // of them, those that open a session, by its id
	sessions  *simplelru.LRU[string, *session]
	owing     int  // sessions that owe their reader a document
	changed   bool // what Files returns may have
	size      int  // bytes that the sessions keep
}

// What watch can hold.
const (
	watchAnswers uint32 = 1 << iota // a request is pending whose answer is held
	watchPrompts                    // prompts are pending, and only that they end is to be known
	watchPlans                      // the client is old: plan updates are translated
	watchOwed                       // a document is to be told before the reader is needed
	watchBridge                     // the client is capable: plan updates get both spellings of their id
	watchGates                      // some updates are kept from the client
	watchTools                      // the calls of todo tools become plans

	watchFlags = 1<<8 - 1 // above them stands the number of the handshake
)

// Bounds on what a peer can make a Conversation keep.
const (
	maxPending  = 1 << 16
	maxSessions = 1 << 10
	maxBytes    = 64 << 20
)

// New returns a Conversation in which nothing has been said.
func New(opts Options) *Conversation {
	c := &Conversation{opts: opts, opening: map[string]int{}}
	c.handshake.tracking = true
	c.pending, _ = simplelru.NewLRU(maxPending, func(_ string, r request) {
		if r.creates() {
			c.creating--
		}
		if r.opens() {
			if c.opening[r.session]--; c.opening[r.session] == 0 {
				delete(c.opening, r.session)
			}
		}
	})
	c.sessions, _ = simplelru.NewLRU(maxSessions, func(_ string, s *session) {
		c.owe(s, false)
		c.size -= s.size
		c.changed = true
	})
	return c
}

// FromClient returns the end that sees what the client sends.
func (c *Conversation) FromClient() *FromClient { return &FromClient{c: c} }

// FromAgent returns the end that sees what the agent sends.
func (c *Conversation) FromAgent() *FromAgent { return &FromAgent{c: c} }

// lock takes the state; the returned function gives it back.
func (c *Conversation) lock() (unlock func()) {
	c.mu.Lock()
	return func() {
		c.watch.Store(c.watched())
		changed := c.changed
		c.changed = false
		c.mu.Unlock()
		if changed && c.opts.FilesChanged != nil {
			c.opts.FilesChanged()
		}
	}
}

func (c *Conversation) watched() (w uint32) {
	switch {
	case c.pending.Len() == 0:
	case c.handshake.tracking:
		w |= watchAnswers
	default:
		w |= watchPrompts
	}
	if c.handshake.translating {
		w |= watchPlans
	}
	if c.handshake.bridging {
		w |= watchBridge
	}
	if c.handshake.closed.any() {
		w |= watchGates
	}
	if c.owing > 0 {
		w |= watchOwed
	}
	if len(c.handshake.tools) > 0 {
		w |= watchTools
	}
	return w | c.handshake.number<<8
}

// weigh notes what the session keeps, and forgets the sessions that
// were quiet longest while all keep too much.
func (c *Conversation) weigh(s *session) {
	c.size -= s.size
	s.size = s.board.Size() + s.todos.Size()
	c.size += s.size
	for c.size > maxBytes && c.sessions.Len() > 1 {
		c.sessions.RemoveOldest()
	}
}

// owe notes whether the session owes its reader a document.
func (c *Conversation) owe(s *session, owes bool) {
	if owes && !s.owes {
		c.owing++
	} else if !owes && s.owes {
		c.owing--
	}
	s.owes = owes
}

// Busy reports whether the client waits for the answer to a prompt. It may be
// called from any goroutine.
func (c *Conversation) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.pending.Values(), func(r request) bool { return r.method == "session/prompt" })
}

// session returns the state of the session of that id, which is made if the
// client has not opened it here.
func (c *Conversation) session(id string) *session {
	if s, ok := c.sessions.Get(id); ok {
		return s
	}
	s := &session{id: id}
	c.sessions.Add(id, s)
	return s
}

// ready reports whether the client knows the session, so that something may
// be sent for it: a JetBrains client hangs on updates that come before the
// answer to its session/new.
func (c *Conversation) ready(s *session) bool {
	return c.opening[s.id] == 0 && (s.known || c.creating == 0)
}

// A request is one of the client's that waits for its answer.
type request struct {
	method  string
	session string          // params.sessionId
	roots   []string        // cwd and additionalDirectories
	offer   Negotiation     // of initialize: what the client said, and what we said for it
	shut    map[string]bool // of initialize: the names of the Gates that the client does not announce
}

// creates reports whether the answer names a session not known before.
func (r request) creates() bool { return r.method == "session/new" || r.method == "session/fork" }

// opens reports whether the session can be written to only after the answer.
func (r request) opens() bool { return r.method == "session/load" || r.method == "session/resume" }

// await notes a request of the client.
func (c *Conversation) await(rawID []byte, r request) {
	id := wire.ID(rawID)
	if id == "" {
		return
	}
	c.changed = true
	c.pending.Remove(id) // an id used again names the new request
	c.pending.Add(id, r)
	if r.creates() {
		c.creating++
	}
	if r.opens() {
		c.opening[r.session]++
	}
	switch r.method {
	case "session/load":
		// What is replayed is all there is: the client begins anew, too.
		c.sessions.Remove(r.session)
		c.session(r.session).roots = r.roots
	case "session/resume":
		c.session(r.session).roots = r.roots
	}
}
