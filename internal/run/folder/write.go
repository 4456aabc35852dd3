package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"acpshim/internal/system/outfile"
)

var errDangling = errors.New("is a link to a missing file")

// write writes a file, whole or not at all. It creates missing folders. An existing file keeps its
// mode, links to it, and its owner and group where the user is allowed to set them.
func write(dir *os.Root, name, text string) error {
	name, old, err := target(dir, name)
	if err != nil {
		return err
	}
	in := filepath.Dir(name)
	if err := dir.MkdirAll(in, 0o777); err != nil {
		return err
	}
	// Use one open folder from now on: its name may lead elsewhere later.
	parent, err := dir.OpenRoot(in)
	if err != nil {
		return err
	}
	defer parent.Close()
	var mode fs.FileMode
	if old != nil {
		mode = old.Mode().Perm()
	}
	return outfile.ReplaceIn(parent, filepath.Base(name), mode, func(w io.Writer) error {
		if f, ok := w.(*os.File); ok && old != nil {
			outfile.KeepOwner(f, old)
		}
		_, err := io.WriteString(w, text)
		return err
	})
}

// target returns the name of a file without links, and the file if it exists, or an error if it
// cannot be written. Only dir follows the links. If somebody adds a link meanwhile, that link is
// replaced or leads to a place in dir.
func target(dir *os.Root, name string) (string, fs.FileInfo, error) {
	info, err := dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := dir.Lstat(name); err == nil {
			return "", nil, errDangling
		}
		return name, nil, nil
	case err != nil:
		return "", nil, err
	}
	if err := regular(info); err != nil {
		return "", nil, err
	}
	// A read-only file is not replaced.
	if info.Mode().Perm()&0o222 == 0 {
		return "", nil, fs.ErrPermission
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	real, err := filepath.EvalSymlinks(filepath.Join(dir.Name(), name))
	if err != nil {
		return "", nil, err
	}
	name, err = filepath.Rel(resolved(dir.Name()), real)
	if err != nil || !filepath.IsLocal(name) {
		return "", nil, ErrOutside
	}
	return name, info, nil
}
