package store

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// A Watch finds the runs in a folder, which need not be there yet. It is for one goroutine.
type Watch struct {
	Dir  string
	seen map[string]bool // the names of runs; nil before the first look
}

// Next returns the files of a run that it has not returned yet: at first of the newest one that is
// written now, then of the oldest one that was not there before. It does not wait; nil is none.
func (w *Watch) Next() (found []string, err error) {
	all, err := Runs(w.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	isFirst := w.seen == nil
	if isFirst {
		w.seen = map[string]bool{}
	}
	for _, files := range all {
		run, _, _ := splitName(filepath.Base(files[0])) // the first file may be gone later
		isNew := !w.seen[run]
		w.seen[run] = true
		switch {
		case isNew && !isFirst:
			return files, nil
		case isNew && IsWritten(files...):
			found = files
		}
	}
	return found, nil
}
