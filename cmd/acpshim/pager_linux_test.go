package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"
)

// Colours, the width and a pager are for a terminal, and what it would obey is not.
func TestARecordOnATerminal(t *testing.T) {
	starts(t)
	t.Parallel()
	a, err := txtar.ParseFile("testdata/script/log_show.txtar")
	if err != nil {
		t.Fatal(err)
	}
	last := a.Files[len(a.Files)-1]
	file := filepath.Join(t.TempDir(), filepath.Base(last.Name))
	if err := os.WriteFile(file, last.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		env  []string
		args []string
		want []string
		not  string
	}{
		{"colours and width", []string{"PAGER="}, []string{"show", "--run", file}, []string{"\x1b[32m->\x1b[0m", "\x1b[32m+ [ ] Oil\x1b[0m", "resource_link…\r\n"}, "hands.go]"},
		{"no colours", []string{"PAGER=", "NO_COLOR=1"}, []string{"show", "--run", file}, []string{"->   initialize"}, "\x1b"},
		{"a dumb terminal", []string{"PAGER=", "TERM=dumb"}, []string{"show", "--run", file}, []string{"->   initialize"}, "\x1b"},
		{"a pager", []string{"PAGER=sed s/^/paged:/", "NO_COLOR=1"}, []string{"show", "--run", file}, []string{"paged:    1     0.012 ->   initialize", "hands.go]\r\n"}, "\x1b"},
		{"a pager's options", []string{"PAGER=env", "LESS="}, []string{"show", "--run", file}, []string{"LESS=FRSX"}, "initialize"},
		{"a pager that ends at once", []string{"PAGER=true"}, []string{"show", "--run", file}, nil, "error"},
		{"raw", []string{"PAGER="}, []string{"show", "--format", "raw", "--run", file}, []string{`"method":"initialize"`, "\ufffd[2Jhi"}, "\x1b"},
		{"raw records", nil, []string{"show", "--json", "--run", file}, []string{`"kind":"end"`}, "\x1b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			master, terminal := openTerminal(t)
			if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("acpshim", append([]string{"log"}, test.args...)...)
			cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), test.env...)
			cmd.Stdout, cmd.Stderr = terminal, terminal
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			terminal.Close()
			b, _ := io.ReadAll(master) // it ends with an error
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(b), want) {
					t.Errorf("want %q in\n%q", want, b)
				}
			}
			if strings.Contains(string(b), test.not) {
				t.Errorf("do not want %q in\n%q", test.not, b)
			}
		})
	}
}
