package store

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// A Watch finds new runs in a folder, which may not exist yet. It is for one goroutine.
type Watch struct {
	Dir  string
	seen map[string]bool // the names of runs; nil before the first look
}

// Next returns the files of a run that it has not returned before, or nil. The first call returns
// the newest run that is being written; later calls return the oldest new one. Next does not block.
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
		run, _, _ := splitName(filepath.Base(files[0])) // the first file may be removed later
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
