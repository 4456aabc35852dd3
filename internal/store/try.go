package store

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Try returns why no file can be made in a folder as [Create] makes one, and leaves nothing:
// folders that it had to make are removed again, if nobody else has used them meanwhile.
func Try(base, dir string) error {
	var made []string // the deepest first
	for at := dir; isMissing(at); at = filepath.Dir(at) {
		made = append(made, at)
	}
	defer func() {
		for _, folder := range made {
			os.Remove(folder)
		}
	}()
	f, err := Create(base, dir, "."+rand.Text())
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("\n"), 0)
	return errors.Join(err, f.Close(), os.Remove(f.Path))
}

func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
