package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"acpshim/internal/system/state"
)

// A File is a part that is being written.
type File struct {
	*os.File
	Path string
}

// Create creates a file as [state.Create] does, and locks it until it is closed.
func Create(base, dir, name string) (*File, error) {
	f, err := state.Create(base, dir, name)
	if err != nil {
		return nil, err
	}
	lock(f)
	return &File{f, filepath.Join(dir, name)}, nil
}

// WriteAt returns how many bytes were written, also with an error. os.File does not.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(b, off)
	if err == nil {
		return n, nil
	}
	if info, e := f.Stat(); e == nil {
		n = int(min(max(info.Size()-off, 0), int64(len(b))))
	}
	return n, err
}

// Gone reports whether somebody removed or renamed the file.
func (f *File) Gone() bool {
	at, err := os.Lstat(f.Path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := f.Stat()
	return err == nil && !os.SameFile(at, ours)
}

// IsWritten reports whether a run is writing the last of a record's files. It returns false if that
// cannot be known.
func IsWritten(files ...string) bool {
	path := files[len(files)-1]
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe might block
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isLocked(f)
}
