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

// Times of a WebSocket.
const (
	PingEvery  = 20 * time.Second
	SilentTime = 60 * time.Second // then a peer is gone
	StallTime  = 60 * time.Second // for a peer to take a part of a message
)

// Causes of the end of a Socket.
var (
	ErrSilent  = errors.New("the other side has sent nothing for 60 seconds")
	ErrStalled = errors.New("the other side has read nothing for 60 seconds")
)

// A Socket is a WebSocket that carries messages. Read is for one goroutine and Write for one; the
// rest is for any.
type Socket struct {
	Conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelCauseFunc
	heard  atomic.Int64 // when something last came, in Unix nanoseconds; 0: nobody reads
	stall  time.Duration
	writes atomic.Bool // a message is being written
}

// NewSocket returns a Socket, which asks the other side to answer from time to time until ctx is
// done. Stall is how long the other side may take nothing; 0 is for ever.
func NewSocket(ctx context.Context, conn *websocket.Conn, stall time.Duration) *Socket {
	conn.SetReadLimit(-1) // Read has one
	s := &Socket{Conn: conn, stall: stall}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	go s.keepAlive()
	return s
}

// Done is closed when the connection has ended.
func (s *Socket) Done() <-chan struct{} { return s.ctx.Done() }

// End ends the connection without a word; cause is the error that Read and Write return.
func (s *Socket) End(cause error) { s.cancel(cause) }

// Read reads a frame. Took is told of each part of it, and ends it with an error; it may be nil.
// Silence counts only while Read waits.
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

// why is what ended the connection, where the error of an operation says less.
func (s *Socket) why(err error) error {
	if cause := context.Cause(s.ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// maxFrame is how much of a message goes into one frame. The Rust SDK takes 16 MiB.
const maxFrame = 1 << 20

// Write sends a message. If that fails, the connection has ended.
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

// keepAlive asks the other side to answer from time to time, and gives it up when it does not.
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
			// A ping would wait for the message, and end the connection when that takes long.
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
