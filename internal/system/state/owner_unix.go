//go:build unix

package state

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs returns an error for a folder in which others could create or remove files.
func onlyOurs(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New(`others can write there: use a folder of your own, or run "chmod go-w" on it`)
	}
	return nil
}

// closedToOthers returns an error for a file that others can read or write.
func closedToOthers(info fs.FileInfo) error {
	if err := onlyOurs(info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New(`others can read it: run "chmod go=" on it`)
	}
	return nil
}
