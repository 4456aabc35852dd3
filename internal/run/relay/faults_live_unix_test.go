//go:build unix

package relay_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/run/relay"
	"acpshim/proxy"
)

// A live is a run of a chain, with pipes, queues and timers, between two scripted peers. Its agent
// is a process that relays its input and the lines of the test.
type live struct {
	*testing.T
	toShim *io.PipeWriter // what the client sends
	client *reader        // what it gets

	says    *os.File // what the agent sends
	hears   *os.File // what it gets
	lines   *bufio.Reader
	writing sync.WaitGroup // what is being sent
}

// patient is how long a peer may not read without losing anything. It is longer than every timeout
// in acpshim.
const patient = 6 * time.Second

// startLive starts a run whose peers have initialized version 1 and opened sessions.
func startLive(t *testing.T, configuration string, sessions []string, options ...func(*relay.Options)) *live {
	t.Helper()
	o := relay.Options{OwnID: "own-"}
	o.Events.Panicked = func(reason any, stack []byte) { t.Errorf("an adapter panicked: %v\n%s", reason, stack) }
	for _, set := range options {
		set(&o)
	}
	r := relay.New(parsed(t, configuration+"[shutdown]\ninput_grace = '500ms'\nterm_grace = '500ms'\ndrain = '100ms'\n"), o)
	l := &live{T: t, client: newReader()}
	dir := t.TempDir()
	open := func(name string) *os.File {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	l.says, l.hears = open("says"), open("hears")
	l.lines = bufio.NewReader(l.hears)

	run := r.Options()
	run.Stdin, l.toShim = io.Pipe()
	run.Stdout = l.client
	run.Command = []string{"sh", "-c", `cat "$1" & cat > "$2"; kill $!`, "sh", l.says.Name(), l.hears.Name()}
	ctx, stop := context.WithCancel(context.Background())
	go r.Run(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := proxy.Run(run)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		l.toShim.Close()
		l.hears.Close()
		l.client.takesAll()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the run does not end")
		}
		l.says.Close()
		l.writing.Wait()
	})
	l.asks(initialize, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1}}`)
	for _, id := range sessions {
		l.asks(fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","method":"session/new","params":{"cwd":"/","mcpServers":[]}}`, id),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","result":{"sessionId":%q}}`, id, id))
	}
	return l
}

// asks sends a request of the client and the agent's response.
func (l *live) asks(request, response string) {
	l.Helper()
	l.clientSays(request)
	l.agentHears(field(request, "id"))
	l.agentSays(response)
	l.clientHears(field(request, "id"))
}

// clientSays sends lines of the client in one write. It does not wait for acpshim.
func (l *live) clientSays(lines ...string) { l.send(l.toShim, lines) }

// agentSays sends lines of the agent.
func (l *live) agentSays(lines ...string) { l.send(l.says, lines) }

func (l *live) send(to io.Writer, lines []string) {
	l.writing.Add(1)
	sent := make(chan bool)
	go func() {
		defer l.writing.Done()
		defer close(sent)
		io.WriteString(to, strings.Join(lines, "\n")+"\n")
	}()
	select {
	case <-sent:
	case <-time.After(100 * time.Millisecond): // what follows is sent by others: nothing is
	}
}

// agentHears reads the agent's input up to a line with a text.
func (l *live) agentHears(text string) (lines []string) {
	l.Helper()
	l.hears.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		line, err := l.lines.ReadString('\n')
		lines = append(lines, strings.TrimSuffix(line, "\n"))
		if err != nil {
			l.Fatalf("want a line with %.100s, the agent gets %v after%s", text, err, short(lines))
		}
		if strings.Contains(line, text) {
			return lines
		}
	}
}

// agentHearsAll reads the agent's input until nothing comes for a while.
func (l *live) agentHearsAll(while time.Duration) (lines []string) {
	l.Helper()
	for {
		l.hears.SetReadDeadline(time.Now().Add(while))
		line, err := l.lines.ReadString('\n')
		if errors.Is(err, os.ErrDeadlineExceeded) && line == "" {
			return lines
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
		if err != nil {
			l.Fatalf("the agent gets %v after%s", err, short(lines))
		}
	}
}

// clientHears reads the client's input up to a line with a text.
func (l *live) clientHears(text string) (lines []string) {
	l.Helper()
	for {
		line, ok := l.client.line(10 * time.Second)
		if !ok {
			l.Fatalf("want a line with %.100s, the client gets%s", text, short(lines))
		}
		lines = append(lines, line)
		if strings.Contains(line, text) {
			return lines
		}
	}
}

// clientHearsAll reads the client's input until nothing comes for a while.
func (l *live) clientHearsAll(while time.Duration) (lines []string) {
	for {
		line, ok := l.client.line(while)
		if !ok {
			return lines
		}
		lines = append(lines, line)
	}
}

// A reader is the client's end of an unbuffered pipe: a write waits until the client has read all
// of it.
type reader struct {
	mu      sync.Mutex
	writes  chan []byte
	left    []string
	largest int // bytes of a write
	all     chan struct{}
	once    sync.Once
	pause   time.Duration // before each write is taken
}

func newReader() *reader {
	return &reader{writes: make(chan []byte), all: make(chan struct{})}
}

// Write implements io.Writer.
func (r *reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	r.largest = max(r.largest, len(p))
	r.mu.Unlock()
	select {
	case r.writes <- bytes.Clone(p):
	case <-r.all:
	}
	return len(p), nil
}

// takesAll discards all writes from now on.
func (r *reader) takesAll() { r.once.Do(func() { close(r.all) }) }

// line reads a line. It returns false if none comes in time.
func (r *reader) line(within time.Duration) (line string, ok bool) {
	late := time.After(within)
	for len(r.left) == 0 || !strings.HasSuffix(r.left[0], "\n") {
		time.Sleep(r.pause)
		select {
		case p := <-r.writes:
			for piece := range bytes.Lines(p) {
				if n := len(r.left); n > 0 && !strings.HasSuffix(r.left[n-1], "\n") {
					r.left[n-1] += string(piece)
				} else {
					r.left = append(r.left, string(piece))
				}
			}
		case <-late:
			return "", false
		}
	}
	line, r.left = strings.TrimSuffix(r.left[0], "\n"), r.left[1:]
	return line, true
}
