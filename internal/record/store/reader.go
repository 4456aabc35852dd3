package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"
	"time"
)

// Open opens files, to be read one after the other. If the last line of a file is truncated, a
// newline is read before the next file.
func Open(paths ...string) (io.ReadCloser, error) {
	r := &reader{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.opened = append(r.opened, f)
	}
	rest := slices.Clone(r.opened)
	r.next = func() (*os.File, error) {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		f := rest[0]
		rest = rest[1:]
		return f, nil
	}
	return r, nil
}

// Opener returns a function that opens a record any number of times. A pipe can be read only once,
// so the first call copies it to a temporary file.
func Opener(files []string) func() (io.ReadCloser, error) {
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().IsRegular() {
		return func() (io.ReadCloser, error) { return Open(files...) }
	}
	copied := sync.OnceValues(func() (*os.File, error) { return copyAside(files[0]) })
	return func() (io.ReadCloser, error) {
		f, err := copied()
		if err != nil {
			return nil, err
		}
		return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil
	}
}

// copyAside copies the file at path to a temporary file. It removes the name of that file at once,
// so that nothing is left of it however this process ends.
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
			os.Remove(f.Name()) // Windows removes no open file
		}
	}
	if err != nil {
		return nil, fmt.Errorf("copying %s to a temporary file, to read it twice: %w", path, err)
	}
	return f, nil
}

// Poll is how often [Follow] looks for new data.
const Poll = 100 * time.Millisecond

// Follow reads all parts of the record with a part at path, and what the run writes from now on.
// The reader ends when no run is writing the record. It calls idle before it waits; an error of
// idle ends it.
func Follow(path string, idle func() error) io.ReadCloser {
	var at string               // the part that is read
	var complete, unlocked bool // the next part exists; nobody was writing the part at the last look
	r := &reader{}
	r.next = func() (*os.File, error) {
		switch next := partAfter(path, at); {
		case next != "" && at != "" && !complete:
			complete = true // the part may have grown before the next one was created
			return nil, nil
		case next != "":
			r.Close()
			f, err := os.Open(next)
			if errors.Is(err, fs.ErrNotExist) && at != "" {
				return nil, nil // it was pruned meanwhile
			}
			r.opened, at, complete = []*os.File{f}, next, false
			return f, err
		}
		if err := idle(); err != nil {
			return nil, err
		}
		_, err := os.Stat(at)
		wasUnlocked := unlocked
		unlocked = err == nil && !IsWritten(at)
		if unlocked && wasUnlocked { // once can be the moment between two parts
			return nil, io.EOF
		}
		time.Sleep(Poll)
		return nil, nil
	}
	return r
}

// partAfter returns the part after another one, or "". The first part is after "".
func partAfter(path, at string) string {
	parts, err := Parts(path)
	if err != nil || len(parts) == 0 && at == "" {
		parts = []string{path} // it is not named like a part, or does not exist
	}
	if i := slices.Index(parts, at) + 1; i < len(parts) { // if the part was pruned, all older ones were, too
		return parts[i]
	}
	return ""
}

// A reader reads files one after the other.
type reader struct {
	next   func() (*os.File, error) // nil if the current file may have grown
	opened []*os.File               // Close closes them
	file   *os.File                 // the current one
	last   byte                     // the last one that was read
}

func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.file != nil {
			n, err := r.file.Read(p)
			if n > 0 {
				r.last = p[n-1]
				return n, nil
			}
			if err != io.EOF {
				return 0, err
			}
		}
		next, err := r.next()
		switch {
		case err != nil:
			return 0, err
		case next == nil:
			continue
		}
		r.file = next
		if r.last != 0 && r.last != '\n' { // the file before was truncated
			r.last, p[0] = '\n', '\n'
			return 1, nil
		}
	}
}

func (r *reader) Close() error {
	var errs []error
	for _, f := range r.opened {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
