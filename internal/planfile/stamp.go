package planfile

import (
	"io/fs"
	"os"
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

// stamp is that of the file that uri names, if it may be read.
func (r Reader) stamp(uri string, roots []string) (s stamp) {
	path, err := Path(uri)
	if err != nil {
		return stamp{}
	}
	within(path, r.all(roots), func(dir *os.Root, name string) error {
		info, err := dir.Stat(name)
		if err == nil {
			s = stampOf(info)
		}
		return err
	})
	return s
}
