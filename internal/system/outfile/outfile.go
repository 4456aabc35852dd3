// Package outfile writes files that people name.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Text returns a function that writes a text.
func Text[T string | []byte](text T) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write([]byte(text)); return err }
}

// ErrExists says that a file of that name already exists.
var ErrExists = errors.New("already exists")

// Write writes a file for its owner only, whole or not at all. If the file exists, it is replaced
// with force, and otherwise the error is [ErrExists]. A link to a missing file is an error. Devices
// and pipes are written to without force.
func Write(name string, force bool, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file", name)
	case err == nil && !info.Mode().IsRegular():
		return writeInto(name, write)
	case err == nil && force:
		return replace(name, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return Create(name, write)
}

// writeInto writes to an existing device or pipe.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Create is [Write] for a file that must not exist.
func Create(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if to, linkErr := os.Readlink(name); errors.Is(err, fs.ErrExist) && linkErr == nil && !isThere(name) {
		return fmt.Errorf("%s is a link to %q, which does not exist", name, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", name, ErrExists)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// replace is [Replace] for a file or the target of a link.
func replace(name string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	return Replace(target, 0o600, write)
}

// Update is [Write] for a file that must exist. It keeps its mode, its owner and its group.
func Update(name string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	return Replace(target, info.Mode().Perm(), func(w io.Writer) error {
		if f, ok := w.(*os.File); ok {
			KeepOwner(f, info)
		}
		return write(w)
	})
}

// Replace writes a new file with a mode and renames it to target, which may exist. It changes
// nothing if write fails, or one of the checks, which are called when the new file is on the disk.
func Replace(target string, mode fs.FileMode, write func(io.Writer) error, checks ...func() error) error {
	dir, err := os.OpenRoot(filepath.Dir(target))
	if err == nil {
		defer dir.Close()
		err = ReplaceIn(dir, filepath.Base(target), mode, write, checks...)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", target, err)
	}
	return nil
}

// temporary is the prefix of files that are not complete yet.
const temporary = ".acpshim-"

// ReplaceIn is [Replace] for a file in dir. Mode 0 is the default of new files. The error does not
// name the file.
func ReplaceIn(dir *os.Root, name string, mode fs.FileMode, write func(io.Writer) error, checks ...func() error) error {
	newName, perm := temporary+rand.Text(), fs.FileMode(0o600)
	if mode == 0 {
		perm = 0o666
	}
	f, err := dir.OpenFile(newName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return reason(err)
	}
	if mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = write(f)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	for _, check := range checks {
		err = errors.Join(err, check())
	}
	if err == nil {
		err = dir.Rename(newName, name)
	}
	if err != nil {
		return reason(errors.Join(err, dir.Remove(newName)))
	}
	return nil
}

// reason removes the name of the temporary file from an error.
func reason(err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &path) && strings.HasPrefix(filepath.Base(path.Path), temporary):
		return path.Err
	}
	return err
}
