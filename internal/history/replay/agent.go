package replay

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// Options say how a record is played. The zero value is useful.
type Options struct {
	Original bool          // with the times between messages that there were
	Wait     time.Duration // the longest wait for an answer of the peer; 0 is 5 minutes

	// Note is told what goes otherwise than in the record. It may be called
	// from several goroutines at a time; nil is told nothing.
	Note func(string)
}

func (o Options) wait() time.Duration { return cmp.Or(o.Wait, 5*time.Minute) }

func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// A turn is a request of the client and what the agent sent because of it, as
// far as a record can tell: its answer, and the notifications and requests of
// its session up to the next request.
type turn struct {
	request *history.Message // nil before the first
	steps   []step
}

// A step is a message of the agent.
type step struct {
	*history.Message
	after []*history.Message // the agent's requests that had been answered before it
}

// turns reads messages as turns: what comes before the first request, the
// others by their methods.
func turns(messages []*history.Message) (opening *turn, by byMethod[*turn]) {
	opening, by = &turn{}, byMethod[*turn]{}
	of := map[*history.Message]*turn{}      // by the client's request, and by the agent's
	var open []*turn                        // not answered, in order
	latest := map[string]*turn{}            // by session
	last := opening                         // of all
	gates := map[*turn][]*history.Message{} // what its next step comes after
	choose := func(m *history.Message) *turn {
		for i := len(open) - 1; i >= 0; i-- {
			if m.Session == "" || open[i].request.Session == m.Session {
				return open[i]
			}
		}
		if t := latest[m.Session]; t != nil && m.Session != "" {
			return t
		}
		return last
	}
	for _, m := range messages {
		if !isPlayed(m) {
			continue
		}
		if m.Message.Dir == record.Client {
			switch {
			case m.Kind == history.Request:
				request := asked(m)
				t := &turn{request: request}
				by[m.Method] = append(by[m.Method], t)
				of[request], last = t, t
				if request.Response != nil {
					open = append(open, t)
				}
				if request.Session != "" {
					latest[request.Session] = t
				}
			case m.Kind == history.Response && of[m.Request] != nil:
				gates[of[m.Request]] = append(gates[of[m.Request]], m.Request)
			}
			continue
		}
		t := of[m.Request]
		switch {
		case m.Kind != history.Response:
			t = choose(m)
			of[m] = t
		case t == nil:
			continue // of a request that is not in the record
		default:
			for i := range open {
				if open[i] == t {
					open = append(open[:i:i], open[i+1:]...)
					break
				}
			}
		}
		t.steps = append(t.steps, step{m, gates[t]})
		delete(gates, t)
	}
	return opening, by
}

// An agent is a server that plays turns.
type agent struct {
	Options
	turns byMethod[*turn]

	writing  sync.Mutex // held while lines are made and written
	to       io.Writer
	failed   error
	sessions map[string]string // of the record, by what the client calls them

	waiting sync.Mutex
	asked   map[string]chan struct{} // the requests to the client; closed when answered
}

