package record

import (
	"errors"
	"io"
	"os"
	"time"
)

// Stderr returns a file to be given to the agent as its standard error, from
// which a goroutine moves everything to the given writer, at once, and to the
// record.
//
// Drain is to be called once, when the agent has ended. It closes the file and
// returns when all that was written to it has been moved, or the time is over:
// it waits neither for others that hold the file, whose writes fail from then
// on, nor for a writer that takes nothing.
//
// If the writer fails, so do the agent's writes, as they would without us.
func (r *Recorder) Stderr(to io.Writer) (agent *os.File, drain func(within time.Duration), err error) {
	from, agent, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		defer from.Close()
		r.moveStderr(to, from)
	}()
	return agent, func(within time.Duration) {
		agent.Close()
		from.SetReadDeadline(time.Now().Add(within))
		select {
		case <-moved:
		case <-time.After(within + lastRead):
		}
	}, nil
}

// lastRead is how long what is in the pipe when the time is over may take.
const lastRead = 200 * time.Millisecond

// moveStderr moves bytes until the pipe ends or its deadline has passed; what
// is in it then is moved, too.
func (r *Recorder) moveStderr(to io.Writer, from *os.File) {
	buf := make([]byte, 64<<10)
	over := false
	for {
		n, err := from.Read(buf)
		if n > 0 {
			r.queue.put(streamStderr, buf[:n])
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !over:
			// The deadline may have passed before the pipe was empty.
			over = true
			from.SetReadDeadline(time.Now().Add(lastRead / 2))
		case err != nil:
			return
		}
	}
}
