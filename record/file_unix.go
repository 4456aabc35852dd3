//go:build unix

package record

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedByUs(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
