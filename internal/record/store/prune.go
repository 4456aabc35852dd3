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

// Limits say which files Prune keeps. The zero value keeps all of them.
type Limits struct {
	Bytes  int64         // of all files together; 0 is no limit
	Age    time.Duration // since the last write to a file; 0 is no limit
	Except string        // the name of a file that is kept and not counted
	DryRun bool          // remove nothing
}

// Pruned is the result of [Prune].
type Pruned struct {
	Paths []string // of the files that it removed, or would remove
	Bytes int64    // their size
	Files int      // that were in the folder
}

// Prune removes parts of records from a folder: those that are too old, and then the oldest ones
// until the rest is small enough. The time of its last write is the age of a file. Prune keeps
// parts that a run is writing, and all files that are not parts. The error joins those of all files
// that could not be removed.
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
