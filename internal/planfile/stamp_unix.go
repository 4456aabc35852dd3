//go:build unix

package planfile

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file, 0 if the system has none.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
