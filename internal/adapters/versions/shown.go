package versions

import "acpshim/internal/chain/conversation"

// A shown is what the client was shown of a session. A client that loads the session shows it anew,
// but only if the agent accepts the load. So acpshim keeps both until the load ends.
type shown struct {
	calls     calls
	terminals terminals
	messages  messages
	work      work // in shown.before only: a subagent has its own
}

// A work is what the client was shown for a subagent.
type work struct {
	shown   []byte // the tool call that stands for the subagent, or nil
	hasCall bool   // a tool call of the agent stands for it
	state   []byte // if the client announces support, raw
}

func (w *shown) size() int {
	if w == nil {
		return 0
	}
	return w.calls.bytes + w.terminals.bytes + w.messages.bytes + len(w.work.shown) + len(w.work.state)
}

func (w *work) isNone() bool { return w.shown == nil && !w.hasCall && w.state == nil }

// eachOf calls f for a session of the client and for those of its subagents. That they are
// subagents stays known whatever f forgets, because the client must not get what they may still
// send.
func (a *Agent) eachOf(root string, f func(of *conversation.Session, s *session)) {
	for of, s := range a.sessions.All() {
		if of.ID == root || s.subagent != nil && s.subagent.root == root {
			delete(a.growing, s)
			f(of, s)
			a.sessions.Put(of, s, s.size())
		}
	}
}

// reset forgets what the client was shown of a session.
func (a *Agent) reset(_ *conversation.Session, s *session) {
	s.begin()
	s.before = nil
}

// begin forgets what the client was shown, and returns it.
func (s *session) begin() (before shown) {
	before, s.shown = s.shown, shown{}
	if s.subagent != nil {
		before.work, s.subagent.work = s.subagent.work, work{}
	}
	return before
}

// setAside keeps what the client was shown of a session, and begins anew.
func (a *Agent) setAside(_ *conversation.Session, s *session) {
	if before := s.begin(); s.before == nil {
		s.before = &before
	}
}

// endLoad forgets what was shown before an accepted load. After a refusal, it counts again, with
// what was shown since.
func (a *Agent) endLoad(of *conversation.Session, s *session, isLoaded bool) {
	if before := s.before; before != nil && !isLoaded {
		before.add(s.shown)
		if s.shown = *before; s.subagent != nil && s.subagent.work.isNone() {
			s.subagent.work = before.work
		}
		a.growing[s] = of.ID // what is not shown yet, if anything
	}
	s.before = nil
}

// add adds what is new in other.
func (w *shown) add(other shown) {
	for _, id := range other.calls.order {
		if of := other.calls.byID[id]; w.calls.byID[id] == nil {
			w.calls.use(id)
			w.calls.byID[id] = of
			w.calls.weigh(of, 0)
			w.calls.bytes += of.bytes + len(of.meta) + len(of.known)
			w.calls.parts += of.bytes
		}
	}
	for id, t := range other.terminals.byID {
		if w.terminals.byID[id] == nil {
			before := w.terminals.use(id).size()
			w.terminals.byID[id] = t
			w.terminals.bytes += t.size() - before
		}
	}
	for _, message := range other.messages.sent {
		*w.messages.of(message.id) = message
	}
	w.messages.last = ""
}
