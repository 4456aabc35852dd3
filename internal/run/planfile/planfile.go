// Package planfile reads the documents of file plans, and shows their current text while prompts
// run ([Live]). URIs come from an agent, so it reads only small regular files inside of folders
// that the user or the client has named. If the client reads files, it is asked for them, because
// it also has text that is not saved.
package planfile

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"acpshim/internal/run/folder"
	"acpshim/translate/plans"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 256 << 10

// A file that was written less than settle ago may be half written. It is read up to maxLooks
// times.
const (
	settle   = 50 * time.Millisecond
	maxLooks = 5
)

// A Reader reads plan files. The zero value reads only in the folders of the session. Its methods
// may be called from any number of goroutines. They can block forever on a dead mount.
type Reader struct {
	Roots []string // absolute folders in addition to those of the session
}

// ReadNow returns the text of a file in a root of the reader or the session. It follows no link out
// of the roots, and a FIFO does not block it. The error is [plans.ErrBusy] for a file that was
// written less than 50 ms ago.
func (r Reader) ReadNow(uri string, roots []string) (string, error) {
	return settled(1, func() (string, stamp, error) { return r.look(uri, roots) })
}

// settled looks at a file a number of times, until nobody has just written it: it is older than
// settle, or has not changed for that long.
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

// look reads a file once. The stamp is the one before the read.
func (r Reader) look(uri string, roots []string) (text string, s stamp, err error) {
	err = r.within(uri, roots, func(dir *os.Root, name string) (err error) {
		text, s, err = readIn(dir, name)
		return err
	})
	return text, s, err
}

// stamp returns the stamp of a file, or zero if it cannot be read.
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

// all returns the roots of the session and of the reader.
func (r Reader) all(roots []string) []string { return slices.Concat(roots, r.Roots) }

// Allows returns an error unless the path of a file is in a root of the reader or the session. It
// does not look at the disk.
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

// within is [folder.Within] for a URI. Its errors name the file.
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

// readIn returns the text of a file, and its stamp before the read.
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
