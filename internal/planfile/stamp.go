package planfile

import (
	"io/fs"
	"time"
)

// A stamp tells states of a file apart, without its content. The zero stamp is
// that of a file that cannot be seen.
type stamp struct {
	size     int64
	modified time.Time
	inode    uint64 // 0 where there is none
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime(), inode(info)}
}
