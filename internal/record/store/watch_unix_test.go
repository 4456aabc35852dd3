//go:build unix

package store

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Next first returns the newest running run, and then each new run once.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	w := Watch{Dir: dir}
	next := func(want string) {
		t.Helper()
		files, err := w.Next()
		got := ""
		if files != nil {
			got = Name(files)
		}
		if err != nil || got != want {
			t.Fatalf("found %q, %v; want %q", got, err, want)
		}
	}
	begin := func(name string, locked bool) {
		t.Helper()
		f, err := os.Create(filepath.Join(dir, name+suffix))
		if err == nil && locked {
			t.Cleanup(func() { f.Close() })
			err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		}
		if err == nil {
			_, err = f.WriteString("{}\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if !locked {
			f.Close()
		}
	}
	const ended, older, newer, latest, earlier = "20260304T100000.000Z-a-1-00000001", "20260304T100001.000Z-a-2-00000002",
		"20260304T100002.000Z-a-3-00000003", "20260304T100003.000Z-a-4-00000004", "20260303T100003.000Z-a-5-00000005"
	next("") // the folder is not there yet
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	begin(ended, false)
	next(ended)
	next("")
	w = Watch{Dir: dir}
	begin(older, true)
	begin(newer, true)
	next(newer)
	next("")
	begin(latest, false)
	begin(earlier, false) // the clock was set back
	next(earlier)
	next(latest)
	begin(latest+".1", true)
	os.Remove(filepath.Join(dir, latest+suffix)) // as a long run is pruned
	next("")
}
