package remote

import (
	"bytes"
	"io"
	"slices"

	"acpshim/internal/frames"
	"acpshim/internal/wire"
)

// Bounds on what is pending. Servers refuse longer ids.
const (
	maxID    = 1 << 10 // bytes
	maxAsked = 10_000
)

// Write implements proxy.Peer: it takes the client's bytes, which are sent line by line. It waits
// while much waits to be sent.
func (a *Agent) Write(p []byte) (n int, err error) {
	for rest := p; len(rest) > 0; {
		line, after, isWhole := bytes.Cut(rest, []byte("\n"))
		if !a.isLost {
			a.part = append(a.part, line...)
		}
		if len(a.part) > frames.MaxMessage {
			a.refuseLong(a.part)
			a.isLost, a.part = true, nil
		}
		if !isWhole {
			break
		}
		if line := bytes.TrimSpace(a.part); len(line) > 0 && !a.outbox.Push(line) {
			return len(p) - len(rest), io.ErrClosedPipe
		}
		a.isLost, a.part = false, nil
		rest = after
	}
	return len(p), nil
}

// sayAll sends what the client says, until that ends.
func (a *Agent) sayAll() {
	defer close(a.sent)
	for {
		line, err := a.outbox.Next()
		if err != nil {
			break
		}
		a.say(line)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.saidAll = true
	a.closeIfDone()
}

// refuseLong answers a message that is too long to be sent.
func (a *Agent) refuseLong(line []byte) {
	a.o.Log.Warn().Int("limit", frames.MaxMessage).Msg("a message is too long to be sent, and is left out")
	head, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.ID != nil && h.Method != nil })
	if head.ID != nil && head.Method != nil {
		a.inbox.Push(failure(head.ID, "acpshim: the message is longer than 64 MiB", nil))
	}
}

// say sends a line.
func (a *Agent) say(line []byte) {
	switch {
	case !frames.IsMessage(line):
		a.inbox.Push([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the message is not a JSON object on one line, and is not sent"}}`))
	case line[0] != '[':
		a.sayOne(line)
	default:
		for span, err := range wire.EachElement(line) { // servers take no batches
			if err == nil {
				a.sayOne(line[span.Start:span.End])
			}
		}
	}
}

func (a *Agent) sayOne(line []byte) {
	m, err := readMessage(line)
	if err != nil {
		a.inbox.Push([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"acpshim: this is no object, and is not sent"}}`))
		return
	}
	t, stream, why := a.take(m)
	switch {
	case why != "":
		a.inbox.Push(failure(m.id, "acpshim: "+why, nil))
	case t != nil:
		t.send(m, stream) // if it fails, the connection ends
	}
}

// take waits for a connection for a message, and notes the message. Stream is that on which the
// request came that it answers. Why is why the message cannot be sent.
func (a *Agent) take(m message) (t transport, stream, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	isLate := a.state.end != nil // what was noted before has its answer
	if m.isRequest() {
		switch {
		case len(m.id) > maxID:
			return nil, "", "the id is longer than 1024 bytes, which servers refuse"
		case len(a.state.asked) >= maxAsked:
			return nil, "", "10000 requests are already pending"
		}
		if !isLate {
			a.note(m)
		}
		a.begin()
	}
	for !a.state.isOver && (a.state.transport == nil || a.state.initializing && m.method != "initialize") {
		a.changed.Wait() // servers refuse what comes before they have answered initialize
	}
	a.state.initializing = a.state.initializing || m.method == "initialize" && m.isRequest()
	if a.state.isOver {
		if isLate && m.isRequest() {
			a.inbox.PushNow(failure(m.id, "acpshim: "+a.state.end.Text, nil)) // the outbox is bounded, and so is this
		}
		return nil, "", ""
	}
	if m.isResponse() {
		id := wire.ID(m.id)
		stream = a.state.asks[id]
		delete(a.state.asks, id)
	}
	return a.state.transport, stream, ""
}

// note notes that a request is pending. The lock is held.
func (a *Agent) note(m message) {
	r := request{id: m.id, method: m.method, session: m.session}
	if a.o.Reconnect && opens(m.method) || m.method == "initialize" {
		r.params = paramsOf(m.line)
	}
	a.state.asked[wire.ID(m.id)] = r
}

// hear takes in a message of the agent that came on a stream, "" where there is one only. It waits
// until there is room for it.
func (a *Agent) hear(line []byte, stream string) {
	if !frames.IsMessage(line) {
		a.inbox.Push(line)
		return
	}
	if line[0] == '[' {
		for span, err := range wire.EachElement(line) {
			if err == nil {
				a.hearOne(slices.Clone(line[span.Start:span.End]), stream)
			}
		}
		return
	}
	a.hearOne(line, stream)
}

func (a *Agent) hearOne(line []byte, stream string) {
	said := readAnswer(line)
	switch {
	case said.id == nil || said.method == nil && !said.isResponse:
	case said.method != nil:
		a.mu.Lock()
		if len(said.id) <= maxID && len(a.state.asks) < maxAsked {
			a.state.asks[wire.ID(said.id)] = stream
		}
		a.mu.Unlock()
	default:
		r, ok := a.answered(said.id, line)
		switch {
		case r.answer != nil:
			r.answer <- line
			return
		case !ok && string(said.id) != "null":
			a.o.Log.Debug().Msg("dropped a response to a request that is not pending")
			return
		}
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.closeIfDone()
		}()
	}
	if a.isReplay(line, said) {
		return
	}
	a.inbox.Push(line)
}

// refuseAll answers all requests of a session.
func (a *Agent) refuseAll(session, why string) {
	a.mu.Lock()
	var all []message
	for _, r := range a.state.asked {
		if r.session == session && r.answer == nil {
			all = append(all, message{id: r.id, method: r.method})
		}
	}
	a.mu.Unlock()
	for _, m := range all {
		a.refuse(m, why, nil)
	}
}

// pending returns the client's request that a message of the agent answers.
func (a *Agent) pending(line []byte) (r request, ok bool) {
	said := readAnswer(line)
	if said.id == nil || !said.isResponse {
		return r, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok = a.state.asked[wire.ID(said.id)]
	return r, ok
}

// answered notes that a request has its response.
func (a *Agent) answered(id, line []byte) (r request, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok = a.state.asked[wire.ID(id)]; ok {
		delete(a.state.asked, wire.ID(id))
		a.state.sessions.note(r, line)
		if r.method == "initialize" {
			a.state.initializing, a.state.isInitialized = false, true
			a.changed.Broadcast()
		}
	}
	return r, ok
}

// refuse answers a request that the server did not take, unless it is answered already.
func (a *Agent) refuse(m message, why string, data any) {
	if _, isPending := a.answered(m.id, nil); isPending {
		a.inbox.Push(failure(m.id, "acpshim: "+why, data))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closeIfDone()
}
