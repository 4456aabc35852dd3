//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// KeepOwner gives a new file the owner and the group of the old one, as far as the user is allowed
// to.
func KeepOwner(f *os.File, old fs.FileInfo) {
	is, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(is.Uid), int(is.Gid)) != nil {
		f.Chown(-1, int(is.Gid)) // works for a group of the user
	}
}
