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

// Parts returns the paths of all parts of a record, in order, given one of them. It returns an
// error if that is not named like a part. The first parts may have been pruned.
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

// Runs returns the parts of each record in a folder, the oldest record first. It leaves out empty
// files, which a full disk leaves, and everything that is not a regular file.
func Runs(dir string) ([][]string, error) { return partsIn(dir, "") }

// A part is a file of a record in a folder.
type part struct {
	fs.FileInfo
	run    string
	number int
}

// parts returns the parts in a folder whose names begin with a text.
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

// partsIn is [Runs] for parts whose names begin with a text.
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
