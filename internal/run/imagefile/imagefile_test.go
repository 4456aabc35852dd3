package imagefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	var f Folder
	a, err := f.Write(".png", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Write("", []byte("two"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{a: "one", b: "two"} {
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 || !filepath.IsAbs(path) {
			t.Errorf("%s: %v, %v", path, info, err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s has %q", path, got)
		}
	}
	if info, err := os.Stat(filepath.Dir(a)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(a)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if path, err := f.Write(".png", nil); err == nil {
		t.Errorf("written after the end: %s", path)
	}
}

func TestBounds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	var f Folder
	defer f.Remove()
	if _, err := f.Write("", make([]byte, MaxBytes+1)); !errors.Is(err, ErrFull) {
		t.Errorf("too large: %v", err)
	}
	for range MaxFiles {
		if _, err := f.Write("", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Write("", nil); !errors.Is(err, ErrFull) {
		t.Errorf("too many: %v", err)
	}
	if err := (&Folder{}).Remove(); err != nil {
		t.Errorf("without an image: %v", err)
	}
}
