package remote

import (
	"bytes"
	"io"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"
)

// Limits. Servers reject longer ids.
const (
	maxID      = 1 << 10 // bytes
	maxPending = 8_000   // requests in each direction; the run can respond to 8,192 when the connection ends
)

// Write implements proxy.Peer: it queues the client's bytes as lines. It waits while the queue is
// full.
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

// sendAll sends the queued lines, until the queue is closed.
func (a *Agent) sendAll() {
	defer close(a.sent)
	for {
		line, err := a.outbox.Next()
		if err != nil {
			break
		}
		a.sendLine(line)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.isClientDone = true
	a.closeIfDone()
}

// refuseLong responds to a message that is too long to be sent.
func (a *Agent) refuseLong(line []byte) {
	a.o.Log.Warn().Int("limit", frames.MaxMessage).Msg("a message is too long to be sent, and is left out")
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.ID != nil && h.Method != nil })
	if h.ID != nil && h.Method != nil {
		a.inbox.Push(failure(h.ID, "acpshim: the message is longer than 64 MiB", nil))
	}
}

// sendLine sends the messages on a line, because servers accept no batches.
func (a *Agent) sendLine(line []byte) {
	if !frames.IsMessage(line) {
		a.inbox.Push([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the message is not a JSON object on one line, and is not sent"}}`))
		return
	}
	for message := range frames.Messages(line) {
		a.sendMessage(message)
	}
}

func (a *Agent) sendMessage(line []byte) {
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

// take waits for a connection, unless there will be none, and records the message. Stream is the
// stream of the request that a response belongs to. Why is set if the message cannot be sent.
func (a *Agent) take(m message) (t transport, stream, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.isRequest() {
		switch {
		case len(m.id) > maxID:
			return nil, "", "the id is longer than 1024 bytes, which servers refuse"
		case len(a.state.pending) >= maxPending:
			return nil, "", "8000 requests are already pending"
		}
		a.note(m)
		a.begin()
	}
	for !a.state.isOver && (a.state.transport == nil || a.state.initializing && m.method != acp.Initialize) {
		a.changed.Wait() // servers reject other messages before they have responded to initialize
	}
	a.state.initializing = a.state.initializing || m.method == acp.Initialize && m.isRequest()
	if a.state.isOver {
		return nil, "", ""
	}
	if m.isResponse() {
		id := wire.ID(m.id)
		stream = a.state.streams[id]
		delete(a.state.streams, id)
	}
	return a.state.transport, stream, ""
}

// note records a pending request. The lock is held.
func (a *Agent) note(m message) {
	r := request{id: bytes.Clone(m.id), method: m.method, session: m.session} // and not the line
	if a.o.Reconnect && opens(m.method) || m.method == acp.Initialize {
		r.params = bytes.Clone(paramsOf(m.line))
	}
	a.state.pending[wire.ID(m.id)] = r
}

// receive takes a message of the agent from a stream, which is "" if there is only one. It waits
// for room in the inbox.
func (a *Agent) receive(line []byte, stream string) {
	if !frames.IsMessage(line) {
		a.inbox.Push(line)
		return
	}
	for message := range frames.Messages(line) {
		a.receiveMessage(message, stream)
	}
}

func (a *Agent) receiveMessage(line []byte, stream string) {
	h := readHead(line)
	switch {
	case h.id == nil || h.method == nil && !h.isResponse:
	case h.method != nil:
		a.mu.Lock()
		if len(h.id) <= maxID && len(a.state.streams) < maxPending {
			a.state.streams[wire.ID(h.id)] = stream
		}
		a.mu.Unlock()
	default:
		r, ok := a.answered(h.id, line)
		switch {
		case r.response != nil:
			r.response <- line
			return
		case !ok && string(h.id) != "null":
			a.o.Log.Debug().Msg("dropped a response to a request that is not pending")
			return
		}
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.closeIfDone()
		}()
	}
	if a.isReplay(line, h) {
		return
	}
	a.inbox.Push(line)
}

// refuseAll responds to all pending requests of a session.
func (a *Agent) refuseAll(session, why string) {
	a.mu.Lock()
	var all []message
	for _, r := range a.state.pending {
		if r.session == session && r.response == nil {
			all = append(all, message{id: r.id, method: r.method})
		}
	}
	a.mu.Unlock()
	for _, m := range all {
		a.refuse(m, why, nil)
	}
}

// pending returns the client's request that a response belongs to.
func (a *Agent) pending(line []byte) (r request, ok bool) {
	h := readHead(line)
	if h.id == nil || !h.isResponse {
		return r, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok = a.state.pending[wire.ID(h.id)]
	return r, ok
}

// answered removes a request that has its response. Line is the response, or nil.
func (a *Agent) answered(id, line []byte) (r request, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok = a.state.pending[wire.ID(id)]; ok {
		delete(a.state.pending, wire.ID(id))
		if r.response == nil { // a reconnect repeats what the client has sent
			a.state.sessions.note(r, line)
		}
		if r.method == acp.Initialize {
			a.state.initializing, a.state.isInitialized = false, true
			a.changed.Broadcast()
		}
	}
	return r, ok
}

// refuse responds to a request that the server did not accept, unless it has a response.
func (a *Agent) refuse(m message, why string, data any) {
	if _, isPending := a.answered(m.id, nil); isPending {
		a.inbox.Push(failure(m.id, "acpshim: "+why, data))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closeIfDone()
}
