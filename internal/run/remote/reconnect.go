package remote

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"

	"github.com/coder/websocket"
)

// Times of a reconnect.
const (
	backoffMin  = time.Second
	backoffMax  = 30 * time.Second
	backoffTime = 10 * time.Minute // for all attempts
)

// mayConnectAgain reports whether a broken connection is made again. It is not if a request is
// pending, because that would be lost.
func (a *Agent) mayConnectAgain(err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.state
	if err == nil || !a.o.Reconnect || s.isOver || s.isClientDone || s.sessions.initialize == nil || len(s.pending)+len(s.streams) > 0 || isMeant(err) {
		return false
	}
	s.transport = nil
	return true
}

// isRefusal reports whether a server rejects this client, and would do so again.
func isRefusal(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.status >= 300 && status.status < 500 && status.status != http.StatusTooManyRequests
}

// isMeant reports whether a server ended the connection on purpose, so that a new one would end,
// too.
func isMeant(err error) bool {
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusProtocolError, websocket.StatusPolicyViolation, websocket.StatusMessageTooBig:
		return true
	}
	return isRefusal(err) || errors.Is(err, frames.ErrTooLong)
}

// reconnect makes a new connection, sends the client's initialize again, and loads the sessions.
func (a *Agent) reconnect(began time.Time) (transport, error) {
	a.o.Log.Warn().Msg("the connection broke; acpshim connects again")
	for pause := backoffMin; ; pause = min(2*pause, backoffMax) {
		select {
		case <-a.ctx.Done():
			return nil, a.ctx.Err()
		case <-time.After(pause):
		}
		t := a.newTransport()
		err := t.open(a.ctx)
		if err == nil {
			var next transport
			if next, err = a.introduce(t); err == nil {
				return next, nil
			}
		}
		if isRefusal(err) || time.Since(began) > backoffTime {
			return nil, err
		}
		a.o.Log.Debug().Err(a.logged(err)).Msg("no new connection yet")
	}
}

// introduce initializes a connection and loads its sessions.
func (a *Agent) introduce(t transport) (transport, error) {
	next := &runningTransport{transport: t, ended: make(chan error, 1)}
	go func() { next.ended <- t.serve() }()
	a.mu.Lock()
	known := a.state.sessions
	a.mu.Unlock()
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"acpshim-initialize","method":"initialize","params":%s}`, known.initialize)
	if err := a.ask(next, line); err != nil {
		t.close()
		return nil, err
	}
	for i, s := range known.open {
		line := s.loads(fmt.Sprintf("acpshim-load-%d", i))
		if !known.canLoad || line == nil {
			a.o.Log.Warn().Str("session", a.hide(s.id)).Msg("the agent cannot load sessions, so this session is lost")
			continue
		}
		a.setLoading(s.id, true)
		err := a.ask(next, line)
		a.setLoading(s.id, false)
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			a.o.Log.Warn().Str("session", a.hide(s.id)).Err(a.logged(err)).Msg("the agent failed to load the session again")
		case err != nil:
			t.close()
			return nil, err
		}
	}
	a.o.Log.Info().Int("sessions", len(known.open)).Msg("connected again")
	a.use(next)
	return next, nil
}

// A runningTransport is a transport whose serve was already called.
type runningTransport struct {
	transport
	ended chan error
}

func (i *runningTransport) serve() error { return <-i.ended }

// A refusal is an error response of the agent.
type refusal struct{ raw []byte }

func (r *refusal) Error() string {
	o, _ := wire.Parse(r.raw)
	text, _ := o.Text("message")
	return fmt.Sprintf("the agent says %q", text)
}

// ask sends a request of acpshim itself and waits for its response.
func (a *Agent) ask(t *runningTransport, line []byte) error {
	m, err := readMessage(line)
	if err != nil {
		return err
	}
	r := request{id: m.id, method: m.method, session: m.session, response: make(chan []byte, 1)}
	a.mu.Lock()
	a.state.pending[wire.ID(m.id)] = r
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.state.pending, wire.ID(m.id))
	}()
	if err := t.send(m, ""); err != nil {
		return err
	}
	select {
	case got := <-r.response:
		o, err := wire.Parse(got)
		if err != nil {
			return err
		}
		if raw := o.Raw("error"); raw != nil {
			return &refusal{raw}
		}
		return nil
	case err := <-t.ended:
		if err == nil {
			err = errEnded
		}
		t.ended <- err
		return err
	case <-time.After(initializeTime):
		return frames.ErrSilent
	}
}

func (a *Agent) setLoading(session string, is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.sessions.loading == nil {
		a.state.sessions.loading = map[string]bool{}
	}
	if is {
		a.state.sessions.loading[session] = true
	} else {
		delete(a.state.sessions.loading, session)
	}
}

// isReplay reports whether a message belongs to the replay of a session that is loaded again. The
// client already has it.
func (a *Agent) isReplay(line []byte, h head) bool {
	if h.id != nil || h.method == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.state.sessions.loading) == 0 {
		return false
	}
	w, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.SessionID != nil })
	return a.state.sessions.loading[string(w.SessionID)]
}
