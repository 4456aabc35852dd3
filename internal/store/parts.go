package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Parts returns the paths of a record's parts, in order, given one of them. It is an error if that
// is not named like one. The first ones may have been pruned.
func Parts(path string) ([]string, error) {
	dir, base := filepath.Split(path)
	run, _, ok := splitName(base)
	if !ok {
		return nil, fmt.Errorf("%q is not named like a record", base)
	}
	runs, err := partsIn(filepath.Clean(dir), run)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return runs[0], nil
}

// Runs returns the parts of each record in a folder: the records in the order of their names, so of
// their beginnings, and the parts of each as Parts does. What is no regular file is no part,
// whatever it is named, and neither is an empty one: that is all that a full disk took.
func Runs(dir string) ([][]string, error) { return partsIn(dir, "") }

// A part is a regular file that is named like a part of a record.
type part struct {
	fs.FileInfo
	run    string
	number int
}

// parts are those in a folder whose name begins like that.
func parts(dir, begin string) (found []part, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), begin) || !e.Type().IsRegular() {
			continue
		}
		run, n, ok := splitName(e.Name())
		if !ok {
			continue
		}
		if info, err := e.Info(); err == nil {
			found = append(found, part{info, run, n})
		}
	}
	return found, err
}

// partsIn is Runs for those whose name begins like that.
func partsIn(dir, begin string) ([][]string, error) {
	parts, err := parts(dir, begin)
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.Size() == 0 })
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.run, b.run), cmp.Compare(a.number, b.number))
	})
	var runs [][]string
	for i, p := range parts {
		if i == 0 || p.run != parts[i-1].run {
			runs = append(runs, nil)
		}
		last := &runs[len(runs)-1]
		*last = append(*last, filepath.Join(dir, p.Name()))
	}
	return runs, nil
}
