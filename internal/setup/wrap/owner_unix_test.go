//go:build unix

package wrap

import (
	"io/fs"
	"syscall"
)

// owner is whose a file is.
func owner(info fs.FileInfo) [2]uint32 {
	is := info.Sys().(*syscall.Stat_t)
	return [2]uint32{is.Uid, is.Gid}
}
