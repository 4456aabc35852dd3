// Package filters decides, line by line, what acpshim changes in the traffic
// between a client and an agent. It is pure: it reads no file and logs
// nothing, what it needs and tells goes through [Options].
//
// This is the plan translation for old clients; docs/design.md has the whole
// flow.
package filters

import (
	"sync"
	"sync/atomic"

	"acpshim/internal/wire"
	"acpshim/translate"
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

	// MaxBytes bounds what is kept of the conversation: plans, todo lists,
	// sessions and open requests, by a count of bytes that is about what they
	// take. What was used longest ago is forgotten first. A session has at most
	// an eighth of it for its plans. 0 is 64 MiB.
	MaxBytes int

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
	Forgotten  func(what string)               // there is more than MaxBytes to keep: plans, a session or a request is forgotten; told once
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
	set       Settings // as the handshake settled it
	kept      *kept
	creating  int            // pending requests that make a session with a new id
	opening   map[string]int // pending requests that open a session, by its id
	prompts   map[string]int // pending prompts, by their session
	owing     int            // sessions that owe their reader a document
	newRoots  []string       // the folders of requests that make a session; nil if they are to be looked up
	credit    int            // how many bytes may be shown and told at questions
	made      int            // bytes of plans that the line in progress has become
	due       bool           // a session's plan waits for the lines that are there at once
	changed   bool           // what Files returns may have
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
	watchDue                        // a plan waits to be shown

	watchFlags = 1<<8 - 1 // above them stands the number of the handshake
)

// New returns a Conversation in which nothing has been said.
func New(opts Options) *Conversation {
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 64 << 20
	}
	c := &Conversation{opts: opts, credit: firstCredit, opening: map[string]int{}, prompts: map[string]int{}}
	c.handshake.tracking = true
	c.kept = newKept(opts.MaxBytes, c.ended, c.left)
	return c
}

// ended notes that a request of the client waits no longer, for whatever reason.
func (c *Conversation) ended(r request) {
	switch {
	case r.creates():
		c.creating--
		c.newRoots = nil
	case r.opens():
		if countDown(c.opening, r.session) == 0 {
			c.settle(r.session)
		}
	case r.method == "session/prompt":
		countDown(c.prompts, r.session)
	}
}

// countDown takes one from a count, which is left out at 0, and returns it.
func countDown(counts map[string]int, name string) int {
	counts[name]--
	n := counts[name]
	if n == 0 {
		delete(counts, name)
	}
	return n
}

// settle decides which plans of a session count, when nothing opens it any more:
// those that were replayed if a load was accepted, else those that were there.
func (c *Conversation) settle(session string) {
	s, ok := c.kept.sessions.Peek(session)
	if !ok || s.replayed == nil {
		return
	}
	if s.loaded {
		s.now, s.shown, s.ours = s.replayed, translate.Digest{}, false
		c.changed = true
	}
	s.replayed, s.loaded = nil, false
	c.kept.count(s)
}

// left notes that a session is known no longer.
func (c *Conversation) left(s *session) {
	c.owe(s, false)
	c.changed = c.changed || len(s.now.files) > 0
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
	case c.kept.requests.Len() == 0:
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
	if c.due {
		w |= watchDue
	}
	return w | c.handshake.number<<8
}

// owe notes whether the session owes its reader a document. One that has left owes
// nobody anything.
func (c *Conversation) owe(s *session, owes bool) {
	owes = owes && !s.left
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
	return len(c.prompts) > 0
}

// session returns the state of the session of that id, which is made if the
// client has not opened it here.
func (c *Conversation) session(id string) *session {
	if s, ok := c.kept.use(id); ok {
		return s
	}
	s := &session{id: id, now: &plans{}}
	c.kept.addSession(s)
	c.tellForgotten()
	return s
}

// weigh counts what the session keeps by now.
func (c *Conversation) weigh(s *session) {
	c.changed = c.kept.weigh(s) || c.changed
	c.tellForgotten()
}

func (c *Conversation) tellForgotten() {
	if what := c.kept.tell(); what != "" && c.opts.Events.Forgotten != nil {
		c.opts.Events.Forgotten(what)
	}
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

// ends reports whether the session is over with a successful answer.
func (r request) ends() bool { return r.method == "session/close" || r.method == "session/delete" }

// await notes a request of the client.
func (c *Conversation) await(rawID []byte, r request) {
	id := wire.ID(rawID)
	if id == "" {
		return
	}
	c.kept.requests.Remove(id) // an id used again names the new request
	c.kept.addRequest(id, r)
	c.tellForgotten()
	if r.creates() {
		c.creating++
		c.newRoots = nil
	}
	if r.method == "session/prompt" {
		c.prompts[r.session]++
		c.changed = c.changed || c.kept.filed > 0
	}
	if !r.opens() {
		return
	}
	s := c.session(r.session)
	c.opening[r.session]++
	if r.method == "session/load" && s.replayed == nil {
		s.replayed = &plans{} // all there will be, if the agent does load it
	}
	c.weigh(s)
}
