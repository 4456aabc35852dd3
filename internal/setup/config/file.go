package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// The types of file that readFile accepts. The user's own file is read at every start and must not
// be a pipe, which could block. Only --config may name one.
const regularOnly, orPipe = fs.FileMode(0), fs.ModeNamedPipe

// readFile reads at most a little more than MaxSize, so that a larger file is noticed.
func readFile(name string, allowed fs.FileMode) ([]byte, error) {
	info, err := os.Stat(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %w", name, failed.Err)
	}
	if err != nil {
		return nil, err
	}
	if info.Mode().Type()&^allowed != 0 {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	isPipe, flags := !info.Mode().IsRegular(), os.O_RDONLY
	if isPipe {
		flags |= syscall.O_NONBLOCK // or opening it waits for a writer
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

func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, MaxSize+1)) }

// How long readPipe waits for the first byte if nobody has the pipe open, and for the end.
const (
	pipeBegins = time.Second
	pipeEnds   = 30 * time.Second
)

// readPipe reads a pipe whose writer may not have opened it yet.
func readPipe(f *os.File) ([]byte, error) {
	begun := time.Now()
	f.SetReadDeadline(begun.Add(pipeEnds)) // not every system supports it here
	var source []byte
	for {
		more, err := readAll(f)
		source = append(source, more...)
		waits, took := errors.Is(err, syscall.EAGAIN), time.Since(begun)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) || waits && took >= pipeEnds:
			return nil, fmt.Errorf("%s is a pipe that did not end within %v", f.Name(), pipeEnds)
		case !waits && (err != nil || len(source) > 0) || len(source) > MaxSize:
			return source, err
		case !waits && took >= pipeBegins:
			return nil, fmt.Errorf("%s is a pipe, and nobody wrote to it within %v", f.Name(), pipeBegins)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
