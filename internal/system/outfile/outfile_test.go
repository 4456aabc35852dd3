//go:build unix

package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOutputIsWrittenOverFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"file": "old text", "target": "old text"} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "target", "dangling": "later", "loop": "loop"} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(in("folder"), 0o700), syscall.Mkfifo(in("fifo"), 0o600)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(in("fifo"), os.O_RDWR, 0) // so that writes do not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, c := range []struct {
		name   string
		force  bool
		wrong  string // the error
		exists bool   // the error is ErrExists
	}{
		{"file", false, "%s already exists", true},
		{"link", false, "%s already exists", true},
		{"folder", false, "%s is a folder: name a file", false},
		{"folder", true, "%s is a folder: name a file", false},
		{"loop", false, "stat %s: too many levels of symbolic links", false},
		{"loop", true, "stat %s: too many levels of symbolic links", false},
		{"file", true, "", false},
		{"link", true, "", false},
		{"dangling", false, "%s is a link to \"later\", which does not exist", false},
		{"dangling", true, "%s is a link to \"later\", which does not exist", false},
		{"fifo", false, "", false},
		{"fifo", true, "", false},
		{"new", false, "", false},
	} {
		err := Write(in(c.name), c.force, Text("text"))
		switch {
		case c.wrong == "" && err != nil:
			t.Errorf("%s, force %v: %v", c.name, c.force, err)
		case c.wrong != "" && (err == nil || err.Error() != fmt.Sprintf(c.wrong, in(c.name)) || errors.Is(err, ErrExists) != c.exists):
			t.Errorf("%s, force %v: %+v", c.name, c.force, err)
		}
	}
	for _, name := range []string{"file", "target", "new"} {
		if got, err := os.ReadFile(in(name)); err != nil || string(got) != "text" {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for name, mode := range map[string]os.FileMode{"link": os.ModeSymlink, "dangling": os.ModeSymlink, "fifo": os.ModeNamedPipe, "folder": os.ModeDir} {
		if info, err := os.Lstat(in(name)); err != nil || info.Mode().Type() != mode {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
	got := make([]byte, len("texttext"))
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "texttext" {
		t.Errorf("the pipe got %q, %v", got, err)
	}
	// A failed write leaves nothing.
	for _, force := range []bool{false, true} {
		name := in("new")
		if !force {
			name = in("none")
		}
		if err := Write(name, force, func(io.Writer) error { return errors.New("no") }); err == nil {
			t.Error("no error")
		}
	}
	full := Write(in("new"), true, func(w io.Writer) error {
		return &fs.PathError{Op: "write", Path: w.(*os.File).Name(), Err: syscall.ENOSPC}
	})
	if want := in("new") + " cannot be replaced: no space left on device"; full == nil || full.Error() != want {
		t.Errorf("got %v, want %s", full, want)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 8 {
		t.Errorf("%d entries: %v", len(entries), entries)
	}
}

// Update keeps the mode, also of the target of a link. A failed one changes nothing.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("old"), 0o640), os.Chmod(name, 0o640), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	if err := Update(link, Text("new")); err != nil {
		t.Fatal(err)
	}
	if err := Update(name, func(io.Writer) error { return errors.New("no") }); err == nil {
		t.Error("no error")
	}
	text, _ := os.ReadFile(name)
	if info, _ := os.Stat(name); string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("it is %q, %v", text, info.Mode())
	}
	if err := Update(filepath.Join(dir, "none"), Text("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a missing file: %v", err)
	}
}
