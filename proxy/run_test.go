//go:build unix

package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	status, err := Run(Options{Command: []string{"sh", "-c", "cat; exit 3"}, Stdin: strings.NewReader("a\nHb\nrest"), Stdout: &out,
		FromClient: &marked{}, InputGrace: time.Minute, Drain: time.Second})
	if err != nil || status.ExitCode() != 3 || out.String() != "a\n<Hb>\nrest" {
		t.Errorf("got %q, status %+v, %v", out.String(), status, err)
	}
}

func TestRunAddsToTheEnvironment(t *testing.T) {
	t.Setenv("KEPT", "kept")
	t.Setenv("TAKEN", "before")
	dir := t.TempDir()
	var out bytes.Buffer
	_, err := Run(Options{Command: []string{"sh", "-c", "echo $KEPT $TAKEN; pwd"}, Env: []string{"TAKEN=x", "TAKEN=a b"}, Dir: dir,
		Stdin: strings.NewReader(""), Stdout: &out, Drain: time.Second})
	if want := "kept a b\n" + dir + "\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v, want %q", out.String(), err, want)
	}
}

func TestRunTellsWhyItCannotStart(t *testing.T) {
	for name, want := range map[string]error{"no-such-agent": exec.ErrNotFound, "./no-such-agent": fs.ErrNotExist, "./run_test.go": fs.ErrPermission} {
		if _, err := Run(Options{Command: []string{name}, Stdin: strings.NewReader(""), Stdout: io.Discard}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func TestManyRunsLeaveNothingBehind(t *testing.T) {
	descriptors := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc")
		}
		return len(fds)
	}
	sleep := fmt.Sprint("sleep ", 1_000_000+os.Getpid()) // no other test's
	run := func() {
		in, client := io.Pipe()
		_, err := Run(Options{Command: []string{"sh", "-c", "echo a; " + sleep + " >/dev/null & exit 0"}, Stdin: in, Stdout: io.Discard, Drain: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		client.Close() // the one read that nobody can release
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes files that nobody holds
	run()
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for range 20 {
		run()
	}
	for range 100 {
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if g, f := runtime.NumGoroutine(), descriptors(); g > goroutines || f > files {
		t.Errorf("%d goroutines and %d descriptors, at first %d and %d", g, f, goroutines, files)
	}
	if out, _ := exec.Command("ps", "-o", "args").Output(); strings.Contains(string(out), sleep) {
		t.Errorf("processes are left:\n%s", out)
	}
}
