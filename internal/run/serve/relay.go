package serve

import (
	"bytes"
	"errors"
	"syscall"
	"time"

	"acpshim/internal/run/frames"
)

// input is the agent's standard input: the messages of the client.
type input struct{ *connection }

func (i input) Read(p []byte) (int, error) { return i.inbox.Read(p) }

// Close implements io.Closer. The agent reads nothing more.
func (i input) Close() error {
	i.inbox.Drop(errAgentDeaf)
	return nil
}

var (
	errAgentDeaf = errors.New("the agent does not read any more")
	errFull      = errors.New("too many bytes wait")
	errLeft      = errors.New("the client has disconnected")
)

// output is the agent's standard output.
type output struct{ *connection }

// Write delivers complete lines.
func (o output) Write(p []byte) (int, error) {
	if o.HasLeft() {
		return 0, errLeft
	}
	c := o.connection
	for rest := p; len(rest) > 0; {
		piece, after, isWhole := bytes.Cut(rest, []byte("\n"))
		line, err := c.part.add(piece, isWhole)
		if err != nil {
			return 0, err
		}
		if rest = after; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		line = bytes.TrimSpace(line)
		if !frames.IsMessage(line) {
			c.server.Log.Warn().Int("bytes", len(line)).Msg("the agent wrote a line that is not a message; acpshim dropped it")
			continue
		}
		for message := range frames.Messages(line) { // clients of these transports accept no batches
			if err := c.deliver(message); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// Close implements io.Closer. The agent writes nothing more, so the connection would look dead. If
// the agent does not end by itself, it is stopped.
func (o output) Close() error {
	time.AfterFunc(silentTime, func() {
		select {
		case o.signals <- syscall.SIGTERM:
		default:
		}
	})
	return nil
}

// silentTime is how long an agent may run after it has closed its output.
const silentTime = 2 * time.Second

// HasLeft implements proxy.Leaver.
func (o output) HasLeft() bool { return o.hasLeft() }
