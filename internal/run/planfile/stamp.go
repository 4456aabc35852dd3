package planfile

import (
	"io/fs"
	"time"
)

// A stamp changes when a file changes. The zero value means that the file cannot be read.
type stamp struct {
	size     int64
	modified time.Time
	inode    uint64 // 0 on systems without it
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime(), inode(info)}
}
