//go:build unix

package store

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock locks a new file until it is closed, which the end of the process also does. If the lock
// fails, [IsWritten] returns false. IsWritten itself may hold a lock for a moment.
func lock(f *os.File) {
	for range 20 {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// isLocked reports whether a process has locked a file.
func isLocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}
