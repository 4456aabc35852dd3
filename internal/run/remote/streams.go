package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"
)

// streams is a connection over streamable HTTP. Each message of the client is a POST. The agent's
// messages come as server-sent events, on one stream for the connection and one for each session.
type streams struct {
	agent  *Agent
	ctx    context.Context
	cancel context.CancelCauseFunc
	over   sync.WaitGroup

	mu      sync.Mutex
	id      string             // Acp-Connection-Id; "" until initialize has its response
	isOurs  bool               // acpshim ends the connection
	reading map[string]*stream // by session; "" for the stream of the connection
}

// Headers of streamable HTTP.
const (
	connectionID = "Acp-Connection-Id"
	sessionID    = "Acp-Session-Id"
)

const (
	responseTime   = 30 * time.Second // for the head of a response
	initializeTime = 5 * time.Minute  // the agent may have to be installed first
	deleteTime     = 2 * time.Second
	maxBody        = 8 << 10 // bytes of an error body for the client
)

func newStreams(a *Agent) *streams { return &streams{agent: a, reading: map[string]*stream{}} }

// open implements transport. The first request makes the connection.
func (t *streams) open(ctx context.Context) error {
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return nil
}

// errOurs is the cause if acpshim ends the connection.
var errOurs = errors.New("we have ended the connection")

func (t *streams) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isOurs {
		return
	}
	t.isOurs = true
	go func() {
		if t.connection() != "" {
			ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
			defer cancel()
			if resp, err := t.do(ctx, http.MethodDelete, "", nil, nil); err == nil {
				resp.Body.Close()
			}
		}
		t.cancel(errOurs)
	}()
}

func (t *streams) serve() error {
	<-t.ctx.Done()
	t.over.Wait()
	if cause := context.Cause(t.ctx); cause != errOurs {
		return cause
	}
	return nil
}

// connection returns the Acp-Connection-Id, or "" if it is not known yet.
func (t *streams) connection() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// do sends a request and returns its response, whose body may still be arriving.
func (t *streams) do(ctx context.Context, method, session string, more http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, t.agent.o.URL.String(), nil)
	if err != nil {
		return nil, err
	}
	for _, header := range []http.Header{t.agent.o.Header, more} {
		for name, values := range header {
			r.Header[name] = values
		}
	}
	if body != nil {
		r.ContentLength = int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
	}
	if id := t.connection(); id != "" {
		r.Header.Set(connectionID, id)
	}
	if session != "" {
		r.Header.Set(sessionID, session)
	}
	return t.agent.client.Do(r)
}

// ofPost are the headers of a POST.
var ofPost = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}

// send implements transport. An error of one request becomes its response; an error of the server
// ends the connection.
func (t *streams) send(m message, stream string) error {
	if m.method == acp.Initialize && t.connection() == "" {
		return t.initialize(m)
	}
	session := m.session
	if m.isResponse() {
		session = stream
	}
	if session != "" {
		switch status := t.listen(session); {
		case status == http.StatusConflict && m.isRequest() && !opens(m.method):
			t.agent.refuse(m, "another client reads this session (409)", nil)
			return nil
		case status == http.StatusNotFound && m.method != "":
			session = "" // the server may know the session only after this message
		}
	}
	status, body, err := t.post(m.line, session, responseTime)
	if err == nil && status == http.StatusNotFound && session != "" {
		status, body, err = t.post(m.line, "", responseTime)
	}
	return t.posted(m, status, body, err)
}

// posted handles the response to a POST.
func (t *streams) posted(m message, status int, body []byte, err error) error {
	switch {
	case err != nil && t.ctx.Err() != nil:
		return err
	case err == nil && status == http.StatusOK && m.isRequest() && frames.IsMessage(frames.OneLine(body)):
		t.receive(frames.OneLine(body), "")
		return nil
	case err == nil && status < 300:
		return nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusGone:
		err = &statusError{status, ""}
		t.cancel(err)
		return err
	case m.isRequest() && err == nil:
		data := map[string]any{"status": status, "body": t.agent.hide(strings.ToValidUTF8(string(body[:min(len(body), maxBody)]), "\ufffd"))}
		t.agent.refuse(m, fmt.Sprintf("the server returned %d %s", status, http.StatusText(status)), data)
		return nil
	case m.isRequest():
		t.agent.refuse(m, fmt.Sprintf("sending the request failed, but the server may have processed it: %v", reasonOf(err)), nil)
		return nil
	case err == nil:
		err = &statusError{status, ""}
	}
	if m.method != "" {
		t.agent.o.Log.Warn().Str("method", m.method).Err(t.agent.logged(err)).Msg("the server did not accept a notification")
		return nil
	}
	t.cancel(err)
	return err
}

// initialize makes the connection by sending the first request.
func (t *streams) initialize(m message) error {
	ctx, cancel := context.WithTimeout(t.ctx, initializeTime)
	defer cancel()
	resp, err := t.do(ctx, http.MethodPost, "", ofPost, m.line)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = unexpected(resp)
	}
	if err != nil {
		t.cancel(err)
		return err
	}
	body, err := readBody(resp)
	id, line := resp.Header.Get(connectionID), frames.OneLine(body)
	t.mu.Lock()
	t.id = id
	t.mu.Unlock()
	if err == nil && !frames.IsMessage(line) {
		err = errNoACP
	}
	if err == nil && id != "" {
		if status := t.listen(""); status == 0 {
			err = errNoStream
		} else if status != http.StatusOK {
			err = &statusError{status, ""}
		}
	}
	if err != nil {
		t.cancel(err)
		return err
	}
	t.agent.o.Log.Debug().Str("id", t.agent.hide(id)).Msg("connected")
	t.receive(line, "")
	if id == "" {
		t.cancel(errNoConnection) // the agent rejected initialize
	}
	return nil
}

// post sends a message and returns the status and the body of the response.
func (t *streams) post(line []byte, session string, within time.Duration) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	resp, err := t.do(ctx, http.MethodPost, session, ofPost, line)
	if err != nil {
		return 0, nil, err
	}
	body, err = readBody(resp)
	if resp.StatusCode >= 300 {
		err = nil // the status is more useful
	}
	return resp.StatusCode, body, err
}

// readBody reads a body to its end and closes it.
func readBody(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, frames.MaxMessage+1))
	if len(body) > frames.MaxMessage {
		err = frames.ErrTooLong
	}
	return body, err
}

// receive takes a message from a stream. The response to session/load comes on the connection's
// stream. It waits until the replay on the session's stream pauses.
func (t *streams) receive(line []byte, on string) {
	r, ok := t.agent.pending(line)
	switch {
	case !ok || !opens(r.method):
		t.agent.receive(line, on)
	case r.method == acp.SessionLoad && on == "":
		t.over.Go(func() {
			t.listen(r.session)
			t.awaitSilence(r.session)
			t.agent.receive(line, on)
		})
	default:
		o, _ := wire.Parse(line, "result")
		session, _ := o.Open("result").Text("sessionId")
		if r.session == "" || session != "" {
			r.session = session
		}
		t.agent.receive(line, on)
		if r.session != "" && o.Get("result") != nil {
			t.over.Go(func() { t.listen(r.session) })
		}
	}
}
