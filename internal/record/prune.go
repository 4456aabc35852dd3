package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Limits say what may stay in a folder of records. The zero value keeps all.
type Limits struct {
	Bytes  int64         // of all files together; 0 is no limit
	Age    time.Duration // since a file was last written to; 0 is no limit
	Except string        // the name of a file in the folder that stays in any case, and is not counted
	DryRun bool          // remove nothing
}

// Prune removes from a folder the files of records that are too old, and the
// oldest while there are too many bytes. The file that was written to last is
// the newest. The file that a run writes now stays, however old and large it is; those
// that it wrote before go as others do. What is no record by its name, and what is no
// regular file, stays. It returns the paths of what it removed, or of what it would
// remove, and the errors of the others.
func Prune(dir string, l Limits) (removed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []fs.FileInfo // the newest first
	for _, e := range entries {
		if _, _, ok := splitName(e.Name()); !ok || !e.Type().IsRegular() || e.Name() == l.Except {
			continue
		}
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	var errs []error
	var kept int64
	full := false
	for _, f := range files {
		full = full || l.Bytes > 0 && kept+f.Size() > l.Bytes
		if !full && (l.Age == 0 || time.Since(f.ModTime()) <= l.Age) {
			kept += f.Size()
			continue
		}
		path := filepath.Join(dir, f.Name())
		if IsWritten(path) {
			kept += f.Size()
			continue
		}
		if !l.DryRun {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
				continue
			}
		}
		removed = append(removed, path)
	}
	return removed, errors.Join(errs...)
}
