package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"acpshim/internal/frames"
)

// A stream is one of a connection over HTTP.
type stream struct {
	session string        // "" is that of the connection
	ready   chan struct{} // closed when the server has answered
	status  atomic.Int64  // that it answered, 0 if it did not answer with a stream
	last    string        // the Last-Event-ID
	heard   atomic.Int64  // when something last came, in Unix nanoseconds; 0: we do not listen
}

const (
	quiet     = 100 * time.Millisecond // no replay goes on after that
	maxReplay = time.Minute
	retryMin  = 250 * time.Millisecond
	retryMax  = 15 * time.Second
)

// listen has a stream read, and returns the status that the server answered to that; 0 if it did
// not. A stream that is read already answers at once.
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

// drop forgets a stream: the next message of its session asks for it again.
func (t *streams) drop(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading[s.session] == s {
		delete(t.reading, s.session)
	}
}

// get asks for a stream, and returns its body; nil if the server refuses it.
func (t *streams) get(s *stream) io.ReadCloser {
	ctx, cancel := context.WithCancel(t.ctx)
	late := time.AfterFunc(answerTime, cancel)
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		header.Set("Last-Event-ID", s.last)
	}
	answer, err := t.do(ctx, http.MethodGet, s.session, header, nil)
	if !late.Stop() || err != nil {
		cancel()
		if err == nil {
			answer.Body.Close()
		}
		return nil
	}
	isStream := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
	if s.status.Store(int64(answer.StatusCode)); answer.StatusCode != http.StatusOK || !isStream {
		if answer.StatusCode < 300 {
			s.status.Store(0)
		}
		answer.Body.Close()
		cancel()
		return nil
	}
	s.heard.Store(time.Now().UnixNano())
	return &canceller{answer.Body, cancel}
}

// A canceller is a body whose request is given up when it is closed.
type canceller struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *canceller) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}

// keepReading reads a stream, and asks for it again where that helps.
func (t *streams) keepReading(s *stream, body io.ReadCloser) {
	for pause := retryMin; ; {
		began := time.Now()
		err := t.read(s, body)
		body.Close()
		if s.last == "" && s.session == "" {
			t.cancel(err)
			return
		}
		select { // the whole connection may end now, which says more
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

// read takes in the events of a stream, until it ends.
func (t *streams) read(s *stream, body io.ReadCloser) error {
	watched := &watch{body: body, heard: &s.heard}
	events := frames.NewEvents(watched)
	events.ID = s.last
	stop := make(chan struct{})
	defer close(stop)
	var isAlive atomic.Bool // the server keeps the stream open by comments
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
		s.heard.Store(0) // while the client does not take it, we do not listen
		if line := frames.OneLine(data); len(line) > 0 {
			t.hear(line, s.session)
		}
		s.heard.Store(time.Now().UnixNano())
	}
}

// A watch notes when something was read.
type watch struct {
	body     io.Reader
	heard    *atomic.Int64
	comments func()
	isSilent atomic.Bool
}

func (w *watch) Read(p []byte) (int, error) {
	w.comments()
	n, err := w.body.Read(p)
	w.heard.Store(time.Now().UnixNano())
	return n, err
}

// awaitSilence waits until nothing has come on the stream of a session for a moment.
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
