//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A shim is a running acpshim whose client is the test.
type shim struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	stderr *lockedBuffer
	wait   func() // until it has ended
}

// startShim runs acpshim with flags before a peer that follows a script.
func startShim(t *testing.T, flags []string, script ...string) *shim {
	t.Helper()
	return startCommand(t, append(append([]string{"acpshim"}, flags...), append([]string{"--", "peer"}, script...)...)...)
}

func startCommand(t *testing.T, argv ...string) *shim {
	t.Helper()
	return startWith(t, func(*exec.Cmd) {}, argv...)
}

// startWith is startCommand with a command that is made otherwise.
func startWith(t *testing.T, otherwise func(*exec.Cmd), argv ...string) *shim {
	t.Helper()
	starts(t)
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &shim{t: t, cmd: exec.Command(argv[0], argv[1:]...), in: in, out: out, stderr: &lockedBuffer{}}
	s.cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirIn, theirOut, s.stderr
	s.cmd.WaitDelay = time.Second
	otherwise(s.cmd)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	s.wait = sync.OnceFunc(func() { s.cmd.Wait() })
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		in.Close()
		out.Close()
		s.wait()
	})
	return s
}

func (s *shim) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatalf("sending: %v", err)
	}
}

// read reads exactly what is wanted.
func (s *shim) read(want string) {
	s.t.Helper()
	s.out.SetReadDeadline(time.Now().Add(time.Minute))
	b := make([]byte, len(want))
	if n, err := io.ReadFull(s.out, b); err != nil || string(b) != want {
		s.t.Fatalf("read %q, %v, want %q; stderr: %s", b[:n], err, want, s.stderr)
	}
}

// rest reads to the end.
func (s *shim) rest() []byte {
	s.t.Helper()
	s.out.SetReadDeadline(time.Now().Add(2 * time.Minute))
	b, err := io.ReadAll(s.out)
	if err != nil {
		s.t.Fatalf("reading to the end: %v after %d bytes; stderr: %s", err, len(b), s.stderr)
	}
	return b
}

// exits waits for the end and checks the status.
func (s *shim) exits(want int) {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		s.t.Fatalf("it does not end; stderr: %s", s.stderr)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.t.Errorf("exit status %d (%v), want %d; stderr: %s", got, s.cmd.ProcessState, want, s.stderr)
	}
}

func (s *shim) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// peak is the most memory that acpshim has had, in bytes.
func (s *shim) peak() int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("no /proc")
	}
	_, after, ok := strings.Cut(string(b), "VmHWM:")
	if !ok {
		s.t.Fatalf("it has ended; stderr: %s", s.stderr)
	}
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return kb << 10
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// eventually waits for something to become true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// pidOf waits for a process id in a file.
func pidOf(t *testing.T, file string) (pid int) {
	t.Helper()
	eventually(t, file+" has a process id", func() bool {
		b, _ := os.ReadFile(file)
		fmt.Sscan(string(b), &pid)
		return pid > 0
	})
	return pid
}

// short is a configuration with short graces.
func short(t *testing.T) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "short.toml")
	if err := os.WriteFile(file, []byte("[shutdown]\ninput_grace = \"200ms\"\nterm_grace = \"200ms\"\ndrain = \"200ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", file}
}
