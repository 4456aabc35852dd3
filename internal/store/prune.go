package store

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

// Pruned is what Prune did.
type Pruned struct {
	Paths []string // of the files that it removed, or would remove
	Bytes int64    // their size
	Files int      // how many there were
}

// Prune removes from a folder the parts of records that are too old, and the oldest while all of
// them are too large. The one that was written to last is the newest. One that a run writes now
// stays, however old and large it is. What is not named like a part, or is no regular file,
// stays, too. The error joins those of files that could not be removed.
func Prune(dir string, l Limits) (p Pruned, err error) {
	files, err := parts(dir, "")
	if err != nil {
		return p, err
	}
	files = slices.DeleteFunc(files, func(f part) bool { return f.Name() == l.Except })
	slices.SortFunc(files, func(a, b part) int { // the newest first
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	p.Files = len(files)
	var errs []error
	var kept int64
	full := false
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		full = full || l.Bytes > 0 && kept+f.Size() > l.Bytes
		stays := !full && (l.Age == 0 || time.Since(f.ModTime()) <= l.Age)
		if stays || IsWritten(path) {
			kept += f.Size()
			continue
		}
		if !l.DryRun {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
				continue
			}
		}
		p.Paths, p.Bytes = append(p.Paths, path), p.Bytes+f.Size()
	}
	return p, errors.Join(errs...)
}
