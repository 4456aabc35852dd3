package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A File is a part that is being written.
type File struct {
	*os.File
	Path string
}

// Create makes a new file in dir and locks it until it is closed. Folders below base are made
// and checked, see [openFolder]; "" is the folder that dir is in. What somebody else planted
// there is an error, and is never followed.
func Create(base, dir, name string) (*File, error) {
	folder, err := openFolder(base, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	if err != nil {
		return nil, inFolder(dir, err)
	}
	lock(f)
	return &File{f, filepath.Join(dir, name)}, nil
}

// WriteAt returns also with an error how much was written, which os.File does not.
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

// Gone reports whether others removed or renamed the file.
func (f *File) Gone() bool {
	at, err := os.Lstat(f.Path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := f.Stat()
	return err == nil && !os.SameFile(at, ours)
}

// IsWritten reports whether a run writes the last of a record's files now. It is false if that
// cannot be known.
func IsWritten(files ...string) bool {
	path := files[len(files)-1]
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe might wait
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isLocked(f)
}
