package process

import (
	"errors"
	"io"
	"os"
	"time"

	"acpshim/internal/system/lossy"
)

// A Stderr is a pipe for the standard error of a program. A goroutine moves everything that is
// written to it to writers, at once, and keeps its end. If a writer fails, the program's writes
// fail, as they would without the pipe.
type Stderr struct {
	File *os.File // for the program

	from  *os.File
	moved chan struct{} // closed when all has been moved
	tail  lossy.Tail
}

// NewStderr returns a Stderr that writes to all of to, in that order.
func NewStderr(to ...io.Writer) (*Stderr, error) {
	from, file, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &Stderr{File: file, from: from, moved: make(chan struct{})}
	go func() {
		defer close(s.moved)
		defer from.Close()
		s.move(io.MultiWriter(append([]io.Writer{&s.tail}, to...)...))
	}()
	return s, nil
}

// Tail returns the end of what the program wrote.
func (s *Stderr) Tail() string { return s.tail.String() }

// Await closes the file, when the program has ended, and waits until everything has been moved or
// the time is over. It may be called repeatedly.
func (s *Stderr) Await(within time.Duration) {
	s.File.Close()
	select {
	case <-s.moved:
	case <-time.After(within):
	}
}

// Drain is Await for the last time. It does not wait for other processes that hold the file, whose
// writes fail from then on, nor for a writer that blocks.
func (s *Stderr) Drain(within time.Duration) {
	s.from.SetReadDeadline(time.Now().Add(within))
	s.Await(within + lastRead)
}

// lastRead is the time for the rest of the pipe when the time of Drain is over.
const lastRead = 200 * time.Millisecond

// move moves bytes until the pipe ends. If its deadline passes before, it moves what is in the pipe
// then.
func (s *Stderr) move(to io.Writer) {
	buf := make([]byte, 64<<10)
	over := false
	for {
		n, err := s.from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !over:
			// The deadline may have passed before the pipe was empty.
			over = true
			s.from.SetReadDeadline(time.Now().Add(lastRead / 2))
		case err != nil:
			return
		}
	}
}
