//go:build unix

package state

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTryLeavesNothing(t *testing.T) {
	base := t.TempDir()
	if err := Try(base, filepath.Join(base, "acpshim", "records")); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(base, "there")
	if err := os.Mkdir(there, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Try(base, there); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(base, "*", ".*"))
	entries, readErr := os.ReadDir(base)
	if err != nil || readErr != nil || len(entries) != 1 || entries[0].Name() != "there" || len(left) > 0 {
		t.Errorf("left are %v, %v", entries, left)
	}
}

func TestTryRefusesWhatCreateDoes(t *testing.T) {
	base := t.TempDir()
	open, file := filepath.Join(base, "open"), filepath.Join(base, "file")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil { // the mask does not apply
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{open, filepath.Join(open, "records"), file, filepath.Join(file, "records")} {
		if err := Try(base, dir); err == nil {
			t.Errorf("%s is no error", dir)
		}
	}
	if entries, _ := os.ReadDir(open); len(entries) > 0 {
		t.Errorf("left is %v", entries)
	}
}
