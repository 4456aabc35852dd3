//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// onlyOurs returns why a folder is one in which others could plant or remove files.
func onlyOurs(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New(`others can write there: use a folder of your own, or run "chmod go-w" on it`)
	}
	return nil
}

// closedToOthers returns why a file is not one that its user alone can read and write.
func closedToOthers(info fs.FileInfo) error {
	if err := onlyOurs(info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New(`others can read it: run "chmod go=" on it`)
	}
	return nil
}

// lock locks a file that was just made until it is closed, also by the end of the
// process. Where that cannot be done, nobody sees that it is in use. [IsWritten] may hold it for a
// moment.
func lock(f *os.File) {
	for range 20 {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// isLocked reports whether somebody has locked a file.
func isLocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}
