package frames

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

const (
	PingEvery  = 20 * time.Second
	SilentTime = 60 * time.Second // how long a peer may send nothing
	StallTime  = 60 * time.Second // how long a peer may take to read a part of a message
)

// Reasons for the end of a Socket.
var (
	ErrSilent  = errors.New("the other side has sent nothing for 60 seconds")
	ErrStalled = errors.New("the other side has read nothing for 60 seconds")
)

// A Socket is a WebSocket that carries messages. Read is for one goroutine and Write for one. The
// other methods may be called from any goroutine.
type Socket struct {
	Conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelCauseFunc
	heard  atomic.Int64 // when something was last received, in Unix nanoseconds; 0 while nobody reads
	stall  time.Duration
	writes atomic.Bool // a message is being written
}

// NewSocket returns a Socket, and pings the peer until ctx is done. Stall is the timeout for the
// peer to read; 0 for none.
func NewSocket(ctx context.Context, conn *websocket.Conn, stall time.Duration) *Socket {
	conn.SetReadLimit(-1) // Read has a limit of its own
	s := &Socket{Conn: conn, stall: stall}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	go s.keepAlive()
	return s
}

// Done is closed when the connection has ended.
func (s *Socket) Done() <-chan struct{} { return s.ctx.Done() }

// End ends the connection at once. Read and Write return cause.
func (s *Socket) End(cause error) { s.cancel(cause) }

// Read reads a frame. It calls took with the length of each part; an error of took ends Read. Took
// may be nil. Silence counts only while Read waits.
func (s *Socket) Read(took func(n int) error) (kind websocket.MessageType, frame []byte, err error) {
	s.heard.Store(time.Now().UnixNano())
	defer s.heard.Store(0)
	kind, r, err := s.Conn.Reader(s.ctx)
	if err != nil {
		return 0, nil, s.why(err)
	}
	var all bytes.Buffer
	for {
		n, err := io.CopyN(&all, r, 32<<10)
		s.heard.Store(time.Now().UnixNano())
		if n > 0 && took != nil {
			if err := took(int(n)); err != nil {
				return 0, nil, err
			}
		}
		switch {
		case n == 0 && errors.Is(err, io.EOF):
			return kind, all.Bytes(), nil
		case err != nil && !errors.Is(err, io.EOF):
			return 0, nil, s.why(err)
		case all.Len() > MaxMessage:
			return 0, nil, ErrTooLong
		}
	}
}

// why returns the reason for the end of the connection if there is one, and otherwise err.
func (s *Socket) why(err error) error {
	if cause := context.Cause(s.ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// maxFrame is the longest frame that is sent, in bytes. The Rust SDK accepts 16 MiB.
const maxFrame = 1 << 20

// Write sends a message. If it fails, the connection has ended.
func (s *Socket) Write(line []byte) error {
	s.writes.Store(true)
	defer s.writes.Store(false)
	wrote := func() {}
	if s.stall > 0 {
		stalled := time.AfterFunc(s.stall, func() { s.cancel(ErrStalled) })
		defer stalled.Stop()
		wrote = func() { stalled.Reset(s.stall) }
	}
	var err error
	if len(line) <= maxFrame {
		err = s.Conn.Write(s.ctx, websocket.MessageText, line)
	} else {
		err = s.writeParts(line, wrote)
	}
	if err != nil {
		s.cancel(err)
		return s.why(err)
	}
	return nil
}

func (s *Socket) writeParts(line []byte, wrote func()) error {
	w, err := s.Conn.Writer(s.ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(line, maxFrame) {
		if _, err := w.Write(part); err != nil {
			return err
		}
		wrote()
	}
	return w.Close()
}

// keepAlive pings the peer, and ends the connection if it stays silent.
func (s *Socket) keepAlive() {
	tick := time.NewTicker(PingEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		if s.writes.Load() {
			// The ping would wait for the message. If that takes long, the ping would end the
			// connection.
			s.heard.CompareAndSwap(s.heard.Load(), time.Now().UnixNano())
			continue
		}
		go func() {
			ctx, cancel := context.WithTimeout(s.ctx, SilentTime)
			defer cancel()
			if s.Conn.Ping(ctx) == nil {
				if heard := s.heard.Load(); heard != 0 {
					s.heard.CompareAndSwap(heard, time.Now().UnixNano())
				}
			}
		}()
		if heard := s.heard.Load(); heard != 0 && time.Since(time.Unix(0, heard)) >= SilentTime {
			s.cancel(ErrSilent)
			return
		}
	}
}
