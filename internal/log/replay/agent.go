package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// Options say how a record is played. The zero value is ready for use.
type Options struct {
	Original bool          // keep the recorded times between messages
	Wait     time.Duration // the timeout for a response of the peer; 0 means 5 minutes

	// Note is called with a difference from the record, by several goroutines at a time. It may be
	// nil.
	Note func(string)
}

func (o Options) wait() time.Duration { return cmp.Or(o.Wait, 5*time.Minute) }

// note reports a difference from the record.
func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// A turn is a request of the client and the messages that the agent probably sent because of it:
// the response, and the notifications and requests in its session up to the next request.
type turn struct {
	request *history.Message // nil before the first request
	steps   []step
}

// A step is a message of the agent.
type step struct {
	*history.Message
	awaited []*history.Message // the agent's requests whose responses come before it in the record
}

// A turnReader groups messages into turns.
type turnReader struct {
	opening  *turn                        // the messages before the first request
	byMethod queues[*turn]                // all other turns
	last     *turn                        // the latest turn
	latest   map[string]*turn             // by session
	pending  []*turn                      // turns without a response, in order
	turns    map[*history.Message]*turn   // by the requests of both peers
	awaited  map[*turn][]*history.Message // for the next step of a turn
}

func readTurns(messages []*history.Message) *turnReader {
	r := &turnReader{opening: &turn{}, byMethod: queues[*turn]{}, latest: map[string]*turn{}, turns: map[*history.Message]*turn{}, awaited: map[*turn][]*history.Message{}}
	r.last = r.opening
	for _, m := range messages {
		switch {
		case !isPlayed(m):
		case m.Message.Dir == record.Client:
			r.fromClient(m)
		default:
			r.fromAgent(m)
		}
	}
	return r
}

// fromClient begins a turn, or notes a response to the agent.
func (r *turnReader) fromClient(m *history.Message) {
	switch {
	case m.Kind == history.Request:
		request := original(m)
		t := &turn{request: request}
		r.byMethod[m.Method] = append(r.byMethod[m.Method], t)
		r.turns[request], r.last = t, t
		if request.Response != nil {
			r.pending = append(r.pending, t)
		}
		if request.Session != "" {
			r.latest[request.Session] = t
		}
	case m.Kind == history.Response && r.turns[m.Request] != nil:
		t := r.turns[m.Request]
		r.awaited[t] = append(r.awaited[t], m.Request)
	}
}

// fromAgent adds a step to its turn.
func (r *turnReader) fromAgent(m *history.Message) {
	t := r.turns[m.Request]
	switch {
	case m.Kind != history.Response:
		t = r.turnOf(m)
		r.turns[m] = t
	case t == nil:
		return // the request is not in the record
	default:
		r.pending = slices.DeleteFunc(r.pending, func(p *turn) bool { return p == t })
	}
	t.steps = append(t.steps, step{m, r.awaited[t]})
	delete(r.awaited, t)
}

// turnOf returns the turn of a notification or request of the agent: the latest pending one of the
// session, or else the latest one.
func (r *turnReader) turnOf(m *history.Message) *turn {
	for _, t := range slices.Backward(r.pending) {
		if m.Session == "" || t.request.Session == m.Session {
			return t
		}
	}
	if t := r.latest[m.Session]; t != nil && m.Session != "" {
		return t
	}
	return r.last
}

// An agent plays turns to a client.
type agent struct {
	Options
	turns queues[*turn]

	writing sync.Mutex
	to      io.Writer
	failed  error

	mu       sync.Mutex
	sessions map[string]string        // the client's session ids by those of the record
	waiting  map[string]chan struct{} // by the id of a request to the client; closed on its response
}

