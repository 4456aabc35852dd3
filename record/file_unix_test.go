//go:build unix

package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// E4, T22: what cannot hold records is refused at once, and by its name.
func TestWhatCannotHoldRecords(t *testing.T) {
	base := t.TempDir()
	fifo, closed, other := filepath.Join(base, "fifo"), filepath.Join(base, "closed"), filepath.Join(base, "other")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{fifo: "not a directory", os.DevNull: "not a directory"}
	if os.Geteuid() == 0 {
		os.Mkdir(other, 0o700)
		if err := os.Chown(other, 12345, -1); err != nil {
			t.Fatal(err)
		}
		dirs[other] = "belongs to another user"
	} else {
		os.Mkdir(closed, 0o500)
		dirs[closed], dirs[filepath.Join(closed, "below")] = "permission denied", "permission denied"
	}
	for dir, want := range dirs {
		_, err := New(Options{Dir: dir, Required: true})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("a record in %s: %v, want %q", dir, err, want)
		}
	}
}
