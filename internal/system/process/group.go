// Package process starts agents, and the commands that acpshim runs for them. It can end a program
// together with everything that the program started.
package process

import (
	"fmt"
	"os/exec"
	"syscall"
)

// A Group is a program and the processes that it starts, except for those that leave the group on
// purpose. It is a process group on Unix, and a job on Windows.
type Group struct {
	cmd *exec.Cmd
	id  group
}

// A Status is how a program ended.
type Status struct {
	Code   int            // its exit status
	Signal syscall.Signal // that killed the program, or 0
}

// ExitCode returns the status as shells do, with 128+n for signal n.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

// String returns the status in words, such as "ended with status 3".
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("was killed by a signal (%s)", s.Signal)
	}
	return fmt.Sprintf("ended with status %d", s.Code)
}

// Start starts a program in a new group. The error is that of [exec.Cmd.Start], or of creating the
// group. On Linux the kernel kills the program when the thread that started it ends, so the calling
// goroutine has to lock its thread until [Group.Reap] returns.
func Start(cmd *exec.Cmd) (*Group, error) {
	g := &Group{cmd: cmd}
	if err := g.start(); err != nil {
		return nil, err
	}
	return g, nil
}

// PipeSize is the wanted capacity of a [Pipe], in bytes. It is the largest one that needs no
// privileges.
const PipeSize = 1 << 20
