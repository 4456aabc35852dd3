package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Parts returns the paths of the files of one run, in order, given one of them
// that is named like a record. The first ones may have been pruned.
func Parts(path string) ([]string, error) {
	dir, base := filepath.Split(path)
	run, _, ok := splitName(base)
	if !ok {
		return nil, fmt.Errorf("%q is not named like a record", base)
	}
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	byNumber := map[int]string{}
	var numbers []int
	for _, e := range entries {
		if r, n, ok := splitName(e.Name()); ok && r == run {
			byNumber[n] = filepath.Join(dir, e.Name())
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var paths []string
	for _, n := range numbers {
		paths = append(paths, byNumber[n])
	}
	return paths, nil
}

// Open returns a Reader of the files at paths, one after the other, and what
// closes them.
func Open(paths ...string) (*Reader, io.Closer, error) {
	c := &chain{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			c.Close()
			return nil, nil, err
		}
		c.files = append(c.files, f)
	}
	return NewReader(c), c, nil
}

// chain reads files one after the other. A file that was cut off does not run
// into the next one.
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
