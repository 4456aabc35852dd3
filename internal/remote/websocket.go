package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"acpshim/internal/frames"

	"github.com/coder/websocket"
)

// A socket is a connection over WebSocket.
type socket struct {
	agent  *Agent
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelCauseFunc
	heard  atomic.Int64 // when something last came, in Unix nanoseconds; 0: we do not listen
	isOurs atomic.Bool  // we end the connection
}

// Times of a connection.
const (
	dialTime   = 30 * time.Second
	pingEvery  = 20 * time.Second
	silentTime = 60 * time.Second // then a peer is gone
)

var errSilent = errors.New("nothing has come from the server for 60 seconds")

func (s *socket) open(ctx context.Context) error {
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	dial, cancel := context.WithTimeout(s.ctx, dialTime)
	defer cancel()
	header := http.Header{}
	for name, values := range s.agent.o.Header {
		header[name] = values
	}
	client := *s.agent.client
	var answer *http.Response
	conn, answer, err := websocket.Dial(dial, s.agent.o.URL.String(), &websocket.DialOptions{HTTPClient: &client, HTTPHeader: header})
	switch {
	case err != nil && answer != nil && answer.StatusCode != http.StatusSwitchingProtocols:
		return statusError(answer)
	case err != nil:
		return err
	}
	conn.SetReadLimit(-1) // ours says more
	s.conn = conn
	s.agent.o.Log.Debug().Str("id", answer.Header.Get("Acp-Connection-Id")).Msg("connected")
	return nil
}

func (s *socket) send(m message, _ string) error {
	err := s.write(m.line)
	if err != nil {
		s.cancel(err)
	}
	return err
}

// maxFrame is what all servers take in one frame; the Rust SDK's takes 16 MiB.
const maxFrame = 8 << 20

func (s *socket) write(line []byte) error {
	if len(line) <= maxFrame {
		return s.conn.Write(s.ctx, websocket.MessageText, line)
	}
	w, err := s.conn.Writer(s.ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(line, maxFrame) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

func (s *socket) close() {
	if s.isOurs.Swap(true) {
		return
	}
	go func() {
		s.conn.Close(websocket.StatusNormalClosure, "")
		s.cancel(context.Canceled)
	}()
}

func (s *socket) serve() error {
	defer s.conn.CloseNow()
	s.heard.Store(time.Now().UnixNano())
	go s.keepAlive()
	var joiner frames.Joiner
	var ignored int
	for {
		kind, frame, err := s.read()
		switch {
		case err != nil && s.isOurs.Load():
			return nil
		case err != nil:
			if rest := joiner.Rest(); len(rest) > 0 {
				s.agent.hear(rest, "")
			}
			if cause := context.Cause(s.ctx); cause != nil && !errors.Is(cause, context.Canceled) {
				return cause
			}
			return err
		case kind != websocket.MessageText:
			if ignored++; ignored == 1 {
				s.agent.o.Log.Warn().Int("bytes", len(frame)).Msg("the server sent a binary frame, which is no message; it and others like it are left out")
			}
			continue
		}
		s.heard.Store(0) // while the client does not take it, we do not listen
		for _, line := range joiner.Add(frame) {
			s.agent.hear(line, "")
		}
		s.heard.Store(time.Now().UnixNano())
	}
}

// read reads a frame.
func (s *socket) read() (websocket.MessageType, []byte, error) {
	kind, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return 0, nil, err
	}
	var frame bytes.Buffer
	for {
		n, err := io.CopyN(&frame, r, 32<<10)
		s.heard.Store(time.Now().UnixNano())
		switch {
		case n == 0 && errors.Is(err, io.EOF):
			return kind, frame.Bytes(), nil
		case err != nil && !errors.Is(err, io.EOF):
			return 0, nil, err
		case frame.Len() > frames.MaxMessage:
			s.conn.Close(websocket.StatusMessageTooBig, "longer than 64 MiB")
			return 0, nil, frames.ErrTooLong
		}
	}
}

// keepAlive asks the server to answer from time to time, and gives it up when it does not.
func (s *socket) keepAlive() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		go func() {
			ctx, cancel := context.WithTimeout(s.ctx, silentTime)
			defer cancel()
			if s.conn.Ping(ctx) == nil && s.heard.Load() != 0 {
				s.heard.Store(time.Now().UnixNano())
			}
		}()
		if heard := s.heard.Load(); heard != 0 && time.Since(time.Unix(0, heard)) >= silentTime {
			s.cancel(errSilent)
			return
		}
	}
}
