package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Create creates a file in dir for its user only. It creates and checks the folders below base as
// [openFolder] does. If the file exists, also as a link, Create returns an error.
func Create(base, dir, name string) (*os.File, error) {
	folder, err := openFolder(base, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := create(folder, name)
	return f, inFolder(dir, err)
}

// create creates a file in an open folder.
func create(folder *os.Root, name string) (*os.File, error) {
	return folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
}

// openFolder opens dir, and creates missing folders for their user only. An existing folder keeps
// its mode. Each folder below base has to be a folder, not a link, in which only its user can
// write; base "" is the parent of dir. Base itself may have links in its path.
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

// openOwn opens a folder in another one. It creates a missing folder.
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
	if err = isSame(info, opened, err); err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

// isSame returns an error if the file that was opened is not the one that was checked before.
func isSame(checked, opened fs.FileInfo, err error) error {
	if err == nil && !os.SameFile(checked, opened) {
		err = errors.New("was replaced while it was opened")
	}
	return err
}

// inFolder puts the path of a folder before an error, and removes the path relative to it.
func inFolder(dir string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", dir, err)
}
