package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"
	"acpshim/proxy"

	"github.com/coder/websocket"
)

func isUpgrade(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// serveSocket serves a connection over WebSocket.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	var socket *frames.Socket
	c := s.begin(func(line []byte) error { return socket.Write(line) })
	if c == nil {
		s.refuseMore(w)
		return
	}
	defer s.over.Done()
	o := &websocket.AcceptOptions{InsecureSkipVerify: true} // allowOrigin has checked the origin
	if name, ok := s.guard.protocolOf(r); ok {
		o.Subprotocols = []string{name}
	}
	w.Header().Set(connectionID, c.id)
	conn, err := websocket.Accept(w, r, o)
	if err != nil {
		s.Log.Warn().Err(err).Msg("a WebSocket handshake failed")
		c.end()
		return
	}
	defer conn.CloseNow()
	socket = frames.NewSocket(context.Background(), conn, frames.StallTime)
	defer socket.End(context.Canceled)
	read := make(chan struct{})
	go func() {
		defer close(read)
		code, why := closeOf(c.readSocket(socket))
		if c.leave(); code != 0 {
			c.closes(conn, code, why)
		}
	}()
	status, err := c.run()
	if !c.hasLeft() {
		switch {
		case s.isStopping():
			c.closes(conn, websocket.StatusGoingAway, "the server stops")
		case err != nil:
			c.closes(conn, websocket.StatusInternalError, "the agent could not be started")
		case status != proxy.Status{}:
			c.closes(conn, websocket.StatusInternalError, "the agent "+status.String())
		default:
			conn.Close(websocket.StatusNormalClosure, "")
		}
	}
	socket.End(context.Canceled)
	<-read
}

// closes closes a WebSocket, and logs the reason that the client gets.
func (c *connection) closes(conn *websocket.Conn, code websocket.StatusCode, why string) {
	c.log.Warn().Int("code", int(code)).Msg("connection closed: " + why)
	conn.Close(code, why)
}

// closeOf returns the code and the reason to close a WebSocket with, after an error of reading. The
// code is 0 if the client has closed it or has left.
func closeOf(err error) (websocket.StatusCode, string) {
	switch {
	case errors.Is(err, errNoInitialize):
		return websocket.StatusProtocolError, err.Error()
	case errors.Is(err, errFull), errors.Is(err, frames.ErrStalled):
		return websocket.StatusPolicyViolation, err.Error()
	case errors.Is(err, frames.ErrTooLong):
		return websocket.StatusMessageTooBig, err.Error()
	}
	return 0, ""
}

var errNoInitialize = errors.New("the first message is not an initialize request")

// readSocket reads the client's messages, until the connection ends.
func (c *connection) readSocket(socket *frames.Socket) error {
	var joiner frames.Joiner
	taken := 0
	defer func() { c.server.budget.Give(taken) }()
	took := func(n int) error {
		if !c.server.budget.Take(n) {
			return errFull
		}
		taken += n
		return nil
	}
	for isFirst := true; ; {
		kind, frame, err := socket.Read(took)
		switch {
		case err != nil:
			return err
		case kind != websocket.MessageText:
			frame = nil
		}
		for _, line := range joiner.Add(frame) {
			switch {
			case !frames.IsMessage(line):
				if err := socket.Write([]byte(noJSON)); err != nil {
					return err
				}
				continue
			case isFirst && !isInitialize(line):
				return errNoInitialize
			case !c.inbox.Offer(line):
				return errFull
			}
			isFirst = false
		}
		left := len(joiner.Rest()) // of an incomplete message
		c.server.budget.Give(taken - left)
		taken = left
	}
}

// noJSON is the response to a message that cannot be read.
const noJSON = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the message is not a JSON object"}}`

// isInitialize reports whether a message is an initialize request.
func isInitialize(line []byte) bool {
	o, err := wire.Parse(line)
	method, _ := o.Text("method")
	return err == nil && method == acp.Initialize && !wire.IsAbsent(o.Raw("id"))
}
