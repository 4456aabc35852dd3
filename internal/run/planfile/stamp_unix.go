//go:build unix

package planfile

import (
	"io/fs"
	"syscall"
)

// inode returns the inode number of a file, or 0.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
