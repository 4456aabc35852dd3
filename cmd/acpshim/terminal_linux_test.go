package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// On a terminal there is no client. An agent that logs somebody in needs it.
func TestOnATerminalTheAgentGetsIt(t *testing.T) {
	t.Parallel()
	t.Run("a command", func(t *testing.T) {
		onATerminal(t, "--", "sh", "-c", "test -t 0 && test -t 1 && read answer && echo got $answer; exit 3")
	})
	t.Run("an agent of the configuration", func(t *testing.T) {
		dir := t.TempDir()
		onATerminal(t, "--start", "x", "--set", `agents.x.command=["sh", "-c"]`, "--set", `agents.x.env={WORD="got"}`, "--set", "agents.x.cwd="+dir,
			"--", `read answer && test $(pwd) = `+dir+` && test $PWD = `+dir+` && echo $WORD $answer; exit 3`)
	})
}

// A record that somebody wants is not silently missing.
func TestOnATerminalNothingIsRecorded(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "records")
	seen, code := typed(t, "", "--record", "--set", "record.folder="+folder, "--", "true")
	if _, err := os.Stat(folder); code != 0 || err == nil || !strings.Contains(seen, "acpshim: nothing is recorded, because standard input and output are a terminal") {
		t.Errorf("exit status %d, seen:\n%s", code, seen)
	}
}

// Who types no message is told that one is read.
func TestOnATerminalAMessageIsTyped(t *testing.T) {
	t.Parallel()
	seen, code := typed(t, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\x04", "rules", "explain")
	if code != 0 || !strings.Contains(seen, "acpshim: reading from the terminal; press Ctrl-D") || !strings.Contains(seen, "from the agent: x") {
		t.Errorf("exit status %d, seen:\n%s", code, seen)
	}
}

func onATerminal(t *testing.T, args ...string) {
	t.Helper()
	seen, code := typed(t, "hello\n", args...)
	if code != 3 || !strings.Contains(seen, "got hello") || !strings.Contains(seen, "acpshim: hint: standard input and output are a terminal") {
		t.Errorf("exit status %d, seen:\n%s", code, seen)
	}
}

// typed runs acpshim on a terminal of its own, at which text is typed, and returns what is seen
// there and the exit status.
func typed(t *testing.T, text string, args ...string) (string, int) {
	starts(t)
	t.Helper()
	master, terminal := openTerminal(t)
	cmd := exec.Command("acpshim", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	master.WriteString(text)
	var seen strings.Builder
	for lines := bufio.NewScanner(master); lines.Scan(); {
		seen.WriteString(lines.Text() + "\n")
	}
	cmd.Wait()
	return seen.String(), cmd.ProcessState.ExitCode()
}

// openTerminal returns both ends of a terminal. The second one is the caller's.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, terminal
}
