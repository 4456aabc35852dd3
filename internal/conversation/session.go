package conversation

import (
	"fmt"
	"slices"

	"acpshim/internal/wire"
)

// A Session is the state of one session. Its fields are protected by the conversation's lock.
type Session struct {
	ID      string
	Roots   []string // the folders that the client opened it with
	Known   bool     // to the client: what opens it was answered, or it was sent something of it
	Named   bool     // by the client itself, which has opened it or tries to
	Loaded  bool     // a session/load of it was accepted, and others that open it are pending
	Evicted bool     // it is kept no longer
	IsOver  bool     // it was closed or deleted, or the peers have begun anew

	used   int // the clock when it was used last
	size   int // about how many bytes it takes, with what adapters keep
	values slots
}

// Session returns the session of that id as the one used last, and adds it if it is not kept. The
// lock is held.
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

// Use returns the session of that id as the one used last, if it is kept. The lock is held.
func (c *Conversation) Use(id string) (*Session, bool) {
	s, ok := c.sessions.Get(id)
	if ok {
		s.used = c.tick()
	}
	return s, ok
}

// Find is Use for a look that does not count as a use. The lock is held.
func (c *Conversation) Find(id string) (*Session, bool) { return c.sessions.Peek(id) }

// FindNew is Find for a session that the agent names, perhaps before it has answered the request
// that makes it. The lock is held.
func (c *Conversation) FindNew(id string) (*Session, bool) {
	s, ok := c.Find(id)
	if !ok && c.creating > 0 && KeptID(id) != "" {
		return c.Session(id), true
	}
	return s, ok
}

// Sessions returns all that are kept, the one used last at the end. The lock is held.
func (c *Conversation) Sessions() []*Session { return c.sessions.Values() }

// Remove removes a session. The lock is held.
func (c *Conversation) Remove(s *Session) { c.sessions.Remove(s.ID) }

// Ready reports whether the client knows the id of the session, so that something may be sent for
// it: a JetBrains client hangs on updates that come before the response to its session/new. A
// client that loads or resumes a session has named it itself. The lock is held.
func (c *Conversation) Ready(s *Session) bool {
	return s.Known || s.Named || c.creating == 0
}

// IsOpen reports whether nothing that opens or makes the session, which may not be kept, waits for
// its response. The lock is held.
func (c *Conversation) IsOpen(id string) bool {
	s, ok := c.sessions.Peek(id)
	return c.opening[id] == 0 && (c.creating == 0 || ok && s.Known)
}

// Told notes that the client is sent something of the session, which it knows from now on. While a
// request is pending that opens or makes the session, the response to that decides. The lock is
// held.
func (c *Conversation) Told(s *Session) { s.Known = s.Known || c.IsOpen(s.ID) }

// Opening reports whether a request that opens the session of that id is pending. The lock is
// held.
func (c *Conversation) Opening(id string) bool { return c.opening[id] > 0 }

// Creating reports whether a request that makes a session is pending. The lock is held.
func (c *Conversation) Creating() bool { return c.creating > 0 }

// Prompting reports whether the session has a prompt that is pending. One that names its session
// too late to be seen may be any session's. The lock is held.
func (c *Conversation) Prompting(id string) bool { return c.prompts[id] > 0 || c.prompts[""] > 0 }

// IsTurnOver reports whether the prompts of the session that are pending, one at least, are all
// cancelled. The lock is held.
func (c *Conversation) IsTurnOver(id string) bool { return c.prompts[id] > 0 && c.running[id] == 0 }

// BeginsTurn reports whether r, which is pending, is a prompt that begins a turn: no other prompt
// of its session is under way. The lock is held.
func (c *Conversation) BeginsTurn(r *Request) bool {
	return r.From == Client && r.Prompts() && !r.IsCancelled && c.running[r.Session] == 1
}

// IsLastPrompt reports whether r, a prompt that is pending, is the only one that may be of its
// session. The lock is held.
func (c *Conversation) IsLastPrompt(r *Request) bool {
	return r.Session != "" && c.prompts[r.Session] <= 1 && c.prompts[""] == 0
}

// OnlyPrompt returns the session of all prompts that are pending; ok is false if there are several,
// or it is not known. The lock is held.
func (c *Conversation) OnlyPrompt() (id string, ok bool) {
	if len(c.prompts) == 1 {
		for id = range c.prompts {
		}
	}
	return id, id != ""
}

// RootsOf returns the folders that files of the session are in. One that is being opened has those
// of the requests that open it, or may do so. The lock is held.
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

// open notes that request r, which opens or creates s, was answered with success.
func (c *Conversation) open(s *Session, r *Request) {
	c.weigh(s, rootsSize(r.Roots)-rootsSize(s.Roots))
	s.Known, s.Roots = true, r.Roots
	s.Loaded = s.Loaded || r.isPending && r.Method == "session/load"
}

// sessionSize is about how many bytes a session takes, without what adapters keep of it.
func sessionSize(s *Session) int { return 1024 + 4*len(s.ID) + rootsSize(s.Roots) }

func rootsSize(roots []string) (size int) {
	for _, root := range roots {
		size += 16 + len(root)
	}
	return size
}

// readRoots are the folders that a session is opened with.
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

// KeptID is a session's id, or empty for one that is too long to be kept.
func KeptID(session string) string {
	if len(session) > MaxSessionID {
		return ""
	}
	return session
}