// ServeAgent plays the agent of a record to the client at in and out, until in
// ends; what is on its way then is sent without further waits. A request of the
// client is answered as the next one of its method was, whatever its parameters
// are, with its own id and session; what the agent sent of its own after that
// request comes at its place. One that the record has no answer to gets an error.
//
// The error is one of reading or writing.
func ServeAgent(in io.Reader, out io.Writer, messages []*history.Message, o Options) error {
	opening, by := turns(messages)
	a := &agent{Options: o, turns: by, to: out, sessions: map[string]string{}, asked: map[string]chan struct{}{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var playing sync.WaitGroup
	a.start(ctx, &playing, opening, nil)
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		for _, element := range elements(line) {
			a.take(ctx, &playing, element)
		}
		if err != nil {
			cancel()
			playing.Wait()
			if !errors.Is(err, io.EOF) {
				return err
			}
			return a.failed
		}
	}
}

// take looks at a message of the client's.
func (a *agent) take(ctx context.Context, playing *sync.WaitGroup, line []byte) {
	msg, err := wire.Parse(line)
	if err != nil {
		if len(line) > 0 {
			a.note("a line of the client cannot be read: %v", err)
		}
		return
	}
	id := msg.Raw("id")
	method, isMethod := msg.Text("method")
	switch {
	case isMethod && id != nil:
		t, ok := a.turns.next(method)
		if !ok {
			a.refuse(id, method)
			return
		}
		if now, then := session(line), session(t.request.JSON); now != "" && then != "" {
			a.writing.Lock()
			a.sessions[then] = now
			a.writing.Unlock()
		}
		a.start(ctx, playing, t, append([]byte(nil), id...))
	case !isMethod:
		a.waiting.Lock()
		if answered := a.asked[wire.ID(id)]; answered != nil {
			close(answered)
			delete(a.asked, wire.ID(id))
		}
		a.waiting.Unlock()
	}
}

func (a *agent) refuse(id []byte, method string) {
	code, message := methodNotFound, fmt.Sprintf("the record has no request %q", method)
	if _, had := a.turns[method]; had {
		code, message = internalError, fmt.Sprintf("the record has no further request %q", method)
	}
	a.note("%s", message)
	a.write(append(failure(id, code, message), '\n'))
}

// start plays a turn, and returns when all that it sends before its first wait
// is sent: answers that wait for nothing come in the order of their requests.
func (a *agent) start(ctx context.Context, playing *sync.WaitGroup, t *turn, id []byte) {
	begun := make(chan struct{})
	playing.Go(func() { a.play(ctx, t, id, sync.OnceFunc(func() { close(begun) })) })
	<-begun
}

// play sends what the agent sent in a turn. Steps with no wait between them
// leave in one write, before the client can answer to the first. Sent is called
// after each write.
func (a *agent) play(ctx context.Context, t *turn, id []byte, sent func()) {
	var lines [][]byte
	send := func() {
		defer sent()
		a.writing.Lock()
		defer a.writing.Unlock()
		var out []byte
		for _, line := range lines {
			out = append(append(out, respelled(line, nil, a.sessions)...), '\n')
		}
		lines = nil
		a.writeLocked(out)
	}
	answered := false
	before := t.request
	for _, s := range t.steps {
		if len(s.after) > 0 {
			send()
			for _, request := range s.after {
				a.await(ctx, request)
				before = request.Response
			}
		}
		if pause := a.pause(before, s.Message); pause > 0 {
			send()
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		line := s.JSON
		switch s.Kind {
		case history.Response:
			line, answered = respelled(line, id, nil), true
		case history.Request:
			a.waiting.Lock()
			a.asked[s.ID] = make(chan struct{})
			a.waiting.Unlock()
		}
		lines, before = append(lines, line), s.Message
	}
	if t.request != nil && !answered {
		a.note("the record has no answer to %q", t.request.Method)
		lines = append(lines, failure(id, internalError, "the record has no answer to this request"))
	}
	send()
}

// pause is the time between two messages, if it is to be kept.
func (o Options) pause(before, m *history.Message) time.Duration {
	if !o.Original || before == nil {
		return 0
	}
	return m.Mono - before.Mono
}

// await waits until the client has answered a request of the agent's.
func (a *agent) await(ctx context.Context, request *history.Message) {
	a.waiting.Lock()
	answered := a.asked[request.ID]
	a.waiting.Unlock()
	if answered == nil {
		return
	}
	select {
	case <-answered:
	case <-ctx.Done():
	case <-time.After(a.wait()):
		a.note("the client did not answer %q within %v", request.Method, a.wait())
	}
}

func (a *agent) write(b []byte) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.writeLocked(b)
}

func (a *agent) writeLocked(b []byte) {
	if a.failed == nil && len(b) > 0 {
		_, a.failed = a.to.Write(b)
	}
}
