package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"acpshim/internal/outfile"
)

var errDangling = errors.New("is a link to a missing file")

// write gives a file a text, whole or not at all. A new file gets the mode of new files, and the
// folders that it lacks. One that is there keeps its mode, and its owner and group where the user
// may set them, and a link to it stays.
func write(dir *os.Root, name, text string) error {
	name, old, err := target(dir, name)
	if err != nil {
		return err
	}
	in := filepath.Dir(name)
	if err := dir.MkdirAll(in, 0o777); err != nil {
		return err
	}
	// All happens in one folder, whatever its name leads to by then.
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

// target returns the name, without links, of a file that may be written, and what is there; nil for
// nothing. The name is followed by dir alone: if another link stands there by then, that one is
// replaced, or leads to a place in dir.
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
	// One that may not be written is not replaced either.
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
