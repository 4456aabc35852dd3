package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// openFolder opens a folder. What is missing is made, for its user only; what is there keeps its
// mode. Below base, "" is the folder that dir is in, each folder on the way has to be one, no link,
// and nobody else's. Links above base are the user's own affair.
func openFolder(base, dir string) (*os.Root, error) {
	if base == "" {
		base = filepath.Dir(dir)
	}
	below, err := filepath.Rel(base, dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		base = filepath.Join(base, name)
		next, err := openOwn(folder, name)
		folder.Close()
		if err != nil {
			return nil, inFolder(base, err)
		}
		folder = next
	}
	return folder, nil
}

// openOwn opens a folder in another one, and makes it if it is not there.
func openOwn(in *os.Root, name string) (*os.Root, error) {
	if err := in.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("is a symbolic link or not a directory")
	}
	if err := onlyOurs(info); err != nil {
		return nil, err
	}
	folder, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := folder.Stat(".")
	if err == nil && !os.SameFile(opened, info) {
		err = errors.New("was replaced while it was opened")
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

// inFolder names the folder of an error, in place of what is relative to it.
func inFolder(dir string, err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", dir, err)
}
