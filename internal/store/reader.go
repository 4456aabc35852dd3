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

// Open opens the files at paths, to be read one after the other. A line that is truncated at the
// end of a file does not run into the next one.
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

// Opener returns what opens a record, as often as is wanted. A pipe, which can be read only once,
// is copied to a temporary file when it is opened first.
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

// copyAside copies what is at path to a temporary file that has no name any more, so that it is
// gone with this process, however that ends.
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
		return nil, fmt.Errorf("copying %s to a temporary file, to read it twice: %w", path, err)
	}
	return f, nil
}

// Poll is how often Follow looks for more.
const Poll = 100 * time.Millisecond

// Follow reads the parts of the record that has one at path, also those that are yet to come, and
// ends when no run writes it any more. Before it waits it calls idle, whose error ends it.
func Follow(path string, idle func() error) io.ReadCloser {
	var at string           // the part that is read
	var complete, left bool // the next part is there; nobody wrote the part when it was looked at last
	r := &reader{}
	r.next = func() (*os.File, error) {
		switch next := partBehind(path, at); {
		case next != "" && at != "" && !complete:
			complete = true // there may be more than was read when it was not
			return nil, nil
		case next != "":
			r.Close()
			f, err := os.Open(next)
			if errors.Is(err, fs.ErrNotExist) && at != "" {
				return nil, nil // it was removed meanwhile
			}
			r.opened, at, complete = []*os.File{f}, next, false
			return f, err
		}
		if err := idle(); err != nil {
			return nil, err
		}
		_, err := os.Stat(at)
		isLeft := err == nil && !IsWritten(at)
		if left && isLeft {
			return nil, io.EOF
		}
		left = isLeft // for so short a time it is also between two parts
		time.Sleep(Poll)
		return nil, nil
	}
	return r
}

// partBehind returns the part behind one of a run, the first one behind "", or "" if there is none.
func partBehind(path, at string) string {
	parts, err := Parts(path)
	if err != nil || len(parts) == 0 && at == "" {
		parts = []string{path} // of another name, or not there
	}
	if i := slices.Index(parts, at) + 1; i < len(parts) { // older parts than one that is gone are, too
		return parts[i]
	}
	return ""
}

// reader reads files one after the other.
type reader struct {
	next   func() (*os.File, error) // nil if there may be more in the file that is read
	opened []*os.File               // what Close closes
	file   *os.File                 // that is read
	last   byte                     // that was read
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
