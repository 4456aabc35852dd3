package layers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"acpshim/internal/config"
)

// What is read: somebody's own file is read at each start, and a pipe there could block it; a pipe
// that the command line names is meant.
const regularOnly, orPipe = fs.FileMode(0), fs.ModeNamedPipe

// read reads a configuration file, or what is of the type also. Nothing else blocks it, and a
// little more than the largest configuration is enough to refuse it.
func read(name string, also fs.FileMode) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type()&^also != 0 {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	isPipe, flags := !info.Mode().IsRegular(), os.O_RDONLY
	if isPipe {
		flags |= syscall.O_NONBLOCK // opening it would wait for somebody who writes
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isPipe {
		return readPipe(f)
	}
	return readAll(f)
}

func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, config.MaxSize+1)) }

// How long a configuration may take that comes through a pipe: until it begins, if
// nobody has the pipe open, and until it ends.
const (
	pipeBegins = time.Second
	pipeEnds   = 30 * time.Second
)

// readPipe reads what somebody writes to a pipe, who may not be there yet.
func readPipe(f *os.File) ([]byte, error) {
	begun := time.Now()
	f.SetReadDeadline(begun.Add(pipeEnds)) // where it can have one
	var source []byte
	for {
		more, err := readAll(f)
		source = append(source, more...)
		waits, took := errors.Is(err, syscall.EAGAIN), time.Since(begun)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) || waits && took >= pipeEnds:
			return nil, fmt.Errorf("%s is a pipe that did not end within %v", f.Name(), pipeEnds)
		case !waits && (err != nil || len(source) > 0) || len(source) > config.MaxSize:
			return source, err
		case !waits && took >= pipeBegins:
			return nil, fmt.Errorf("%s is a pipe, and nobody wrote to it within %v", f.Name(), pipeBegins)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
