package remote

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"acpshim/internal/run/frames"

	"github.com/coder/websocket"
)

// A socket is a connection over WebSocket.
type socket struct {
	agent  *Agent
	frames *frames.Socket
	isOurs atomic.Bool // acpshim ends the connection
}

const dialTime = 30 * time.Second

func (s *socket) open(ctx context.Context) error {
	dial, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, resp, err := websocket.Dial(dial, s.agent.o.URL.String(), &websocket.DialOptions{
		HTTPClient: s.agent.client, HTTPHeader: s.agent.o.Header.Clone(),
	})
	switch {
	case err != nil && resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return unexpected(resp)
	case err != nil && resp != nil:
		return errNoWebSocket
	case err != nil:
		return err
	}
	s.frames = frames.NewSocket(ctx, conn, 0)
	s.agent.o.Log.Debug().Str("id", s.agent.hide(resp.Header.Get(connectionID))).Msg("connected")
	return nil
}

func (s *socket) send(m message, _ string) error { return s.frames.Write(m.line) }

func (s *socket) close() {
	if s.isOurs.Swap(true) {
		return
	}
	go func() {
		s.frames.Conn.Close(websocket.StatusNormalClosure, "")
		s.frames.End(context.Canceled)
	}()
}

func (s *socket) serve() error {
	defer s.frames.Conn.CloseNow()
	defer s.frames.End(context.Canceled)
	var joiner frames.Joiner
	for ignored := 0; ; {
		kind, frame, err := s.frames.Read(nil)
		switch {
		case err != nil && s.isOurs.Load():
			return nil
		case err != nil:
			if rest := joiner.Rest(); len(rest) > 0 {
				s.agent.receive(rest, "")
			}
			return err
		case kind != websocket.MessageText:
			if ignored++; ignored == 1 {
				s.agent.o.Log.Warn().Int("bytes", len(frame)).Msg("the server sent a binary frame, which is not a message; acpshim ignores binary frames")
			}
			continue
		}
		for _, line := range joiner.Add(frame) {
			s.agent.receive(line, "")
		}
	}
}
