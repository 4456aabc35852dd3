package terminals

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A refusal is the error that answers a request.
type refusal struct {
	code    int
	message string
}

// Codes of JSON-RPC.
const (
	invalidParams = -32602
	internalError = -32603
	cancelled     = -32800
)

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// answer answers a request about terminals, now or when there is an answer.
func (a *Adapter) answer(m *dispatch.Message) {
	a.opts.Conversation.Forget(dispatch.Agent, m.ID)
	m.Replace() // by nothing
	var result []byte
	var refused *refusal
	if m.Method == create {
		refused = a.create(m)
	} else {
		result, refused = a.about(m)
	}
	switch {
	case refused != nil:
		a.opts.Send(dispatch.Agent, refused.response(m.ID))
	case result != nil:
		a.opts.Send(dispatch.Agent, response(m.ID, result))
	}
}

// about is answer for a request that names a terminal. Both results are nil if it is answered
// later.
func (a *Adapter) about(m *dispatch.Message) (result []byte, _ *refusal) {
	id, _ := m.Params().Text("terminalId")
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	t := a.terminals[id]
	if t == nil || t.removed || t.process == nil || t.session.ID != m.Session {
		return nil, refuse(invalidParams, "there is no terminal %q in the session: it was released, or its session ended", clip(id))
	}
	switch m.Method {
	case output:
		return t.output(), nil
	case waitForExit:
		return t.wait(m.ID)
	case kill:
		t.process.End()
	case release:
		a.remove(t)
	}
	return []byte("{}"), nil
}

// output is the result of terminal/output. The lock is held.
func (t *terminal) output() []byte {
	text, truncated := t.process.Output(t.limit)
	b := wire.Quote([]byte(`{"output":`), text)
	b = strconv.AppendBool(append(b, `,"truncated":`...), truncated)
	if t.exit != nil {
		b = append(append(b, `,"exitStatus":`...), t.exit.result()...)
	}
	return append(b, '}')
}

// wait returns the result of terminal/wait_for_exit, or has it sent when the command ends. The lock
// is held.
func (t *terminal) wait(id []byte) (result []byte, _ *refusal) {
	switch {
	case t.exit != nil:
		return t.exit.result(), nil
	case len(t.waits) == maxWaits:
		return nil, refuse(internalError, "%d requests wait for the exit of terminal %q, which is the limit", maxWaits, t.id)
	case len(id) > maxID:
		return nil, refuse(internalError, "the id of a request that waits has at most %d bytes", maxID)
	}
	t.waits = append(t.waits, bytes.Clone(id))
	return nil, nil
}

// cancel answers a request that waits, which the agent cancels.
func (a *Adapter) cancel(m *dispatch.Message) {
	id := wire.ID(m.Params().Raw("requestId"))
	a.opts.Conversation.Lock()
	var waited []byte
	for _, t := range a.terminals {
		if i := slices.IndexFunc(t.waits, func(raw []byte) bool { return wire.ID(raw) == id }); i >= 0 {
			waited = t.waits[i]
			t.waits = slices.Delete(t.waits, i, i+1)
			break
		}
	}
	a.opts.Conversation.Unlock()
	if waited != nil {
		a.opts.Send(dispatch.Agent, refuse(cancelled, "Request cancelled").response(waited))
		m.Drop()
	}
}

// create has a command started; the response follows when it has.
func (a *Adapter) create(m *dispatch.Message) *refusal {
	command, refused := read(m)
	switch {
	case refused != nil:
		return refused
	case a.opts.Start == nil:
		return refuse(internalError, "commands are not run here")
	}
	a.opts.Conversation.Lock()
	t, refused := a.add(command)
	a.opts.Conversation.Unlock()
	if refused != nil {
		return refused
	}
	id := bytes.Clone(m.ID)
	a.opts.Start(t.command, Events{
		Started: func(p Process, err error) {
			a.opts.Answer(a.started(t, id, p, err))
			if err != nil {
				a.forget(t)
			}
		},
		Grown: func() { a.grown(t) },
		Ended: func(e Exit) { a.ended(t, e) },
	})
	return nil
}

// add adds a terminal for a command. The lock is held.
func (a *Adapter) add(c Command) (*terminal, *refusal) {
	s, ok := a.opts.Conversation.Find(c.Session)
	if !ok && conversation.KeptID(c.Session) != "" && (a.opts.Conversation.Creating() || a.opts.Conversation.Opening(c.Session)) {
		s, ok = a.opts.Conversation.Session(c.Session), true
	}
	if !ok {
		return nil, refuse(invalidParams, "there is no session %q", clip(c.Session))
	}
	if roots := a.opts.Conversation.RootsOf(s); c.Dir == "" && len(roots) > 0 {
		c.Dir = roots[0]
	}
	if c.Dir == "" {
		return nil, refuse(invalidParams, "cwd is missing, and the session has no folder")
	}
	ofSession := 0
	for _, t := range a.terminals {
		if t.session == s && t.text == "" {
			ofSession++
		}
	}
	if all := len(a.terminals) - len(a.gone); all >= maxTerminals || ofSession >= maxOfSession {
		return nil, refuse(internalError, "at most %d terminals of a session and %d in all may be open: release one first", maxOfSession, maxTerminals)
	}
	a.last++
	t := &terminal{id: a.opts.Prefix + "terminal-" + strconv.Itoa(a.last), session: s, limit: c.Keep, command: c}
	t.command.Keep = max(c.Keep, maxShown)
	a.terminals[t.id] = t
	return t, nil
}

// started returns the response to terminal/create.
func (a *Adapter) started(t *terminal, id []byte, p Process, err error) []byte {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if err != nil {
		return refuse(internalError, "%v", err).response(id)
	}
	t.process = p
	if t.removed {
		p.End()
		return refuse(internalError, "the session ended before the command was started").response(id)
	}
	return response(id, append(wire.Quote([]byte(`{"terminalId":`), t.id), '}'))
}

// forget gives up a terminal whose command was not started. It counts until the agent has taken the
// response: so no more goroutines wait for that than there may be terminals.
func (a *Adapter) forget(t *terminal) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	delete(a.terminals, t.id)
}

// ended answers who waits for the end of a command. The terminal counts until the agent has taken
// that.
func (a *Adapter) ended(t *terminal, e Exit) {
	a.opts.Conversation.Lock()
	t.exit = &e
	waits := t.waits
	t.waits = nil
	a.opts.Conversation.Unlock()
	a.grown(t)
	for _, id := range waits {
		a.opts.Answer(response(id, e.result()))
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if t.told = true; t.removed {
		a.bury(t)
	}
}

// result is that of terminal/wait_for_exit.
func (e Exit) result() []byte {
	if e.Signal != "" {
		return append(wire.Quote([]byte(`{"exitCode":null,"signal":`), e.Signal), '}')
	}
	return fmt.Appendf(nil, `{"exitCode":%d,"signal":null}`, e.Code)
}

func response(id, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

func (r *refusal) response(id []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, r.code, wire.Quote(nil, r.message))
}

// clip is the beginning of a text, for messages.
func clip(text string) string { return text[:min(len(text), 100)] }
