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
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/system/process"

	"github.com/rs/zerolog"
)

func TestRun(t *testing.T) {
	stderr, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	var out bytes.Buffer
	status, err := Run(Options{Command: []string{"sh", "-c", "cat; echo e >&2; exit 3"}, Stdin: strings.NewReader("a\nHb\nrest"), Stdout: &out, Stderr: stderr,
		FromClient: &marker{}, InputGrace: time.Minute, Drain: time.Second})
	if err != nil || status.ExitCode() != 3 || out.String() != "a\n<Hb>\nrest" {
		t.Errorf("got %q, status %+v, %v", out.String(), status, err)
	}
	if told, err := os.ReadFile(stderr.Name()); err != nil || string(told) != "e\n" {
		t.Errorf("its stderr is %q, %v", told, err)
	}
}

func TestRunAddsToTheEnvironment(t *testing.T) {
	t.Setenv("KEPT", "kept")
	t.Setenv("TAKEN", "before")
	dir := t.TempDir()
	var out bytes.Buffer
	_, err := Run(Options{Command: []string{"sh", "-c", "echo $KEPT $TAKEN; echo to the null device >&2 && pwd"}, Env: []string{"TAKEN=x", "TAKEN=a b"}, Dir: dir,
		Stdin: strings.NewReader(""), Stdout: &out, Drain: time.Second})
	if want := "kept a b\n" + dir + "\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v, want %q", out.String(), err, want)
	}
}

// Lines are drained in both directions during a run, and not after its end.
func TestRunDrains(t *testing.T) {
	toAgent, toClient := newOutbox(nil), newOutbox(nil)
	toAgent.put("to the agent")
	toClient.put("to the client")
	wakesAgent, wakesClient := NewInjector(), NewInjector()
	wakesAgent.Wake()
	wakesClient.Wake()
	var out lockedBuffer
	if _, err := Run(Options{Command: []string{"cat"}, Stdin: strings.NewReader("a\n"), Stdout: &out, FromClient: toAgent, FromAgent: toClient,
		ToAgent: wakesAgent, ToClient: wakesClient, Drain: time.Minute}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if slices.Sort(lines); !slices.Equal(lines, []string{"", "a", "to the agent", "to the client"}) {
		t.Errorf("got %q", lines)
	}
	for _, o := range []*outbox{toAgent, toClient} {
		if o.put("late") || o.closed != 1 {
			t.Errorf("closed %d times after the end", o.closed)
		}
	}
}

func TestRunDrainsIntoSilence(t *testing.T) {
	in, client := io.Pipe()
	toAgent, wakes := newOutbox(nil), NewInjector()
	got := make(chan string, 1)
	go func() {
		toAgent.put("ours")
		wakes.Wake()
		if line := <-got; line != "ours\n" {
			t.Errorf("got %q", line)
		}
		client.Close()
	}()
	if _, err := Run(Options{Command: []string{"cat"}, Stdin: in, Stdout: writer(func(b []byte) { got <- string(b) }), FromClient: toAgent, ToAgent: wakes, Drain: time.Minute}); err != nil {
		t.Fatal(err)
	}
}

func TestRunClosesTheInputThatTheAgentClosed(t *testing.T) {
	in, client := io.Pipe()
	signals := make(chan os.Signal)
	go func() {
		for {
			if _, err := io.WriteString(client, "a\n"); err != nil {
				signals <- syscall.SIGTERM
				return
			}
		}
	}()
	status, err := Run(Options{Command: []string{"sh", "-c", "exec <&-; exec sleep 1000"}, Stdin: in, Stdout: io.Discard, Signals: signals, TermGrace: time.Minute, Drain: time.Minute})
	if err != nil || status.Signal != syscall.SIGTERM {
		t.Errorf("it ended with %v, %v", status, err)
	}
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGUSR2)
	defer signal.Reset(syscall.SIGUSR2)
	signals := Signals()
	for s, want := range map[os.Signal]bool{syscall.SIGTERM: true, syscall.SIGUSR1: true, syscall.SIGTSTP: true, syscall.SIGUSR2: false, syscall.SIGPIPE: false} {
		if got := slices.Contains(signals, s); got != want {
			t.Errorf("%v is handed on: %v", s, got)
		}
	}
}

