package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A repeated is an endless text.
type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// What is not a record, such as a file of a terabyte of holes, is neither kept nor read to its end.
func TestFilesThatAreNotRecords(t *testing.T) {
	const record = `{"kind":"end","seq":1}` + "\n"
	for name, test := range map[string]struct {
		from   io.Reader
		want   error
		broken int
	}{
		"holes without an end":                 {repeated(0), ErrNoRecord, 0},
		"holes after a record":                 {io.MultiReader(strings.NewReader(record), repeated(0)), ErrNoRecord, 0},
		"a long line without an end":           {io.LimitReader(repeated('x'), 300<<20), io.EOF, 1},
		"a long line that begins with a brace": {io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(repeated('x'), 300<<20)), io.EOF, 1},
		"a long line, and records after it":    {io.MultiReader(io.LimitReader(repeated('x'), 300<<20), strings.NewReader("\n"+record)), io.EOF, 1},
		"empty lines and lines of other files": {strings.NewReader("\n[1]\n \"x\"\n" + record + "null\n"), io.EOF, 4},
		"a line that was cut off":              {strings.NewReader(record + record[:9]), io.EOF, 1},
	} {
		r := NewReader(test.from)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		for err == nil {
			_, err = r.Next()
		}
		runtime.ReadMemStats(&after)
		if !errors.Is(err, test.want) || r.Broken != test.broken {
			t.Errorf("%s: %v, and %d broken lines", name, err, r.Broken)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 10 {
			t.Errorf("%s: it takes %d MiB", name, took)
		}
	}
}

// A large file is looked into, whatever its name is.
func TestAFileOfHolesIsNotARecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "20261128T090000.000Z-x-1-0123abcd.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // not every file system has holes
	}
	if err := Check(path); err == nil || !strings.Contains(err.Error(), "is not a record") {
		t.Errorf("it is checked with %v", err)
	}
}

// A HeadReader takes little memory, however long the lines of a record are.
func TestHeadReader(t *testing.T) {
	long := io.LimitReader(repeated('x'), 100<<20)
	r := NewHeadReader(io.MultiReader(strings.NewReader(`{"kind":"message","b64":"`), long, strings.NewReader("\"}\n{\"kind\":\"end\"}\n")))
	first, err := r.Next()
	if len(first) < 64<<10 || len(first) > 128<<10 || err != nil {
		t.Errorf("the first head has %d bytes, %v", len(first), err)
	}
	if last, err := r.Next(); string(last) != "{\"kind\":\"end\"}\n" || err != nil {
		t.Errorf("the last head is %q, %v", last, err)
	}
}
