// Package planfile reads and watches the documents that file plans name. The
// URI comes from an agent, so it decides nothing: what is read lies inside a folder that
// the user or the client has named, is a regular file, and is small.
package planfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 256 << 10

// timeout bounds a read. Local files take microseconds; a dead network mount
// takes for ever, and the agent's traffic waits.
const timeout = time.Second

// A file that was written less than settle ago may be half written. It is
// looked at again, maxLooks times.
const (
	settle   = 50 * time.Millisecond
	maxLooks = 5
)

// A Reader reads plan files. The zero value reads in the folders of the
// session only. It may be used from any number of goroutines.
type Reader struct {
	Roots []string // absolute folders that may be read in besides the session's
}

// Read returns the text of the file that uri names, if it is in one of the
// reader's or the session's roots. It opens no link that leads out of them,
// cannot be blocked by what it opens, and returns within about a second. A file
// that is being written is given a moment. The error names the file and says
// what would have been right; it is context.DeadlineExceeded if time ran out.
func (r Reader) Read(uri string, roots []string) (string, error) {
	path, err := Path(uri)
	if err != nil {
		return "", err
	}
	roots = append(append([]string(nil), roots...), r.Roots...)

	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		got.err = within(path, roots, func(dir *os.Root, name string) (err error) {
			got.text, err = readSettled(dir, name)
			return err
		})
		done <- got
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-time.After(timeout):
		return "", fmt.Errorf("%q: not read within %v: %w", path, timeout, context.DeadlineExceeded)
	}
}

// Allows returns an error unless the file that uri names is in one of the
// reader's or the session's roots, going by its name: nothing is looked up.
func (r Reader) Allows(uri string, roots []string) error {
	path, err := Path(uri)
	if err != nil {
		return err
	}
	roots = append(append([]string(nil), roots...), r.Roots...)
	for _, root := range roots {
		if inside, err := filepath.Rel(root, path); err == nil && filepath.IsAbs(root) && filepath.IsLocal(inside) {
			return nil
		}
	}
	return outside(path, roots)
}

func outside(path string, roots []string) error {
	return fmt.Errorf("%q is outside the session's folders: %q (plan.file.roots adds more)", path, roots)
}

// within calls do with each root that has the path inside, until one returns no
// error; else the error is the first one's.
func within(path string, roots []string, do func(dir *os.Root, name string) error) error {
	var first error
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			continue
		}
		for _, root := range []string{root, resolved(root)} {
			inside, err := filepath.Rel(root, path)
			if err != nil || !filepath.IsLocal(inside) {
				continue
			}
			err = in(root, inside, do)
			if err == nil {
				return nil
			}
			if first == nil {
				first = fmt.Errorf("%q: %w", path, err)
			}
		}
	}
	if first != nil {
		return first
	}
	return outside(path, roots)
}

func in(root, name string, do func(dir *os.Root, name string) error) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return reason(err)
	}
	defer dir.Close()
	return do(dir, name)
}

// resolved is root without symbolic links: agents often name files by it.
func resolved(root string) string {
	if r, err := filepath.EvalSymlinks(root); err == nil {
		return r
	}
	return root
}

// readSettled reads a file that nobody has just written to, as far as that
// shows: it is older than settle, or was the same that long ago.
func readSettled(dir *os.Root, name string) (string, error) {
	var before stamp
	for range maxLooks {
		text, now, err := readIn(dir, name)
		if age := time.Since(now.modified); err != nil || now == before || age >= settle {
			return text, err
		}
		before = now
		time.Sleep(settle)
	}
	return "", fmt.Errorf("is being written all the time: %w", context.DeadlineExceeded)
}

// readIn returns the text of a file, and its stamp from before it was read.
func readIn(dir *os.Root, name string) (string, stamp, error) {
	// Without O_NONBLOCK a FIFO that nobody writes would hold us here.
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", stamp{}, reason(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", stamp{}, reason(err)
	case !info.Mode().IsRegular():
		return "", stamp{}, fmt.Errorf("is no regular file (%v)", info.Mode().Type())
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return "", stamp{}, reason(err)
	case len(text) > MaxSize:
		return "", stamp{}, fmt.Errorf("is larger than %d KiB", MaxSize>>10)
	}
	return string(text), stampOf(info), nil
}

// reason leaves the path out of an error: the caller names it.
func reason(err error) error {
	var e *os.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
