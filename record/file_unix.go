//go:build unix

package record

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs returns why a folder is one in which others could plant or remove files.
func onlyOurs(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New(`others can write there: name a folder that is yours alone, or "chmod go-w" it`)
	}
	return nil
}
