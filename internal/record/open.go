package record

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Parts returns the paths of the files of one run, in order, given one of them
// that is named like a record. The first ones may have been pruned.
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

// Runs returns the paths of the files of each run in a folder: the runs by their
// names, so by when they began, and the files of each as Parts does. What is no regular
// file is no record, whatever it is named, and neither is an empty one: that is all that
// a full disk took.
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

// Open opens the files at paths, to be read one after the other. A file that was cut
// off does not run into the next one.
func Open(paths ...string) (io.ReadCloser, error) {
	c := &chain{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.files = append(c.files, f)
	}
	return c, nil
}

type chain struct {
	files []*os.File // all of them
	at    int
	last  byte
}

func (c *chain) Read(p []byte) (int, error) {
	for c.at < len(c.files) {
		n, err := c.files[c.at].Read(p)
		if n > 0 {
			c.last = p[n-1]
			return n, nil
		}
		if err != io.EOF {
			return 0, err
		}
		c.at++
		if c.last != '\n' && c.at < len(c.files) && len(p) > 0 {
			c.last, p[0] = '\n', '\n'
			return 1, nil
		}
	}
	return 0, io.EOF
}

func (c *chain) Close() error {
	var first error
	for _, f := range c.files {
		if err := f.Close(); first == nil {
			first = err
		}
	}
	return first
}
