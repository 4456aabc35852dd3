//go:build unix

package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// createIn creates a file in dir and closes it.
func createIn(base, dir string) error {
	f, err := Create(base, dir, "file")
	if err == nil {
		f.Close()
	}
	return err
}

// An existing folder keeps its mode. Create refuses it if others could create files in it.
func TestFoldersKeepTheirMode(t *testing.T) {
	const open = "others can write there"
	for mode, want := range map[os.FileMode]string{
		0o700: "", 0o755: "", 0o750 | os.ModeSetgid: "",
		0o777: open, 0o777 | os.ModeSticky: open, 0o770: open, 0o702: open,
	} {
		dir := filepath.Join(t.TempDir(), "records")
		os.Mkdir(dir, 0o700)
		os.Chmod(dir, mode)
		err := createIn("", dir)
		if (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("a file in a folder of mode %v: %v", mode, err)
		}
		info, err := os.Lstat(dir)
		if err != nil || info.Mode() != mode|os.ModeDir {
			t.Errorf("the mode %v of a folder became %v, %v", mode, info.Mode(), err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 && want != "" {
			t.Errorf("%d files in a folder of mode %v", len(files), mode)
		}
	}
}

// E5: Create follows no link below the base, and refuses a folder there that others can write to.
// It follows links above the base.
func TestFoldersAboveAreOurs(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(base string) error
		want    string // in the error; "" is no error
	}{
		"nothing": {prepare: func(string) error { return nil }},
		"a link above": {prepare: func(base string) error {
			return errors.Join(os.Mkdir(base+".d", 0o755), os.Symlink(base+".d", base))
		}},
		"a link out": {func(base string) error {
			return errors.Join(os.Mkdir(base, 0o755), os.Symlink(filepath.Dir(base), filepath.Join(base, "acpshim")))
		}, "symbolic link"},
		"a link inside": {func(base string) error {
			return errors.Join(os.MkdirAll(filepath.Join(base, "evil"), 0o700), os.Symlink("evil", filepath.Join(base, "acpshim")))
		}, "symbolic link"},
		"a link of the last": {func(base string) error {
			return errors.Join(os.MkdirAll(filepath.Join(base, "acpshim", "evil"), 0o700), os.Symlink("evil", filepath.Join(base, "acpshim", "records")))
		}, "symbolic link"},
		"open to others": {func(base string) error {
			return errors.Join(os.MkdirAll(filepath.Join(base, "acpshim"), 0o700), os.Chmod(filepath.Join(base, "acpshim"), 0o777))
		}, "others can write there"},
	} {
		base := filepath.Join(t.TempDir(), "state")
		if err := c.prepare(base); err != nil {
			t.Fatal(err)
		}
		err := createIn(base, filepath.Join(base, "acpshim", "records"))
		if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			continue
		}
		filepath.WalkDir(filepath.Dir(base), func(path string, e os.DirEntry, _ error) error {
			if e.Name() == "records" && e.IsDir() || e.Name() == "file" {
				t.Errorf("%s: %s was created", name, path)
			}
			return nil
		})
	}
}

// E4, T22: errors name a folder that cannot have files, and say why.
func TestErrorsNameTheFolder(t *testing.T) {
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
		if err := createIn("", dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("a file in %s: %v, want %q", dir, err, want)
		}
	}
}
