package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"acpshim/internal/record"
)

// recordOpener returns what opens a record, as often as is wanted: a pipe, which can be
// read only once, is copied when it is opened first.
func recordOpener(parts []string) func() (io.ReadCloser, error) {
	info, err := os.Stat(parts[0])
	if err != nil || info.Mode().IsRegular() {
		return func() (io.ReadCloser, error) { return record.Open(parts...) }
	}
	copied := sync.OnceValues(func() (*os.File, error) { return copyAside(parts[0]) })
	return func() (io.ReadCloser, error) {
		f, err := copied()
		if err != nil {
			return nil, err
		}
		return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil
	}
}

// isWritten reports whether a run writes a record. It has to be asked before it is read:
// the run may end meanwhile.
func isWritten(parts []string) bool { return record.IsWritten(parts[len(parts)-1]) }

// copyAside copies what is at path to a temporary file that has no name any more, so
// that it is gone with this process, however that ends.
func copyAside(path string) (*os.File, error) {
	from, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	f, err := os.CreateTemp("", "acpshim-*")
	if err == nil {
		if err = os.Remove(f.Name()); err == nil {
			_, err = io.Copy(f, from)
		}
		if err != nil {
			err = errors.Join(err, f.Close())
			os.Remove(f.Name()) // where a file that is open stays
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is read more than once, and was not copied to a temporary file: %w", path, err)
	}
	return f, nil
}
