package conversation

import (
	"bytes"
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A Request is a pending request, or one whose response is being handled.
type Request struct {
	From    Side
	ID      []byte   // raw; nil if it is too long to be kept
	Method  string   // as corrected by adapters
	Asked   string   // as its sender sent it
	Session string   // params.sessionId; empty if it is missing or too long
	Roots   []string // cwd and additionalDirectories, if it opens a session
	Client  *Peer    // of initialize: the client; nil if that cannot be read
	Agent   *Peer    // of initialize: the agent, after [Conversation.Negotiate]

	// Announced is for initialize: see Conversation.Announce.
	Announced bool

	// IsCancelled is for a prompt: the client has cancelled its turn, see Conversation.Cancel.
	IsCancelled bool

	Line int64 // wire.Change.Number of the request; 0 if it was not held

	id     string // the key of its id: at most 128 bytes, see wire.ID
	used   int    // the conversation's clock when the request began
	stage  stage
	isLate bool // acpshim has responded to it, and its receiver still may
	isOpen bool // it creates or opens a session, and has a response
	fails  bool // it was refused, and its session is not open
	values slots
}

// Creates reports whether the response names a new session.
func (r *Request) Creates() bool { return r.Method == acp.SessionNew || r.Method == acp.SessionFork }

// Opens reports whether it opens a session that it names: updates wait for the response.
func (r *Request) Opens() bool {
	return r.Session != "" && (r.Method == acp.SessionLoad || r.Method == acp.SessionResume)
}

// Closes reports whether a successful response ends the session.
func (r *Request) Closes() bool {
	return r.Method == acp.SessionClose || r.Method == acp.SessionDelete
}

// IsPrompt reports whether it is a prompt, which begins a turn or waits for one.
func (r *Request) IsPrompt() bool { return r.Method == acp.SessionPrompt }

// IsOfSessions reports whether requests of that method create, open or close a session.
func IsOfSessions(method string) bool {
	r := Request{Method: method, Session: "any"}
	return r.Creates() || r.Opens() || r.Closes()
}

// size returns the estimated bytes of the request, with its slots.
func (r *Request) size() int {
	size := 512 + len(r.id) + len(r.ID) + 2*len(r.Session) + len(r.Method) + rootsSize(r.Roots) + r.values.size
	if r.Client != nil {
		size += len(r.Client.Capabilities)
	}
	return size
}

// Waiting returns the number of pending requests of a side, and how many of them are not prompts.
func (c *Conversation) Waiting(from Side) (all, others int) {
	w := c.waiting[from.Index()]
	return w.all, w.others
}

// Awaits reports whether a request of a side with that method is pending.
func (c *Conversation) Awaits(from Side, method string) bool {
	return slices.ContainsFunc(c.pending[from.Index()].Values(), func(r *Request) bool { return r.Method == method })
}

// AllPending returns the pending requests of a side, in the order in which they began.
func (c *Conversation) AllPending(from Side) []*Request { return c.pending[from.Index()].Values() }

// Pending returns the request of a side with that id, or nil.
func (c *Conversation) Pending(from Side, rawID []byte) *Request {
	if c.waiting[from.Index()].all == 0 {
		return nil
	}
	r, _ := c.pending[from.Index()].Peek(wire.ID(rawID))
	return r
}

// RespondLate takes the step Respond for a request that its receiver has got: a response of the
// receiver then is late.
func (c *Conversation) RespondLate(r *Request) bool {
	isFirst := c.Take(r, Respond)
	r.isLate = r.isLate || isFirst
	return isFirst
}

// IsLate reports whether a response to a request of a side is late: acpshim has responded to it.
func (c *Conversation) IsLate(from Side, rawID []byte) bool {
	return c.late[from.Index()].Contains(wire.ID(rawID))
}

// TakeLate is IsLate for a response that is dropped. The next one of that id is not late.
func (c *Conversation) TakeLate(from Side, rawID []byte) bool {
	if r, ok := c.pending[from.Index()].Peek(wire.ID(rawID)); ok && r.isLate {
		r.isLate = false
		return true
	}
	return c.late[from.Index()].Remove(wire.ID(rawID))
}

// DropLate notes that the receiver's response has come and is dropped, so that none is late.
func (c *Conversation) DropLate(r *Request) { r.isLate = false }

// AwaitLate notes that acpshim has responded to a request, and that its receiver still may.
func (c *Conversation) AwaitLate(r *Request) { r.isLate = true }

// IsPending reports whether a request has not ended.
func (c *Conversation) IsPending(r *Request) bool { return r.isPending() }

// HasLate reports whether a response to a request of a side may be late.
func (c *Conversation) HasLate(from Side) bool { return c.late[from.Index()].Len() > 0 }

// Note adds a pending request. One without an id, or with too long a method, is ignored.
func (c *Conversation) Note(rawID []byte, r Request) {
	c.note(rawID, &r)
}

func (c *Conversation) note(rawID []byte, r *Request) {
	id := wire.ID(rawID)
	if id == "" || len(r.Method) > maxMethod {
		return
	}
	if r.Asked == "" {
		r.Asked = r.Method
	}
	pending := c.pending[r.From.Index()]
	pending.Remove(id)                            // a repeated id names the new request
	if r.Method != acp.SessionRequestPermission { // a late "allow" must not approve another question
		c.late[r.From.Index()].Remove(id)
	}
	if pending.Len() == MaxRequests {
		c.Evict(fmt.Sprintf("a request: at most %d of a peer are kept", MaxRequests))
	}
	r.id, r.used = id, c.tick()
	r.advance(begin)
	if len(rawID) <= MaxRequestID {
		r.ID = bytes.Clone(rawID)
	}
	pending.Add(id, r)
	c.count(r, 1)
	if c.trim(); r.From == Client && r.Opens() {
		c.Session(r.Session).Named = true
	}
	if r.isPending() { // otherwise it was evicted at once
		c.observe(Event{Kind: RequestBegan, Request: r})
	}
}

// requestEnded notes that a request is not pending any more.
func (c *Conversation) requestEnded(r *Request) {
	c.count(r, -1)
	r.advance(end)
	c.observe(Event{Kind: RequestEnded, Request: r}) // with Session.Loaded as the response set it
	r.values.drop()
	if r.isLate {
		c.late[r.From.Index()].Add(r.id, struct{}{})
	}
	if s, ok := c.sessions.Peek(r.Session); ok && c.opening[r.Session] == 0 {
		s.Loaded = false
	}
}

// count adds n to the counts of pending requests that r belongs to; n is 1 or -1.
func (c *Conversation) count(r *Request, n int) {
	c.size += n * r.size()
	w := &c.waiting[r.From.Index()]
	w.all += n
	if !r.IsPrompt() {
		w.others += n
	}
	switch {
	case r.From == Agent:
		list(c.asked, r, n)
	case !r.isOpen:
		c.countKind(r, n)
	}
}

func (c *Conversation) countKind(r *Request, n int) {
	switch {
	case r.Creates():
		c.creating += n
	case r.Opens():
		countBy(c.opening, r.Session, n)
	case r.IsPrompt():
		list(c.prompts, r, n)
	}
}

// Cancel notes that the client cancels the turn of a session: its first pending prompt. The client
// means the turn that runs; an agent that queues prompts may carry out the others. What adapters
// hold of the session is cancelled by the dispatcher.
func (c *Conversation) Cancel(session string) {
	if prompts := c.prompts[session]; len(prompts) > 0 {
		c.cancel(prompts[0])
	}
}

// CancelRequest notes that the client cancels one of its requests, if it is a prompt.
func (c *Conversation) CancelRequest(rawID []byte) {
	if r := c.Pending(Client, rawID); r != nil && r.IsPrompt() {
		c.cancel(r)
	}
}

func (c *Conversation) cancel(r *Request) {
	if r.isPending() {
		r.IsCancelled = true
	}
}

// list adds a request to those of its session, or removes it; n is 1 or -1.
func list(bySession map[string][]*Request, r *Request, n int) {
	all := bySession[r.Session]
	if n > 0 {
		all = append(all, r)
	} else if i := slices.Index(all, r); i >= 0 {
		all = slices.Delete(all, i, i+1)
	}
	if bySession[r.Session] = all; len(all) == 0 {
		delete(bySession, r.Session)
	}
}

// countBy adds to a count, and deletes it at 0.
func countBy(counts map[string]int, name string, n int) {
	if counts[name] += n; counts[name] == 0 {
		delete(counts, name)
	}
}

// Forget notes that a request of a side is not pending any more, because a rule replied or its
// response passed by its head. No adapter handles its response.
func (c *Conversation) Forget(from Side, rawID []byte) {
	c.pending[from.Index()].Remove(wire.ID(rawID))
}
