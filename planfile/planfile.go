// Package planfile reads the documents that file plans name. The URI comes
// from an agent, so it decides nothing: what is read lies inside a folder that
// the user or the client has named, is a regular file, and is small.
package planfile

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 256 << 10

// timeout bounds a read. Local files take microseconds; a dead network mount
// takes for ever, and the agent's traffic waits.
const timeout = time.Second

// A Reader reads plan files. The zero value reads in the folders of the
// session only. It may be used from any number of goroutines.
type Reader struct {
	Roots []string // absolute folders that may be read in besides the session's
}

// Read returns the text of the file that uri names, if it is in one of the
// reader's or the session's roots. It opens no link that leads out of them,
// cannot be blocked by what it opens, and returns within about a second. The
// error names the file and says what would have been right.
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
		text, err := read(path, roots)
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-time.After(timeout):
		return "", fmt.Errorf("%q: not read within %v", path, timeout)
	}
}

// Path returns the absolute path that a file URI names on this machine.
func Path(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is no URI: want file:///path/to/plan.md", uri)
	case u.Scheme != "file":
		return "", fmt.Errorf("%q is no file URI: want file:///path/to/plan.md", uri)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("%q has a ? or # that is not escaped: want %%3F or %%23", uri)
	case u.Host != "" && u.Host != "localhost":
		return "", fmt.Errorf("%q is on another machine: want file:///path/to/plan.md", uri)
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/plan.md
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%q names no absolute path: want file:///path/to/plan.md", uri)
	}
	return filepath.Clean(path), nil
}

// read tries the roots in turn; the error is that of the first that has the
// path inside.
func read(path string, roots []string) (string, error) {
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
			text, err := readIn(root, inside)
			if err == nil {
				return text, nil
			}
			if first == nil {
				first = fmt.Errorf("%q: %w", path, err)
			}
		}
	}
	if first != nil {
		return "", first
	}
	return "", fmt.Errorf("%q is outside the session's folders: %q (plan.file.roots adds more)", path, roots)
}

// resolved is root without symbolic links: agents often name files by it.
func resolved(root string) string {
	if r, err := filepath.EvalSymlinks(root); err == nil {
		return r
	}
	return root
}

func readIn(root, name string) (string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", reason(err)
	}
	defer dir.Close()
	// Without O_NONBLOCK a FIFO that nobody writes would hold us here.
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", reason(err)
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return "", reason(err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("is no regular file (%v)", info.Mode().Type())
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return "", reason(err)
	case len(text) > MaxSize:
		return "", fmt.Errorf("is larger than %d KiB", MaxSize>>10)
	}
	return string(text), nil
}

// reason leaves the path out of an error: the caller names it.
func reason(err error) error {
	var e *os.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
