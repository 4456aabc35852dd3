package frames

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// pipes is a listener for one connection over a net.Pipe, which works in a synctest bubble.
type pipes struct{ conns chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A buffered conn buffers unread bytes, as TCP does.
type buffered struct {
	net.Conn
	parts chan []byte
	part  []byte

	mu   sync.Mutex
	late chan struct{} // closed when reads are to end

	gone  chan struct{}
	leave func()
}

func (b *buffered) Close() error {
	b.leave()
	return b.Conn.Close()
}

func buffer(c net.Conn, parts int) *buffered {
	b := &buffered{Conn: c, parts: make(chan []byte, parts), late: make(chan struct{}), gone: make(chan struct{})}
	b.leave = sync.OnceFunc(func() { close(b.gone) })
	go func() {
		defer close(b.parts)
		for {
			part := make([]byte, 32<<10)
			n, err := c.Read(part)
			if err != nil {
				return
			}
			select {
			case b.parts <- part[:n]:
			case <-b.gone:
				return
			}
		}
	}()
	return b
}

func (b *buffered) Read(p []byte) (int, error) {
	for len(b.part) == 0 {
		b.mu.Lock()
		late := b.late
		b.mu.Unlock()
		select {
		case part, ok := <-b.parts:
			if !ok {
				return 0, net.ErrClosed
			}
			b.part = part
		case <-late:
			return 0, os.ErrDeadlineExceeded
		}
	}
	n := copy(p, b.part)
	b.part = b.part[n:]
	return n, nil
}

// SetReadDeadline ends reads now, as net/http does before a hijack, or never.
func (b *buffered) SetReadDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.late:
		b.late = make(chan struct{})
	default:
	}
	if !t.IsZero() && !t.After(time.Now()) {
		close(b.late)
	}
	return nil
}

func (b *buffered) SetDeadline(t time.Time) error { return b.SetReadDeadline(t) }

// sockets calls talk with the ends of a WebSocket: ours, and that of a peer who only does what it
// says.
func sockets(t *testing.T, stall time.Duration, parts int, talk func(ours *Socket, theirs *websocket.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		l := pipes{make(chan net.Conn, 1)}
		accepted, over := make(chan *websocket.Conn), make(chan struct{})
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				t.Error(err)
			}
			accepted <- conn
			<-over
		})}
		go server.Serve(l)
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			l.conns <- buffer(theirs, parts)
			return ours, nil
		}}}
		ctx, cancel := context.WithCancel(context.Background())
		conns := make(chan *websocket.Conn)
		go func() {
			conn, _, err := websocket.Dial(ctx, "ws://x/", &websocket.DialOptions{HTTPClient: client})
			if err != nil {
				t.Error(err)
			}
			conns <- conn
		}()
		theirs, conn := <-accepted, <-conns
		talk(NewSocket(ctx, conn, stall), theirs)
		cancel()
		conn.CloseNow()
		theirs.CloseNow()
		close(over)
		close(l.conns)
		server.Close()
	})
}

// A peer that sends nothing for a minute, not even a pong, is gone.
func TestASilentPeerIsGone(t *testing.T) {
	sockets(t, 0, 100, func(ours *Socket, _ *websocket.Conn) {
		began := time.Now()
		_, _, err := ours.Read(nil)
		if took := time.Since(began); !errors.Is(err, ErrSilent) || took < SilentTime || took > SilentTime+PingEvery {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// A peer that responds to pings may be silent for long.
func TestAPeerThatAnswersPingsStays(t *testing.T) {
	sockets(t, 0, 100, func(ours *Socket, theirs *websocket.Conn) {
		go theirs.Read(context.Background())
		time.AfterFunc(time.Hour, func() { theirs.Write(context.Background(), websocket.MessageText, []byte("late")) })
		if _, got, err := ours.Read(nil); string(got) != "late" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// A peer that reads nothing for a minute is gone. A slow peer is not.
func TestAPeerThatDoesNotReadIsGone(t *testing.T) {
	sockets(t, StallTime, 1, func(ours *Socket, theirs *websocket.Conn) {
		read := make(chan struct{})
		go func() {
			defer close(read)
			theirs.SetReadLimit(-1)
			_, r, err := theirs.Reader(context.Background())
			for err == nil {
				time.Sleep(time.Second)
				_, err = r.Read(make([]byte, 64<<10))
			}
		}()
		if err := ours.Write(make([]byte, 10*maxFrame)); err != nil {
			t.Errorf("a slow peer: %v", err)
		}
		theirs.CloseNow()
		<-read
	})
	sockets(t, StallTime, 1, func(ours *Socket, _ *websocket.Conn) {
		began := time.Now()
		if err := ours.Write(make([]byte, maxFrame)); !errors.Is(err, ErrStalled) || time.Since(began) != StallTime {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}
