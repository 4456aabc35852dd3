package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeFile writes a file whole or not at all, for its owner only; "" and "-" are
// standard output. What is there is written over if force is set, and in any case
// if it is no file: a device or a pipe. The error is an exit.
func writeFile(name string, force bool, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return failed(write(asItIs()))
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return &exit{1, fmt.Errorf("%s is a folder: want the name of a file", name), ""}
	case err == nil && !info.Mode().IsRegular():
		return failed(writeInto(name, os.O_WRONLY, write))
	case err == nil && force:
		return failed(replaceFile(name, write))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return failed(err)
	case err != nil && force: // a link to nothing, too
		return failed(writeInto(name, os.O_WRONLY|os.O_CREATE, write))
	}
	err = createFile(name, write)
	if errors.Is(err, fs.ErrExist) {
		return &exit{1, fmt.Errorf("%s is there and stays as it is", name), "--force writes over it"}
	}
	return failed(err)
}

// writeInto writes to what is opened.
func writeInto(name string, flags int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// createFile writes a file that is not there yet; the error is an [fs.ErrExist] if
// it is.
func createFile(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// replaceFile puts a new file in the place of one that is there. A link stays, and its target is
// replaced.
func replaceFile(name string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".acpshim-*")
	if err != nil {
		return notReplaced(target, err)
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return notReplaced(target, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// notReplaced is the error of replaceFile, without the name of the file that was to be
// put in the place of target.
func notReplaced(target string, err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case errors.As(err, &link):
		err = link.Err
	case errors.As(err, &path) && strings.HasPrefix(path.Path, filepath.Join(filepath.Dir(target), ".acpshim-")):
		err = path.Err
	}
	return fmt.Errorf("%s cannot be replaced: %w", target, err)
}

// keepRecord is an error if the file to be written is one of the record: its copy has
// less. The error is an exit.
func keepRecord(parts []string, name string) error {
	to, err := os.Stat(name)
	if err != nil || !to.Mode().IsRegular() {
		return nil
	}
	for _, part := range parts {
		if from, err := os.Stat(part); err == nil && os.SameFile(from, to) {
			return &exit{1, fmt.Errorf("%s is the record itself, and stays as it is: want another file", name), ""}
		}
	}
	return nil
}
