package terminals

import (
	"fmt"
	"strconv"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A refusal is the error in a response.
type refusal struct {
	code    int
	message string
}

const (
	invalidParams = -32602
	internalError = -32603
)

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// request responds to a request, now or when its command has started or ended.
func (a *Adapter) request(m *dispatch.Message) {
	var result []byte
	var refused *refusal
	if m.Method == acp.TerminalCreate {
		refused = a.create(m)
	} else {
		result, refused = a.requestTerminal(m)
	}
	switch {
	case refused != nil:
		m.Answer(refused.response(m.ID))
	case result != nil:
		m.Answer(wire.Result(m.ID, result))
	}
}

// requestTerminal handles a request that names a terminal. Both results are nil if the response
// comes later.
func (a *Adapter) requestTerminal(m *dispatch.Message) (result []byte, _ *refusal) {
	id, _ := m.Params().Text("terminalId")
	t := a.find(m.Session).terminal(id)
	switch {
	case t == nil || t.released || t.process == nil:
		return nil, refuse(invalidParams, "there is no terminal %q in the session: it was released, or its session ended", clip(id))
	case m.Method == acp.TerminalOutput:
		result = a.output(t)
	case m.Method != acp.TerminalWaitForExit:
		if result = []byte("{}"); m.Method == acp.TerminalKill {
			t.process.End()
		} else {
			a.release(t)
		}
	case t.exit != nil:
		result = t.exit.result()
	default:
		return nil, a.wait(m, t)
	}
	return result, nil
}

// terminal returns the terminal with an id, or nil.
func (s *session) terminal(id string) *terminal {
	if s != nil {
		for _, t := range s.terminals {
			if t.id == id {
				return t
			}
		}
	}
	return nil
}

// resultSize is about how many bytes a result of terminal/output takes, without the output.
const resultSize = 128

// output returns the result of terminal/output, with as much of the output as may be sent.
func (a *Adapter) output(t *terminal) []byte {
	n := t.limit
	if !a.charge(resultSize) {
		n = 0
	}
	text, truncated := t.process.Output(n)
	for text != "" && !a.charge(wire.QuotedLen(text)) {
		text, truncated = t.process.Output(len(text) / 2)
	}
	b := wire.Quote([]byte(`{"output":`), text)
	b = strconv.AppendBool(append(b, `,"truncated":`...), truncated)
	if t.exit != nil {
		b = append(append(b, `,"exitStatus":`...), t.exit.result()...)
	}
	return append(b, '}')
}

// wait holds a request until its command has ended.
func (a *Adapter) wait(m *dispatch.Message, t *terminal) *refusal {
	h := m.Hold(dispatch.Unlimited)
	if h == nil {
		return refuse(internalError, noRoom)
	}
	a.waits.Put(h.Request, wait{t, h.Because(whyServed)}, 0)
	return nil
}

const noRoom = "acpshim has no room for this request: wait for others to end"

// maxStart is the time that a command has to start.
const maxStart = 30 * time.Second

// create starts a command. The response follows when it has started.
func (a *Adapter) create(m *dispatch.Message) *refusal {
	command, refused := read(m)
	switch {
	case refused != nil:
		return refused
	case a.opts.Start == nil:
		return refuse(internalError, "commands are not run here")
	}
	size := len(m.Line)
	t, refused := a.add(&command, size)
	if refused != nil {
		return refused
	}
	h := m.Hold(maxStart)
	if h == nil {
		a.starting -= size
		a.forget(t)
		return refuse(internalError, noRoom)
	}
	a.waits.Put(h.Request, wait{t, h.Because(whyServed)}, 0)
	request := h.Request // the events live as long as the command, so they must not keep the message
	a.Begin(func() {
		a.opts.Start(command, Events{
			Started: func(p Process, err error) { a.Do(func() { a.started(t, request, size, p, err) }) },
			Grown:   func() { a.Do(func() { a.grow(t) }) },
			Ended:   func(e Exit) { a.Do(func() { a.ended(t, e) }) },
		})
	})
	return nil
}

// add adds a terminal for a command, and completes the command. Size is the size of the request.
func (a *Adapter) add(c *Command, size int) (*terminal, *refusal) {
	of, ok := a.opts.Conversation.Find(c.Session)
	if !ok && conversation.KeptID(c.Session) != "" && (a.opts.Conversation.Creating() || a.opts.Conversation.Opening(c.Session)) {
		of, ok = a.opts.Conversation.Session(c.Session), true
	}
	if !ok {
		return nil, refuse(invalidParams, "there is no session %q", clip(c.Session))
	}
	if roots := a.opts.Conversation.RootsOf(of); c.Dir == "" && len(roots) > 0 {
		c.Dir = roots[0]
	}
	if c.Dir == "" {
		return nil, refuse(invalidParams, "cwd is missing, and the session has no folder")
	}
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{of: of, calls: map[string]*call{}}
	}
	ofSession := 0
	for _, t := range s.terminals {
		if t.text == "" {
			ofSession++
		}
	}
	switch {
	case a.open >= maxOpen || ofSession >= maxOfSession:
		return nil, refuse(internalError, "at most %d terminals of a session and %d in all may be open: release one first", maxOfSession, maxOpen)
	case a.starting > 0 && a.starting+size > maxStarting:
		return nil, refuse(internalError, noRoom)
	}
	a.last++
	t := &terminal{id: a.opts.Prefix + "terminal-" + strconv.Itoa(a.last), session: of, limit: c.Keep, command: commandLine(*c)}
	c.Keep = max(c.Keep, maxShown)
	a.open++
	a.starting += size
	s.terminals = append(s.terminals, t)
	a.keep(s, terminalSize)
	return t, nil
}

