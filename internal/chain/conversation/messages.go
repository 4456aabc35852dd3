package conversation

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Ask adds a pending request of a peer. msg is its message, with params opened. For initialize it
// also calls [Conversation.SetClient].
func (c *Conversation) Ask(from Side, method string, msg *wire.Object) {
	c.ask(from, method, msg, "")
}

// Amend replaces a pending request with the corrected one of the same id. Asked stays what the
// sender sent.
func (c *Conversation) Amend(from Side, method string, msg *wire.Object) {
	asked := method
	if r := c.Pending(from, msg.Raw("id")); r != nil {
		asked = r.Asked
	}
	c.ask(from, method, msg, asked)
}

// Announce notes that the initialize request with that id announces plan support to the agent that
// the client did not announce in the same way.
func (c *Conversation) Announce(rawID []byte) {
	if r := c.Pending(Client, rawID); r != nil {
		r.Announced = true
	}
}

func (c *Conversation) ask(from Side, method string, msg *wire.Object, asked string) {
	params := msg.Open("params")
	r := Request{From: from, Method: method, Asked: asked}
	session, _ := params.Text("sessionId")
	r.Session = KeptID(session)
	if r.Creates() || r.Opens() {
		r.Roots = readRoots(params)
	}
	if from == Client && method == acp.Initialize && params != nil {
		client := ReadClient(params)
		if asked == "" {
			c.setClient(client)
		}
		if params.Open(acp.ClientCapabilities) != nil || !wire.IsObject(params.Raw(acp.ClientCapabilities)) {
			r.Client = client // otherwise its capabilities are ambiguous
		}
	}
	c.note(msg.Raw("id"), &r)
}

// Answer handles a response: it updates the session that the request opened, created or closed. msg
// is the message, with result opened. Answer returns the request, or nil if none of that id is
// pending. The request stays pending until the caller calls [Conversation.End] after all adapters
// have handled the response.
func (c *Conversation) Answer(from Side, msg *wire.Object) *Request {
	pending := c.pending[from.Other().Index()]
	id := wire.ID(msg.Raw("id"))
	r, ok := pending.Peek(id)
	if !ok {
		return nil
	}
	result := msg.Open("result")
	if r.From == Agent {
		return r
	}
	refused := !wire.IsAbsent(msg.Raw("error"))
	s, ok := c.Use(r.Session)
	if ok && r.Opens() && !refused {
		c.open(s, r)
	}
	c.opened(r)
	r.fails = ok && c.failed(s, r)
	switch {
	case r.Method == acp.Initialize || r.Asked == acp.Initialize:
		if result != nil {
			c.peers.Agent = ReadAgent(result)
			c.peers.Version = c.peers.Agent.Version
			c.observe(Event{Kind: PeersChanged})
		}
	case r.Creates():
		if id, _ := result.Text("sessionId"); KeptID(id) != "" {
			c.open(c.Session(id), r)
		}
	case r.Closes() && !refused:
		if s, ok := c.Find(r.Session); ok {
			s.IsOver = true
			c.sessions.Remove(s.ID)
		}
	}
	return r
}

// opened notes that a request that creates or opens a session does not wait any more. The request
// may have been evicted because of the session's folders.
func (c *Conversation) opened(r *Request) {
	if r.isPending() && r.From == Client && (r.Creates() || r.Opens()) && !r.isOpen {
		c.countKind(r, -1)
		r.isOpen = true
	}
}

// End notes that a request is not pending any more: adapters have handled its response, or there
// will be none. Observers get RequestEnded before End returns. r may be nil.
func (c *Conversation) End(r *Request) {
	if r == nil {
		return
	}
	c.end(r)
}

func (c *Conversation) end(r *Request) {
	if r.isPending() {
		c.pending[r.From.Index()].Remove(r.id)
	}
	if s, ok := c.Find(r.Session); ok && (r.fails || c.failed(s, r)) {
		c.sessions.Remove(s.ID)
	}
	r.values.drop()
}

// failed reports whether r was the last request that could open s, and was refused. Updates of s
// around a refusal do not open it.
func (c *Conversation) failed(s *Session, r *Request) bool {
	return r.Opens() && !s.Known && c.opening[s.ID] == 0
}

// AnswerUnread is Answer for a response of which only the head can be read. Sessions that wait for
// it then count as open. If the head has no id, every pending request that creates or opens a
// session counts as successful. AnswerUnread ends these requests, except for the last one, which it
// returns: the caller calls [Conversation.End] for it. It returns nil if there was none.
func (c *Conversation) AnswerUnread(from Side, h wire.Head) *Request {
	pending := c.pending[from.Other().Index()]
	if h.ID != nil {
		return c.unread(pending, wire.ID(h.ID))
	}
	var last *Request
	for _, id := range pending.Keys() {
		if r, _ := pending.Peek(id); r.Creates() || r.Opens() {
			if last != nil {
				c.end(last)
			}
			last = c.unread(pending, id)
		}
	}
	return last
}

func (c *Conversation) unread(pending *simplelru.LRU[string, *Request], id string) *Request {
	r, ok := pending.Peek(id)
	if !ok {
		return nil
	}
	for _, s := range c.sessions.Values() {
		if r.From == Client && (r.Opens() && s.ID == r.Session || r.Creates() && !s.Known) {
			c.open(s, r)
		}
	}
	c.opened(r)
	return r
}

// AskByHead is Ask for a request of which only the head is known.
func (c *Conversation) AskByHead(from Side, h wire.Head) {
	c.Note(h.ID, Request{From: from, Method: string(h.Method), Session: KeptID(string(h.SessionID))})
}
