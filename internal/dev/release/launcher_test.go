//go:build unix

package release

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// launched is the launcher of the npm package before a shell script in place of the binary.
func launched(t *testing.T, script string, args ...string) *exec.Cmd {
	if testing.Short() {
		t.Skip("starts node: not with -short")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the launcher of the npm package is not run: there is no node")
	}
	platform, err := exec.Command(node, "-p", "process.platform+'-'+process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(t.TempDir(), "node_modules")
	write := func(name string, text []byte) string {
		path := filepath.Join(modules, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if script != "" {
		write("@acpshim/"+strings.TrimSpace(string(platform))+"/bin/acpshim", []byte("#!/bin/sh\n"+script))
	}
	return exec.Command(node, append([]string{write("acpshim/bin/acpshim.js", launcher)}, args...)...)
}

func TestLauncherPassesStreamsArgumentsAndStatus(t *testing.T) {
	c := launched(t, `printf '%s.' "$@"; cat; echo said >&2; exit 7`, "--", "a b", "")
	var out, problem bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader("input"), &out, &problem
	err := c.Run()
	if out.String() != "--.a b..input" || problem.String() != "said\n" || c.ProcessState.ExitCode() != 7 {
		t.Errorf("%q, %q, %v", out.String(), problem.String(), err)
	}
}

func TestLauncherPassesSignals(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP} {
		c := launched(t, `trap 'echo got `+name+`; exit 9' `+name+`; echo ready; n=0; while [ $n -lt 400 ]; do n=$((n+1)); sleep 0.05; done`)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		c.Process.Signal(signal)
		rest, _ := io.ReadAll(out)
		c.Wait()
		if string(rest) != "got "+name+"\n" || c.ProcessState.ExitCode() != 9 {
			t.Errorf("%s: %q, exit status %d", name, rest, c.ProcessState.ExitCode())
		}
	}
}

func TestLauncherEndsByTheSameSignal(t *testing.T) {
	c := launched(t, `kill -KILL $$`)
	c.Run()
	if s := c.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Errorf("it ended with %v", c.ProcessState)
	}
}

func TestLauncherSaysThatTheBinaryIsNotThere(t *testing.T) {
	c := launched(t, "")
	out, _ := c.CombinedOutput()
	if !strings.Contains(string(out), "is not installed") || c.ProcessState.ExitCode() != 125 {
		t.Errorf("%q, exit status %d", out, c.ProcessState.ExitCode())
	}
}