// started responds to terminal/create.
func (a *Adapter) started(t *terminal, r *conversation.Request, size int, p Process, err error) {
	a.starting -= size
	w, waits := a.waits.Take(r)
	t.process = p
	var refused *refusal
	switch {
	case err != nil:
		refused = refuse(internalError, "%v", err)
		a.forget(t)
	case t.released:
		refused = refuse(internalError, "the session ended before the command was started")
		p.End()
	case waits && w.held.Answer(wire.Result(wire.Pointer{"id"}.Raw(w.held.Line()), append(wire.Quote([]byte(`{"terminalId":`), t.id), '}'))):
		return
	default:
		a.release(t) // the agent does not get its id
		return
	}
	if waits {
		w.held.Answer(refused.response(wire.Pointer{"id"}.Raw(w.held.Line())))
	}
}

// forget removes a terminal whose command was not started.
func (a *Adapter) forget(t *terminal) {
	a.open--
	t.released = true
	if s, ok := a.sessions.Get(t.session); ok {
		s.remove(t)
		a.keep(s, -terminalSize)
	}
}

// ended responds to the requests that wait for the end of a command.
func (a *Adapter) ended(t *terminal, e Exit) {
	t.exit = &e
	a.grow(t)
	for r, w := range a.waits.All() {
		if w.terminal == t {
			a.waits.Delete(r)
			w.held.Answer(wire.Result(wire.Pointer{"id"}.Raw(w.held.Line()), e.result()))
		}
	}
	if t.released {
		a.close(t)
	}
}

// result returns the result of terminal/wait_for_exit.
func (e Exit) result() []byte {
	if e.Signal != "" {
		return append(wire.Quote([]byte(`{"exitCode":null,"signal":`), e.Signal), '}')
	}
	return fmt.Appendf(nil, `{"exitCode":%d,"signal":null}`, e.Code)
}

func (r *refusal) response(id []byte) []byte { return wire.Refusal(id, r.code, r.message) }

// clip shortens a text for messages.
func clip(text string) string { return text[:min(len(text), 100)] }
