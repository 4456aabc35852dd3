package state

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Try returns the error with which [Create] fails in a folder. It leaves nothing: it removes the
// folders that it creates, unless somebody else has used them meanwhile.
func Try(base, dir string) error {
	var missing []string // the deepest first
	for at := dir; isMissing(at); at = filepath.Dir(at) {
		missing = append(missing, at)
	}
	defer func() {
		for _, folder := range missing {
			os.Remove(folder)
		}
	}()
	name := "." + rand.Text()
	f, err := Create(base, dir, name)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close(), os.Remove(filepath.Join(dir, name)))
}

func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
