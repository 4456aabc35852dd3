// Package process starts programs so that all that they start can be ended with them: agents, and
// the commands that acpshim runs for them.
package process

import (
	"fmt"
	"os/exec"
	"syscall"
)

// A Group is a program and all that it starts, but for what leaves it on purpose: a process group
// on Unix, a job on Windows.
type Group struct {
	cmd *exec.Cmd
	id  group
}

// A Status is how a program ended.
type Status struct {
	Code   int            // its exit status
	Signal syscall.Signal // what killed it, or 0
}

// ExitCode is the status as a shell puts it: 128+n for signal n.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

// String says it in words: "ended with status 3".
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("was killed by a signal (%s)", s.Signal)
	}
	return fmt.Sprintf("ended with status %d", s.Code)
}

// Start starts a program as the first one of a group of its own. The error is that of
// [exec.Cmd.Start], or of making the group. On Linux the kernel kills the program when the thread
// that started it ends, so the calling goroutine is to keep its thread until [Group.Reap].
func Start(cmd *exec.Cmd) (*Group, error) {
	g := &Group{cmd: cmd}
	if err := g.start(); err != nil {
		return nil, err
	}
	return g, nil
}

// PipeSize is the capacity that is wanted for a [Pipe], in bytes: the most that needs no
// privileges.
const PipeSize = 1 << 20