func TestRunReturnsWhyItCannotStart(t *testing.T) {
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

// The bytes in the agent's pipe after the drain are read without blocking, up to the size of a
// pipe, because other processes may write forever.
func TestReadLeft(t *testing.T) {
	r, w, err := process.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a, b := &program{stdout: r}, make([]byte, process.PipeSize)
	r.SetReadDeadline(time.Unix(1, 0))
	expect := func(when string, wantN int, want error) {
		t.Helper()
		if n, err := a.readLeft(b); n != wantN || err != want {
			t.Errorf("%s: %d bytes, %v; want %d, %v", when, n, err, wantN, want)
		}
		if _, err := r.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the next read waits: %v", when, err)
		}
	}
	expect("nothing is there", 0, errHeld)
	io.WriteString(w, "abc")
	expect("something is there", 3, nil)
	expect("it has been read", 0, errHeld)
	a.left = process.PipeSize - 3
	io.WriteString(w, "abc")
	expect("three bytes more may be read", 3, nil)
	io.WriteString(w, "abc")
	expect("as much was read as a pipe holds", 0, errHeld)
	a.left = 0
	w.Close()
	expect("the last writer is gone", 3, nil)
	expect("nothing is left", 0, io.EOF)
}

func TestRunLogsProblemsOnce(t *testing.T) {
	long := "H" + strings.Repeat("x", 100) + "\n"
	for _, test := range []struct {
		name, script, in string
		o                Options
		want             []string // of each line of the log, in any order
	}{
		{"nothing", "cat", "a\nHb\n", Options{TermGrace: time.Minute, Drain: time.Minute}, nil},
		{"long lines", "cat >/dev/null", long + "a\n" + long, Options{Drain: time.Minute},
			[]string{`"level":"warn","from":"client","limit":50,"message":"a line is too long`}},
		{"lines without an end", "cat; printf ab", "a\nlast", Options{Drain: time.Minute},
			[]string{`"from":"client","bytes":4,"message":"the last line has no line end`, `"from":"agent","bytes":6,"message":"the last line has no line end`}},
		{"a client that cannot be read", "cat", "a\nbroken", Options{Drain: time.Minute},
			[]string{`"level":"warn","error":"broken","message":"reading the output of the client"`}},
		{"output that another holds", "sleep 1000 & exit 0", "", Options{Drain: time.Millisecond, TermGrace: time.Hour},
			[]string{`"message":"another process holds the agent's output after its exit`}},
		{"an agent that does not end", "trap '' TERM; echo a; while :; do :; done", "when it has begun",
			Options{InputGrace: time.Millisecond, TermGrace: time.Millisecond, Drain: time.Minute},
			[]string{`the agent did not end when its input was closed: terminating it`, `the agent did not end when it was told to: killing it`}},
	} {
		var log lockedBuffer
		in, client := io.Pipe()
		go func() {
			switch text, isBroken := strings.CutSuffix(test.in, "broken"); {
			case isBroken:
				io.WriteString(client, text)
				client.CloseWithError(errors.New("broken"))
			case text != "when it has begun":
				io.WriteString(client, text)
				client.Close()
			}
		}()
		o := test.o
		o.Command, o.Stdin, o.FromClient, o.FromAgent = []string{"sh", "-c", test.script}, in, &marker{}, &marker{}
		o.Stdout = writer(func([]byte) {
			if test.in == "when it has begun" {
				client.Close()
			}
		})
		o.HoldLimit, o.Log = 50, zerolog.New(&log)
		if _, err := Run(o); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "\n"); n != len(test.want) {
			t.Errorf("%s: %d lines are told:\n%s", test.name, n, log.String())
		}
		for _, want := range test.want {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: not told: %s in\n%s", test.name, want, log.String())
			}
		}
	}
}
