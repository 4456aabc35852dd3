//go:build unix

package state

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Key refuses a key that others may have written or read.
func TestKeyIsOursAlone(t *testing.T) {
	const size = 16
	planted := bytes.Repeat([]byte("A"), size)
	plant := func(file string) error { return os.WriteFile(file, planted, 0o600) }
	for name, c := range map[string]struct {
		prepare func(dir, file string) error
		want    string // in the error; "" is no error
	}{
		"ours":            {prepare: func(_, file string) error { return plant(file) }},
		"read by others":  {func(_, file string) error { return errors.Join(plant(file), os.Chmod(file, 0o644)) }, "others can read it"},
		"read by a group": {func(_, file string) error { return errors.Join(plant(file), os.Chmod(file, 0o640)) }, "others can read it"},
		"written":         {func(_, file string) error { return errors.Join(plant(file), os.Chmod(file, 0o602)) }, "others can write"},
		"a link":          {func(_, file string) error { return errors.Join(plant(file+".d"), os.Symlink(file+".d", file)) }, "symbolic link"},
		"too short":       {func(_, file string) error { return os.WriteFile(file, planted[1:], 0o600) }, "EOF"},
		"an open folder":  {func(dir, file string) error { return errors.Join(plant(file), os.Chmod(dir, 0o777)) }, "others can write there"},
		"a sticky folder": {func(dir, file string) error { return errors.Join(plant(file), os.Chmod(dir, 0o777|os.ModeSticky)) }, "others can write there"},
		"a linked folder": {func(dir, _ string) error { return errors.Join(os.Rename(dir, dir+".d"), os.Symlink(dir+".d", dir)) }, "symbolic link"},
		"another user's": {func(_, file string) error {
			if os.Geteuid() != 0 {
				return os.ErrPermission
			}
			return errors.Join(plant(file), os.Chown(file, 65534, 65534))
		}, "another user"},
	} {
		base := t.TempDir()
		dir := filepath.Join(base, "acpshim")
		file := filepath.Join(dir, "key")
		if err := errors.Join(os.Mkdir(dir, 0o700), c.prepare(dir, file)); errors.Is(err, os.ErrPermission) {
			continue // only root can give files away
		} else if err != nil {
			t.Fatal(err)
		}
		key, err := Key(base, dir, "key", size)
		if c.want == "" && (err != nil || !bytes.Equal(key, planted)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v; want an error with %q", name, key, err, c.want)
		}
	}
}

func TestKeyIsKept(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "state", "acpshim")
	first, err := Key(base, dir, "key", 16)
	if err != nil || len(first) != 16 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	if again, err := Key(base, dir, "key", 16); err != nil || !bytes.Equal(again, first) {
		t.Errorf("another key the second time, %v", err)
	}
	file, err := os.Stat(filepath.Join(dir, "key"))
	if err != nil || file.Mode() != 0o600 {
		t.Errorf("the file: %v, %v", file.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files, want one", len(entries))
	}
}
