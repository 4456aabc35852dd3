// Package outfile writes the files that people name.
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

// Text writes what a file is to have.
func Text[T string | []byte](text T) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write([]byte(text)); return err }
}

// ErrExists is what is wrong with a name that a file has already.
var ErrExists = errors.New("already exists")

// Write writes a file whole or not at all, for its owner only. A file that is there is replaced if
// force is set, and else an [ErrExists]. A link to nothing is an error. A device or a pipe is
// written to in any case.
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

// writeInto writes to what is opened.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Create is [Write] for a file that must not be there.
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

// replace is [Replace] for the target of a link, which stays.
func replace(name string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	return Replace(target, 0o600, write)
}

// Update is [Write] for a file that is there, and keeps its mode, its owner and its group.
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

// Replace puts a new file of that mode in the place of target, which need not be there, or does
// nothing if write fails, or one of may, which are called when the new file is on the disk.
func Replace(target string, mode fs.FileMode, write func(io.Writer) error, may ...func() error) error {
	dir, err := os.OpenRoot(filepath.Dir(target))
	if err == nil {
		defer dir.Close()
		err = ReplaceIn(dir, filepath.Base(target), mode, write, may...)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", target, err)
	}
	return nil
}

// temporary begins the name of a file that is not whole yet.
const temporary = ".acpshim-"

// ReplaceIn is [Replace] for a name in dir itself. Mode 0 is that of new files. The error does not
// name the file.
func ReplaceIn(dir *os.Root, name string, mode fs.FileMode, write func(io.Writer) error, may ...func() error) error {
	made, perm := temporary+rand.Text(), fs.FileMode(0o600)
	if mode == 0 {
		perm = 0o666
	}
	f, err := dir.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
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
	for _, may := range may {
		err = errors.Join(err, may())
	}
	if err == nil {
		err = dir.Rename(made, name)
	}
	if err != nil {
		return reason(errors.Join(err, dir.Remove(made)))
	}
	return nil
}

// reason is an error without the name of the file that was to be put in the place of another.
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
