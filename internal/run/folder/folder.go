// Package folder reads and writes regular files inside of folders that the user or the client has
// named. Paths come from an agent, so no path and no link leads out of these folders.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// ErrOutside says that a file is in none of the folders.
var ErrOutside = errors.New("outside of the folders")

// Holds reports whether a clean path is below one of the roots. It does not look at the disk.
func Holds(roots []string, path string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		inside, err := filepath.Rel(root, path)
		return err == nil && filepath.IsAbs(root) && filepath.IsLocal(inside)
	})
}

// Within calls do with each root that has the path below it, and the name relative to that root,
// until a call succeeds. Otherwise it returns the first error, without the path, or [ErrOutside]. A
// path may have the links of a root or their targets.
func Within(roots []string, path string, do func(dir *os.Root, name string) error) error {
	first := ErrOutside
	for _, root := range spellings(roots) {
		name, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		if err = in(root, name, do); err == nil {
			return nil
		}
		if first == ErrOutside {
			first = err
		}
	}
	return first
}

// spellings returns absolute roots as they were given, and without symbolic links, as agents often
// write paths. Each is there once.
func spellings(roots []string) (all []string) {
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			continue
		}
		for _, r := range []string{filepath.Clean(root), resolved(root)} {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// resolved returns a root without symbolic links, if it exists.
func resolved(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return filepath.Clean(root)
}

// in opens a root for one call of do.
func in(root, name string, do func(dir *os.Root, name string) error) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return Reason(err)
	}
	defer dir.Close()
	return Reason(do(dir, name))
}

// Open opens a regular file for reading. A FIFO does not block it.
func Open(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	// It is checked before it is opened, too, because opening some devices has effects.
	info, err := dir.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("is not a regular file (%v)", info.Mode().Type())
	}
	return nil
}

// Reason removes the path from an error. The caller names it.
func Reason(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
