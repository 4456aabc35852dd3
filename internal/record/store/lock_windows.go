package store

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file until it is closed. It locks a range after the end, because Windows lets nobody
// read a locked range.
func lock(f *os.File) { lockRange(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// isLocked reports whether a process has locked a file.
func isLocked(f *os.File) bool { return lockRange(f, 0) == windows.ERROR_LOCK_VIOLATION }

func lockRange(f *os.File, flags uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
