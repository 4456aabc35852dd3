// Package planfile reads the documents that file plans name, and shows plans as their
// files are now while prompts run ([Live]). The URI comes from an agent, so it decides
// nothing: what is read lies inside a folder that the user or the client has named, is a
// regular file, and is small. A client that reads files is asked for them, as it knows what
// is not saved yet.
package planfile

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"acpshim/internal/folder"
	"acpshim/translate/plans"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 256 << 10

// A file that was written less than settle ago may be half written. Who can wait looks at
// it again, maxLooks times.
const (
	settle   = 50 * time.Millisecond
	maxLooks = 5
)

// A Reader reads plan files. The zero value reads in the folders of the session only. Its
// methods may be called from any number of goroutines. They wait for as long as the system
// does, which is for ever on a dead mount: see [Live.inTime].
type Reader struct {
	Roots []string // absolute folders that may be read in besides the session's
}

// ReadNow returns the text of the file that uri names, if it is in one of the reader's or
// the session's roots. It opens no link that leads out of them, and no FIFO blocks it. The
// error is [plans.ErrBusy] for a file that was written less than 50 ms ago; others name
// the file and say what would have been right.
func (r Reader) ReadNow(uri string, roots []string) (string, error) {
	return settled(1, func() (string, stamp, error) { return r.look(uri, roots) })
}

// settled looks at a file up to so many times, until it is one that nobody has just
// written to, as far as that shows: older than settle, or the same as that long ago.
func settled(looks int, look func() (text string, now stamp, err error)) (string, error) {
	var before stamp
	for i := range looks {
		if i > 0 {
			time.Sleep(settle)
		}
		text, now, err := look()
		if err != nil || now == before || time.Since(now.modified) >= settle {
			return text, err
		}
		before = now
	}
	return "", plans.ErrBusy
}

// look reads a file once. The stamp is from before it was read.
func (r Reader) look(uri string, roots []string) (text string, s stamp, err error) {
	err = r.within(uri, roots, func(dir *os.Root, name string) (err error) {
		text, s, err = readIn(dir, name)
		return err
	})
	return text, s, err
}

// stamp is that of the file that uri names, if it may be read.
func (r Reader) stamp(uri string, roots []string) (s stamp) {
	r.within(uri, roots, func(dir *os.Root, name string) error {
		info, err := dir.Stat(name)
		if err == nil {
			s = stampOf(info)
		}
		return err
	})
	return s
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
	if roots = r.all(roots); !folder.Holds(roots, path) {
		return outside(path, roots)
	}
	return nil
}

func outside(path string, roots []string) error {
	return fmt.Errorf("%q is outside the session's folders: %q (plan.file.roots adds more)", path, roots)
}

// within calls do with each root that has the file inside, and the file's name in there,
// until one returns no error; else the error is the first one's.
func (r Reader) within(uri string, roots []string, do func(dir *os.Root, name string) error) error {
	path, err := Path(uri)
	if err != nil {
		return err
	}
	roots = r.all(roots)
	switch err := folder.Within(roots, path, do); {
	case err == folder.ErrOutside:
		return outside(path, roots)
	case err != nil:
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// readIn returns the text of a file, and its stamp from before it was read.
func readIn(dir *os.Root, name string) (string, stamp, error) {
	f, info, err := folder.Open(dir, name)
	if err != nil {
		return "", stamp{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return "", stamp{}, err
	case len(text) > MaxSize:
		return "", stamp{}, fmt.Errorf("is larger than %d KiB", MaxSize>>10)
	}
	return string(text), stampOf(info), nil
}
