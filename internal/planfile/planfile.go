// Package planfile reads and watches the documents that file plans name, and shows plans as
// their files are now while prompts run ([Live]). The URI comes from an agent, so it decides
// nothing: what is read lies inside a folder that the user or the client has named, is a
// regular file, and is small. A client that reads files is asked for them, as it knows what
// is not saved yet.
package planfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 256 << 10

// timeout bounds a Read. Local files take microseconds; a dead network mount
// takes for ever.
const timeout = time.Second

// A file that was written less than settle ago may be half written. Read looks at it
// again, maxLooks times.
const (
	settle   = 50 * time.Millisecond
	maxLooks = 5
)

// ErrBusy is what reading a file returns that is being written, which takes no time.
var ErrBusy = errors.New("is being written all the time")

// A Reader reads plan files. The zero value reads in the folders of the
// session only. It may be used from any number of goroutines.
type Reader struct {
	Roots []string // absolute folders that may be read in besides the session's
}

// Read returns the text of the file that uri names, if it is in one of the
// reader's or the session's roots. It opens no link that leads out of them,
// cannot be blocked by what it opens, and returns within about a second. A file
// that is being written is given a moment; if that is not enough, the error is
// ErrBusy. The error names the file and says what would have been right; it is
// context.DeadlineExceeded if time ran out.
func (r Reader) Read(uri string, roots []string) (string, error) {
	path, err := Path(uri)
	if err != nil {
		return "", err
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := r.read(uri, roots, maxLooks)
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-time.After(timeout):
		return "", fmt.Errorf("%q: not read within %v: %w", path, timeout, context.DeadlineExceeded)
	}
}

// ReadNow is Read that gives no file a moment: one that was written less than 50 ms ago
// is busy. It waits for as long as the system does, which is for ever on a dead mount.
func (r Reader) ReadNow(uri string, roots []string) (string, error) { return r.read(uri, roots, 1) }

func (r Reader) read(uri string, roots []string, looks int) (text string, err error) {
	path, err := Path(uri)
	if err != nil {
		return "", err
	}
	err = within(path, r.all(roots), func(dir *os.Root, name string) (err error) {
		text, err = readSettled(dir, name, looks)
		return err
	})
	return text, err
}

// Rest waits until files can be read that were written less than 50 ms ago, and not
// since. So it returns within 50 ms if the system answers, see ReadNow.
func (r Reader) Rest(files []Target) {
	var wait time.Duration
	for _, f := range files {
		s := r.stamp(f.URI, f.Roots)
		if left := settle - time.Since(s.modified); left <= settle { // not of the future
			wait = max(wait, left)
		}
	}
	time.Sleep(wait)
}

// all are the roots of the session and the reader's.
func (r Reader) all(roots []string) []string { return slices.Concat(roots, r.Roots) }

// Allows returns an error unless the file that uri names is in one of the
// reader's or the session's roots, going by its name: nothing is looked up.
func (r Reader) Allows(uri string, roots []string) error {
	path, err := Path(uri)
	if err != nil {
		return err
	}
	roots = r.all(roots)
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
// error, or ErrBusy; else the error is the first one's.
func within(path string, roots []string, do func(dir *os.Root, name string) error) error {
	var first error
	var tried []string
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			continue
		}
		for _, root := range []string{filepath.Clean(root), resolved(root)} {
			inside, err := filepath.Rel(root, path)
			if err != nil || !filepath.IsLocal(inside) || slices.Contains(tried, root) {
				continue
			}
			tried = append(tried, root)
			err = in(root, inside, do)
			if err == nil {
				return nil
			}
			if errors.Is(err, ErrBusy) {
				return fmt.Errorf("%q: %w", path, err)
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
func readSettled(dir *os.Root, name string, looks int) (string, error) {
	var before stamp
	for look := range looks {
		if look > 0 {
			time.Sleep(settle)
		}
		text, now, err := readIn(dir, name)
		if age := time.Since(now.modified); err != nil || now == before || age >= settle {
			return text, err
		}
		before = now
	}
	return "", ErrBusy
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
