package record

import (
	"errors"
	"io"
	"os"
	"time"
)

// Stderr returns a file for the standard error of the agent. A goroutine moves everything that is
// written to it to a writer, at once, and to the record.
//
// Call drain once, when the agent has ended. It closes the file, and returns when everything has
// been moved or the time is over. It does not wait for other processes that hold the file, whose
// writes fail from then on, nor for a writer that blocks.
//
// If the writer fails, the agent's writes fail, as they would without acpshim.
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

// lastRead is the time for the rest of the pipe when the time of drain is over.
const lastRead = 200 * time.Millisecond

// moveStderr moves bytes until the pipe ends. If its deadline passes before, it moves what is in
// the pipe then.
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
