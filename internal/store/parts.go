package store

import (
	"cmp"
	"fmt"
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

// partsIn is Runs for those whose name begins like that.
func partsIn(dir, begin string) ([][]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type part struct {
		run    string
		number int
		path   string
	}
	var parts []part
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), begin) {
			continue
		}
		run, n, ok := splitName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() > 0 {
			parts = append(parts, part{run, n, filepath.Join(dir, e.Name())})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.run, b.run), cmp.Compare(a.number, b.number))
	})
	var runs [][]string
	for i, p := range parts {
		if i == 0 || p.run != parts[i-1].run {
			runs = append(runs, nil)
		}
		last := &runs[len(runs)-1]
		*last = append(*last, p.path)
	}
	return runs, nil
}
