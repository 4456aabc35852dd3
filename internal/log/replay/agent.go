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

// Options say how a record is played. The zero value is useful.
type Options struct {
	Original bool          // keep the times between messages
	Wait     time.Duration // the longest wait for a response of the peer; 0 is 5 minutes

	// Note reports what differs from the record. Several goroutines may call it at a time. Nil
	// reports nothing.
	Note func(string)
}

func (o Options) wait() time.Duration { return cmp.Or(o.Wait, 5*time.Minute) }

// note reports what differs from the record.
func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// A turn is a request of the client with the messages that the agent probably sent because of it:
// the response, and the notifications and requests of its session up to the next request.
type turn struct {
	request *history.Message // nil before the first request
	steps   []step
}

// A step is a message of the agent.
type step struct {
	*history.Message
	after []*history.Message // the agent's requests that had their responses before it
}

// A turnReader reads messages as turns.
type turnReader struct {
	opening  *turn           // before the first request
	byMethod byMethod[*turn] // the others
	last     *turn           // of all
	latest   map[string]*turn
	pending  []*turn                      // in order
	of       map[*history.Message]*turn   // by the client's request, and by the agent's
	after    map[*turn][]*history.Message // what the next step of a turn comes after
}

func readTurns(messages []*history.Message) *turnReader {
	r := &turnReader{opening: &turn{}, byMethod: byMethod[*turn]{}, latest: map[string]*turn{}, of: map[*history.Message]*turn{}, after: map[*turn][]*history.Message{}}
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
		r.of[request], r.last = t, t
		if request.Response != nil {
			r.pending = append(r.pending, t)
		}
		if request.Session != "" {
			r.latest[request.Session] = t
		}
	case m.Kind == history.Response && r.of[m.Request] != nil:
		t := r.of[m.Request]
		r.after[t] = append(r.after[t], m.Request)
	}
}

// fromAgent adds a step to the turn that it belongs to.
func (r *turnReader) fromAgent(m *history.Message) {
	t := r.of[m.Request]
	switch {
	case m.Kind != history.Response:
		t = r.choose(m)
		r.of[m] = t
	case t == nil:
		return // to a request that is not in the record
	default:
		r.pending = slices.DeleteFunc(r.pending, func(p *turn) bool { return p == t })
	}
	t.steps = append(t.steps, step{m, r.after[t]})
	delete(r.after, t)
}

// choose is the turn of a notification or request of the agent.
func (r *turnReader) choose(m *history.Message) *turn {
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

// An agent is a server that plays turns.
type agent struct {
	Options
	turns byMethod[*turn]

	writing sync.Mutex
	to      io.Writer
	failed  error

	mu       sync.Mutex
	sessions map[string]string        // the client's sessions, by those of the record
	asked    map[string]chan struct{} // by the id of a request to the client; closed when the response comes
}

// ServeAgent plays the agent of a record to the client at in and out, until in ends. Then it sends
// the rest of the turns that have begun without further waits. A request of the client gets the
// response of the next request of its method in the record, whatever its parameters are, with its
// own id and session. The other messages of the agent after that request in the record come with
// it. A request without a response in the record gets an error.
//
// The error is one of reading or writing.
func ServeAgent(in io.Reader, out io.Writer, messages []*history.Message, o Options) error {
	r := readTurns(messages)
	a := &agent{Options: o, turns: r.byMethod, to: out, sessions: map[string]string{}, asked: map[string]chan struct{}{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var playing sync.WaitGroup
	a.start(ctx, &playing, r.opening, nil)
	err := eachLine(in, func(line []byte) {
		for _, element := range elements(line) {
			a.take(ctx, &playing, element)
		}
	})
	cancel()
	playing.Wait()
	return cmp.Or(err, a.failed)
}

// take takes in a message of the client.
func (a *agent) take(ctx context.Context, playing *sync.WaitGroup, line []byte) {
	msg, err := wire.Parse(line)
	if err != nil {
		a.note("a line of the client cannot be read: %v", err)
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
		if came := a.asked[wire.ID(id)]; came != nil {
			close(came)
			delete(a.asked, wire.ID(id))
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

// refuse responds with an error to a request that the record does not have, or not once more.
func (a *agent) refuse(id []byte, method string) {
	code, message := methodNotFound, fmt.Sprintf("the record has no request %q", method)
	if _, had := a.turns[method]; had {
		code, message = internalError, fmt.Sprintf("the record has no further request %q", method)
	}
	a.note("%s", message)
	a.write(wire.Refusal(id, code, message))
}

// start plays a turn, and returns when everything before its first wait is sent. So responses that
// wait for nothing come in the order of their requests.
func (a *agent) start(ctx context.Context, playing *sync.WaitGroup, t *turn, id []byte) {
	begun := make(chan struct{})
	playing.Go(func() {
		p := playback{agent: a, turn: t, id: id, before: t.request}
		p.play(ctx, sync.OnceFunc(func() { close(begun) }))
	})
	<-begun
}

// A playback is a turn that is being played.
type playback struct {
	*agent
	*turn
	id        []byte           // of the request
	before    *history.Message // the last message
	lines     [][]byte         // to be sent in one write
	responded bool
}

// play sends the messages of the agent in a turn. Steps without a wait between them are sent in one
// write, before the client can respond to the first one. Sent is called after each write.
func (p *playback) play(ctx context.Context, sent func()) {
	for _, s := range p.steps {
		if len(s.after) > 0 {
			p.send(sent)
			for _, request := range s.after {
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

// add takes a step as the next one to be sent.
func (p *playback) add(s step) {
	line := s.JSON
	switch s.Kind {
	case history.Response:
		line, p.responded = respelled(line, p.id, nil), true
	case history.Request:
		p.mu.Lock()
		p.asked[s.ID] = make(chan struct{})
		p.mu.Unlock()
	}
	p.lines, p.before = append(p.lines, line), s.Message
}

// send sends what was added.
func (p *playback) send(sent func()) {
	defer sent()
	var out []byte
	p.mu.Lock()
	for _, line := range p.lines {
		out = append(append(out, respelled(line, nil, p.sessions)...), '\n')
	}
	p.mu.Unlock()
	p.lines = nil
	p.write(out)
}

// pause is the time between two messages, if the times are kept.
func (o Options) pause(before, m *history.Message) time.Duration {
	if !o.Original || before == nil {
		return 0
	}
	return m.Mono - before.Mono
}

// await waits for the client's response to a request of the agent.
func (a *agent) await(ctx context.Context, request *history.Message) {
	a.mu.Lock()
	came := a.asked[request.ID]
	a.mu.Unlock()
	if came == nil {
		return
	}
	select {
	case <-came:
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
