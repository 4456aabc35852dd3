package store

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// onlyOurs is always nil: a user's folders are closed to others there.
func onlyOurs(fs.FileInfo) error { return nil }

// closedToOthers is always nil, for the same reason.
func closedToOthers(fs.FileInfo) error { return nil }

// lock locks a file until it is closed, at a place where nothing is written: what is
// locked cannot be read there.
func lock(f *os.File) { lockPlace(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// isLocked reports whether somebody has locked a file.
func isLocked(f *os.File) bool { return lockPlace(f, 0) == windows.ERROR_LOCK_VIOLATION }

func lockPlace(f *os.File, how uint32) error {
	place := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
}