// ServeAgent plays the agent of a record to the client at in and out, until in ends. Then it sends
// the rest of the turns that have begun, without pauses. It returns when all goroutines have ended.
//
// A request of the client gets the response of the next request of its method in the record, with
// its own id and session. Its parameters do not matter. The agent's other messages after that
// request come with the response. A request without a response in the record gets an error.
//
// The error is one of reading or writing.
func ServeAgent(in io.Reader, out io.Writer, messages []*history.Message, o Options) error {
	r := readTurns(messages)
	a := &agent{Options: o, turns: r.byMethod, to: out, sessions: map[string]string{}, waiting: map[string]chan struct{}{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var playing sync.WaitGroup
	a.start(ctx, &playing, r.opening, nil)
	err := eachLine(in, func(line []byte) {
		for _, element := range elements(line) {
			a.receive(ctx, &playing, element)
		}
	})
	cancel()
	playing.Wait()
	return cmp.Or(err, a.failed)
}

// receive handles a message of the client.
func (a *agent) receive(ctx context.Context, playing *sync.WaitGroup, line []byte) {
	msg, err := wire.Parse(line)
	if err != nil {
		a.note("cannot read a line of the client: %v", err)
		return
	}
	id := msg.Raw("id")
	method, isMethod := msg.Text("method")
	switch {
	case isMethod && id != nil:
		a.request(ctx, playing, line, method, bytes.Clone(id))
	case !isMethod:
		a.mu.Lock()
		defer a.mu.Unlock()
		if responded := a.waiting[wire.ID(id)]; responded != nil {
			close(responded)
			delete(a.waiting, wire.ID(id))
		}
	}
}

// request plays the next turn of a method.
func (a *agent) request(ctx context.Context, playing *sync.WaitGroup, line []byte, method string, id []byte) {
	t, ok := a.turns.next(method)
	if !ok {
		a.refuse(id, method)
		return
	}
	if now, then := session(line), session(t.request.JSON); now != "" && then != "" {
		a.mu.Lock()
		a.sessions[then] = now
		a.mu.Unlock()
	}
	a.start(ctx, playing, t, id)
}

// refuse responds with an error to a request that the record does not have, or does not have again.
func (a *agent) refuse(id []byte, method string) {
	code, message := methodNotFound, fmt.Sprintf("the record has no request %q", method)
	if _, had := a.turns[method]; had {
		code, message = internalError, fmt.Sprintf("the record has no further request %q", method)
	}
	a.note("%s", message)
	a.write(wire.Refusal(id, code, message))
}

// start plays a turn in a goroutine. It returns when everything before its first pause is sent, so
// that responses without pauses come in the order of their requests.
func (a *agent) start(ctx context.Context, playing *sync.WaitGroup, t *turn, id []byte) {
	begun := make(chan struct{})
	playing.Go(func() {
		p := playback{agent: a, turn: t, id: id, before: t.request}
		p.play(ctx, sync.OnceFunc(func() { close(begun) }))
	})
	<-begun
}

// A playback plays a turn.
type playback struct {
	*agent
	*turn
	id        []byte           // the id of the request
	before    *history.Message // the previous message
	lines     [][]byte         // the next write
	responded bool
}

// play sends the agent's messages in a turn. It sends steps without a pause between them in one
// write, before the client can respond to the first one. It calls sent after each write.
func (p *playback) play(ctx context.Context, sent func()) {
	for _, s := range p.steps {
		if len(s.awaited) > 0 {
			p.send(sent)
			for _, request := range s.awaited {
				p.await(ctx, request)
				p.before = request.Response
			}
		}
		if pause := p.pause(p.before, s.Message); pause > 0 {
			p.send(sent)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		p.add(s)
	}
	if p.turn.request != nil && !p.responded {
		p.note("the record has no response to %q", p.turn.request.Method)
		p.lines = append(p.lines, failure(p.id, internalError, "the record has no response to this request"))
	}
	p.send(sent)
}

// add adds a step to the next write.
func (p *playback) add(s step) {
	line := s.JSON
	switch s.Kind {
	case history.Response:
		line, p.responded = withIDs(line, p.id, nil), true
	case history.Request:
		p.mu.Lock()
		p.waiting[s.ID] = make(chan struct{})
		p.mu.Unlock()
	}
	p.lines, p.before = append(p.lines, line), s.Message
}

// send writes the added steps.
func (p *playback) send(sent func()) {
	defer sent()
	var out []byte
	p.mu.Lock()
	for _, line := range p.lines {
		out = append(append(out, withIDs(line, nil, p.sessions)...), '\n')
	}
	p.mu.Unlock()
	p.lines = nil
	p.write(out)
}

// pause returns the time between two messages, or 0 without Options.Original.
func (o Options) pause(before, m *history.Message) time.Duration {
	if !o.Original || before == nil {
		return 0
	}
	return m.Mono - before.Mono
}

// await waits for the client's response to a request of the agent, or until the timeout.
func (a *agent) await(ctx context.Context, request *history.Message) {
	a.mu.Lock()
	responded := a.waiting[request.ID]
	a.mu.Unlock()
	if responded == nil {
		return
	}
	select {
	case <-responded:
	case <-ctx.Done():
	case <-time.After(a.wait()):
		a.note("the client did not respond to %q within %v", request.Method, a.wait())
	}
}

func (a *agent) write(b []byte) {
	a.writing.Lock()
	defer a.writing.Unlock()
	if a.failed == nil && len(b) > 0 {
		_, a.failed = a.to.Write(b)
	}
}
