package doctor

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"acpshim/filters"
	"acpshim/internal/chain/wire"
)

// maxLine is the longest line that is kept, in bytes. A longer one counts as junk.
const maxLine = 4 << 20

// A response has either a result or an error.
type response struct{ result, err []byte }

// lines splits an agent's standard output into responses and junk.
type lines struct {
	closed chan struct{}     // closed when the output has ended
	framed chan struct{}     // closed when there is a header of LSP's framing
	write  func(line []byte) // sends a line to the agent

	mu       sync.Mutex
	part     []byte
	expected map[string]chan response // by the id
	messages int                      // how many there were
	junk     int                      // how many other lines
	first    string                   // the first of these
}

func (l *lines) init(write func([]byte)) {
	l.closed, l.framed = make(chan struct{}), make(chan struct{})
	l.write, l.expected = write, map[string]chan response{}
}

// expect returns an id for a request and the channel that gets its response.
func (l *lines) expect() (id int, came chan response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, came = len(l.expected), make(chan response, 1)
	l.expected[strconv.Itoa(id)] = came
	return id, came
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, whole := bytes.Cut(rest, []byte("\n"))
		l.part = append(l.part, piece[:min(len(piece), maxLine-len(l.part))]...)
		if rest = after; whole {
			l.take(l.part)
			l.part = l.part[:0]
		}
	}
	return len(p), nil
}

// Close implements io.Closer. The last line may have no end.
func (l *lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.take(l.part)
		l.part = nil
	}
	closeOnce(l.closed)
	return nil
}

// take takes a line without its end. The lock is held.
func (l *lines) take(line []byte) {
	var judge filters.Junk
	if judge.IsJunk(line) {
		if l.junk++; l.junk == 1 {
			l.first = strings.TrimSpace(string(line[:min(len(line), 1<<10)]))
		}
		if isHeader(line) {
			closeOnce(l.framed)
		}
		return
	}
	o, err := wire.Parse(line)
	if err != nil {
		return
	}
	l.messages++
	id, isRequest := o.Raw("id"), !wire.IsAbsent(o.Raw("method"))
	switch came := l.expected[wire.ID(id)]; {
	case isRequest && wire.ID(id) != "":
		l.write(wire.Refusal(id, -32601, "Method not found"))
	case !isRequest && came != nil:
		select {
		case came <- response{bytes.Clone(o.Raw("result")), bytes.Clone(o.Raw("error"))}:
		default: // the second response to a request
		}
	}
}

// isHeader reports whether a line is a header of LSP.
func isHeader(line []byte) bool {
	return bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(line)), []byte("content-length:"))
}

// closeOnce closes a channel unless it is closed. Two calls must not run at the same time.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
