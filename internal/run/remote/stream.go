package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"acpshim/internal/run/frames"
)

// A stream is an event stream of a connection over HTTP.
type stream struct {
	session string        // "" for the stream of the connection
	ready   chan struct{} // closed when the server has responded
	status  atomic.Int64  // of the response; 0 if it is not an event stream
	last    string        // the Last-Event-ID
	heard   atomic.Int64  // when something was last read, in Unix nanoseconds; 0 while nobody reads
}

const (
	quiet     = 100 * time.Millisecond // a replay is over after such a pause
	maxReplay = time.Minute
	retryMin  = 250 * time.Millisecond
	retryMax  = 15 * time.Second
)

// listen reads a stream in the background. It returns the status of the server's response, or 0 if
// that is not an event stream. If the stream is already read, it only returns the status.
func (t *streams) listen(session string) (status int) {
	t.mu.Lock()
	s, isThere := t.reading[session]
	if !isThere {
		s = &stream{session: session, ready: make(chan struct{})}
		t.reading[session] = s
		t.over.Add(1)
	}
	t.mu.Unlock()
	if isThere {
		select {
		case <-s.ready:
		case <-t.ctx.Done():
		}
		return int(s.status.Load())
	}
	body := t.get(s)
	if body == nil {
		t.drop(s)
		t.over.Done()
	} else {
		go func() {
			defer t.over.Done()
			t.keepReading(s, body)
		}()
	}
	close(s.ready)
	return int(s.status.Load())
}

// drop forgets a stream. The next message of its session opens it again.
func (t *streams) drop(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading[s.session] == s {
		delete(t.reading, s.session)
	}
}

// get opens a stream and returns its body, or nil if that fails.
func (t *streams) get(s *stream) io.ReadCloser {
	ctx, cancel := context.WithCancel(t.ctx)
	late := time.AfterFunc(responseTime, cancel)
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		header.Set("Last-Event-ID", s.last)
	}
	resp, err := t.do(ctx, http.MethodGet, s.session, header, nil)
	if !late.Stop() || err != nil {
		cancel()
		if err == nil {
			resp.Body.Close()
		}
		return nil
	}
	isStream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if s.status.Store(int64(resp.StatusCode)); resp.StatusCode != http.StatusOK || !isStream {
		if resp.StatusCode < 300 {
			s.status.Store(0)
		}
		resp.Body.Close()
		cancel()
		return nil
	}
	s.heard.Store(time.Now().UnixNano())
	return &canceller{resp.Body, cancel}
}

// A canceller is a body that cancels its request when it is closed.
type canceller struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *canceller) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}

// keepReading reads a stream, and opens it again if that can help.
func (t *streams) keepReading(s *stream, body io.ReadCloser) {
	for pause := retryMin; ; {
		began := time.Now()
		err := t.read(s, body)
		body.Close()
		if s.last == "" && s.session == "" {
			t.cancel(err)
			return
		}
		select { // if the whole connection ends now, its error says more
		case <-t.ctx.Done():
			return
		case <-time.After(quiet):
		}
		lost := "the server ended the stream of the session"
		if !errors.Is(err, errEnded) {
			text, _ := sentence(reasonOf(err))
			lost = "the stream of the session is lost: " + text
		}
		if s.last == "" {
			t.agent.refuseAll(s.session, lost)
		}
		if pause = min(pause, retryMax); time.Since(began) > retryMax {
			pause = retryMin
		}
		for body = nil; body == nil; pause *= 2 {
			select {
			case <-t.ctx.Done():
				return
			case <-time.After(pause):
			}
			body = t.get(s)
			if status := s.status.Load(); body == nil && (pause > retryMax || status == http.StatusNotFound || status == http.StatusConflict) {
				t.drop(s)
				if t.agent.refuseAll(s.session, lost); s.session == "" {
					t.cancel(err)
				}
				return
			}
		}
	}
}

// read takes the events of a stream, until it ends.
func (t *streams) read(s *stream, body io.ReadCloser) error {
	watched := &watchedBody{body: body, heard: &s.heard}
	events := frames.NewEvents(watched)
	events.ID = s.last
	stop := make(chan struct{})
	defer close(stop)
	var isAlive atomic.Bool // the server sends comments to keep the stream open
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(frames.PingEvery):
			}
			if heard := s.heard.Load(); isAlive.Load() && heard != 0 && time.Since(time.Unix(0, heard)) >= frames.SilentTime {
				watched.isSilent.Store(true)
				body.Close()
			}
		}
	}()
	for {
		watched.comments = func() { isAlive.Store(events.Comments > 0) }
		data, err := events.Next()
		s.last = events.ID
		switch {
		case watched.isSilent.Load():
			return frames.ErrSilent
		case errors.Is(err, io.EOF):
			return errEnded
		case err != nil:
			return err
		}
		s.heard.Store(0) // nobody reads while the client does not
		if line := frames.OneLine(data); len(line) > 0 {
			t.receive(line, s.session)
		}
		s.heard.Store(time.Now().UnixNano())
	}
}

// A watchedBody records when it was last read.
type watchedBody struct {
	body     io.Reader
	heard    *atomic.Int64
	comments func()
	isSilent atomic.Bool
}

func (w *watchedBody) Read(p []byte) (int, error) {
	w.comments()
	n, err := w.body.Read(p)
	w.heard.Store(time.Now().UnixNano())
	return n, err
}

// awaitSilence waits until the stream of a session pauses.
func (t *streams) awaitSilence(session string) {
	for end := time.Now().Add(maxReplay); time.Now().Before(end); {
		t.mu.Lock()
		s := t.reading[session]
		t.mu.Unlock()
		left := quiet
		if s == nil {
			return
		}
		if heard := s.heard.Load(); heard != 0 {
			left = quiet - time.Since(time.Unix(0, heard))
		}
		if left <= 0 {
			return
		}
		select {
		case <-t.ctx.Done():
			return
		case <-time.After(left):
		}
	}
}
