package state

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// NewReport removes reports that are older than a day, and no other files.
func TestOldReportsAreRemoved(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder for state has another name here")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	now := time.Now()
	first, err := NewReport(now)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(first)
	for name, age := range map[string]time.Duration{filepath.Base(first): 25 * time.Hour, "report-b.html": 23 * time.Hour, "other": 1000 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(path, now.Add(-age), now.Add(-age))
	}
	os.Chmod(dir, 0o755)
	second, err := NewReport(now)
	if err != nil || second == first {
		t.Fatal(second, err)
	}
	var names []string
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		names = append(names, f.Name())
	}
	if !slices.Equal(names, []string{"other", "report-b.html"}) {
		t.Errorf("there are %q", names)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
}
