//go:build unix

package wrap

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"acpshim/internal/setup/editor"
)

// Settings that are a pipe, or much larger than settings are, are told and not read.
func TestStrangeSettings(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, "", 0o644)
	for want, plant := range map[string]func() error{
		"is not a regular file": func() error { return syscall.Mkfifo(file, 0o600) },
		"is larger than":        func() error { return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, editor.MaxSize+1)) },
	} {
		if err := errors.Join(os.Remove(file), plant()); err != nil {
			t.Fatal(err)
		}
		if rows, _ := m.List(""); len(rows) != 1 || !strings.Contains(rows[0].Problem, want) {
			t.Errorf("%s: the list has %+v", want, rows)
		}
		if _, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: wrap says %v", want, err)
		}
	}
}
