package demo

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A Turn is a prompt to the test agent, until its response.
type Turn struct {
	Session string
	Cwd     string // of the session; "" if the agent does not know it
	agent   *agent
	asks    bool // the client announces forms

	once      sync.Once
	cancelled chan struct{} // closed by session/cancel
}

// Patience is how long the agent waits for the responses to its requests after session/cancel.
const Patience = 5 * time.Second

func (t *Turn) cancel() { t.once.Do(func() { close(t.cancelled) }) }

// IsOver reports whether nothing more is sent in this turn, because the client has cancelled it or
// closed the connection.
func (t *Turn) IsOver() bool {
	select {
	case <-t.cancelled:
	case <-t.agent.closed:
	default:
		return false
	}
	return true
}

// Notify sends a notification, unless the turn is over.
func (t *Turn) Notify(method string, params []byte) {
	if !t.IsOver() {
		t.agent.notify(method, params)
	}
}

// Call sends a request, unless the turn is over. It waits until the response has come, the turn is
// over, or the limit; 0 is no limit. It returns the response's line, or nil if none came.
func (t *Turn) Call(method string, params []byte, limit time.Duration) []byte {
	if t.IsOver() {
		return nil
	}
	id, done := t.agent.request(method, params)
	var due <-chan time.Time
	if limit > 0 {
		due = time.After(limit)
	}
	cancelled := t.cancelled
	for {
		select {
		case line := <-done:
			if method == acp.SessionRequestPermission && bytes.Contains(line, []byte(`"`+acp.OutcomeCancelled+`"`)) {
				t.sleep(time.Second) // some clients send session/cancel only after that
			}
			return line
		case <-t.agent.closed:
			return nil
		case <-cancelled:
			cancelled, due = nil, time.After(Patience)
		case <-due:
			if t.agent.checker != nil {
				t.agent.checker.Overdue(id)
			}
			return nil
		}
	}
}

// play plays the scenes that a prompt names, responds to it, and plays what comes late.
func (t *Turn) play(id []byte, prompt string) {
	var afterwards string
	t.check("")
	for _, scene := range named(strings.Fields(prompt)) {
		data := strings.NewReplacer("SESSION", quote(t.Session), "PROMPT", quote(prompt), "PLANFILE", quote(t.agent.planFile)).Replace(string(scene.Data))
		if scene.Name == late {
			afterwards = data
			continue
		}
		t.playLines(data)
		if scene.Name == wait {
			t.sleep(0)
		}
		t.check(scene.Name)
	}
	stop := acp.StopEndTurn
	select {
	case <-t.agent.closed:
		return
	case <-t.cancelled:
		stop = acp.StopCancelled
	default:
	}
	t.agent.end(t, wire.Result(id, []byte(`{"stopReason":"`+stop+`"}`)))
	if afterwards != "" && stop == acp.StopEndTurn && t.sleep(100*time.Millisecond) {
		t.playLines(afterwards)
	}
}

// check lets the checker play its part.
func (t *Turn) check(scene string) {
	if t.agent.checker != nil {
		t.agent.checker.Play(t, scene)
	}
}

// sleep waits until the turn is over, or for a while; 0 is for ever. It reports whether the turn is
// not over.
func (t *Turn) sleep(d time.Duration) bool {
	var due <-chan time.Time
	if d > 0 {
		due = time.After(d)
	}
	select {
	case <-t.cancelled:
	case <-t.agent.closed:
	case <-due:
		return true
	}
	return false
}

// playLines sends the lines of a scene. It ignores that the client does not know a request.
func (t *Turn) playLines(data string) {
	for line := range strings.Lines(data) {
		params := []byte(strings.TrimSpace(line))
		switch o, _ := wire.Parse(params); {
		case o.Get("options") != nil:
			t.Call(acp.SessionRequestPermission, params, 0)
		case o.Get("requestedSchema") == nil:
			t.Notify(acp.SessionUpdate, params)
		case t.asks || t.agent.checker == nil:
			t.Call(acp.ElicitationCreate, params, 0)
		}
	}
}
