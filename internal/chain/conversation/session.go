package conversation

import (
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A Session is the state of one session.
type Session struct {
	ID      string
	Roots   []string // the folders that the client opened it with
	Known   bool     // to the client: it got the response that opens it, or an update of it
	Named   bool     // by the client, which has opened it or tries to
	Loaded  bool     // a session/load of it was accepted, and others that open it are pending
	Evicted bool     // it was removed to save memory
	IsOver  bool     // it was closed or deleted, or the peers have started again

	used   int // the clock at its last use
	size   int // estimated bytes, with its slots
	values slots
}

// Session returns the session of that id and marks it as used. It adds a new session if the id is
// new.
func (c *Conversation) Session(id string) *Session {
	if s, ok := c.Use(id); ok {
		return s
	}
	if c.sessions.Len() == MaxSessions {
		c.Evict(fmt.Sprintf("a session: at most %d are kept", MaxSessions))
	}
	s := &Session{ID: id, used: c.tick()}
	c.sessions.Add(id, s)
	c.weigh(s, sessionSize(s))
	return s
}

// Use returns the session of that id and marks it as used. It returns nil if the id is unknown.
func (c *Conversation) Use(id string) (*Session, bool) {
	s, ok := c.sessions.Get(id)
	if ok {
		s.used = c.tick()
	}
	return s, ok
}

// Find is Use without marking the session as used.
func (c *Conversation) Find(id string) (*Session, bool) { return c.sessions.Peek(id) }

// FindNew is Find for a session that the agent names, perhaps before its response to the request
// that creates it.
func (c *Conversation) FindNew(id string) (*Session, bool) {
	s, ok := c.Find(id)
	if !ok && c.creating > 0 && KeptID(id) != "" {
		return c.Session(id), true
	}
	return s, ok
}

// Sessions returns all sessions, the most recently used last.
func (c *Conversation) Sessions() []*Session { return c.sessions.Values() }

// Remove removes a session.
func (c *Conversation) Remove(s *Session) { c.sessions.Remove(s.ID) }

// Ready reports whether the client knows the id of the session, so that something may be sent for
// it: a JetBrains client hangs on updates that come before the response to its session/new. A
// client that loads or resumes a session has named it itself.
func (c *Conversation) Ready(s *Session) bool {
	return s.Known || s.Named || c.creating == 0
}

// IsOpen reports whether no request that opens or creates the session is pending. The session need
// not be known.
func (c *Conversation) IsOpen(id string) bool {
	s, ok := c.sessions.Peek(id)
	return c.opening[id] == 0 && (c.creating == 0 || ok && s.Known)
}

// Told notes that the client gets an update of the session, and so knows it. While a request that
// opens or creates the session is pending, its response decides instead.
func (c *Conversation) Told(s *Session) { s.Known = s.Known || c.IsOpen(s.ID) }

// Opening reports whether a request that opens the session of that id is pending.
func (c *Conversation) Opening(id string) bool { return c.opening[id] > 0 }

// Creating reports whether a request that creates a session is pending.
func (c *Conversation) Creating() bool { return c.creating > 0 }

// Prompting reports whether the session may have a pending prompt. A prompt that names its session
// too late in the line may belong to any session.
func (c *Conversation) Prompting(id string) bool {
	return len(c.prompts[id]) > 0 || len(c.prompts[""]) > 0
}

// HasTurn reports whether the session may have a prompt whose response is not on its way yet.
func (c *Conversation) HasTurn(id string) bool {
	isOpen := func(r *Request) bool { return r.stage != answered }
	return slices.ContainsFunc(c.prompts[id], isOpen) || slices.ContainsFunc(c.prompts[""], isOpen)
}

// Prompts returns the pending prompts of a session, the first one first. The list changes with the
// conversation: clone it for a loop that ends requests.
func (c *Conversation) Prompts(id string) []*Request { return c.prompts[id] }

// Questions returns the pending requests of the agent about a session, the first one first. As with
// [Conversation.Prompts], the list changes with the conversation.
func (c *Conversation) Questions(id string) []*Request { return c.asked[id] }

// IsTurnCancelled reports whether the client has cancelled the turn that runs, so that it only
// waits for its end. Prompts that are pending after it may begin other turns.
func (c *Conversation) IsTurnCancelled(id string) bool {
	prompts := c.prompts[id]
	return len(prompts) > 0 && prompts[0].IsCancelled
}

// BeginsTurn reports whether the pending request r is a prompt that begins a turn: its session has
// no earlier pending prompt.
func (c *Conversation) BeginsTurn(r *Request) bool {
	return r.From == Client && r.IsPrompt() && c.prompts[r.Session][0] == r
}

// IsLastPrompt reports whether the pending prompt r is the only one that may belong to its session.
func (c *Conversation) IsLastPrompt(r *Request) bool {
	return r.Session != "" && len(c.prompts[r.Session]) <= 1 && len(c.prompts[""]) == 0
}

// OnlyPrompt returns the session of all pending prompts; ok is false if they belong to several
// sessions, or to an unknown one.
func (c *Conversation) OnlyPrompt() (id string, ok bool) {
	if len(c.prompts) == 1 {
		for id = range c.prompts {
		}
	}
	return id, id != ""
}

// RootsOf returns the folders of the session's files. While a session is being opened, these are
// the folders of all requests that may open it.
func (c *Conversation) RootsOf(s *Session) []string {
	roots := slices.Clone(s.Roots)
	if c.IsOpen(s.ID) {
		return roots
	}
	for _, r := range c.pending[0].Values() {
		if len(roots) < 4*maxRoots && (!s.Known && r.Creates() || r.Opens() && r.Session == s.ID) {
			roots = append(roots, r.Roots...)
		}
	}
	return roots[:min(len(roots), 4*maxRoots)]
}

// open notes that request r, which opens or creates s, has succeeded.
func (c *Conversation) open(s *Session, r *Request) {
	c.weigh(s, rootsSize(r.Roots)-rootsSize(s.Roots))
	s.Known, s.Roots = true, r.Roots
	s.Loaded = s.Loaded || r.isPending() && r.Method == acp.SessionLoad
}

// sessionSize returns the estimated bytes of a session without its slots.
func sessionSize(s *Session) int { return 1024 + 4*len(s.ID) + rootsSize(s.Roots) }

func rootsSize(roots []string) (size int) {
	for _, root := range roots {
		size += 16 + len(root)
	}
	return size
}

// readRoots returns the folders that a session is opened with.
func readRoots(params *wire.Object) []string {
	var roots []string
	if cwd, ok := params.Text("cwd"); ok && len(cwd) <= maxRoot {
		roots = append(roots, cwd)
	}
	more, _ := wire.Elements(params.Raw("additionalDirectories"))
	for _, raw := range more {
		if dir, ok := wire.Text(raw); ok && len(dir) <= maxRoot && len(roots) < maxRoots {
			roots = append(roots, dir)
		}
	}
	return roots
}

// KeptID returns a session's id, or "" if it is too long.
func KeptID(session string) string {
	if len(session) > MaxSessionID {
		return ""
	}
	return session
}
