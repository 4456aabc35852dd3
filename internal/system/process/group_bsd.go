//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// ownGroup puts a program into a new group, so that all its processes can be signalled. If this
// process is killed, the agent reads the end of its stdin.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Await returns when the program has exited, and how. It reaps the program.
func (g *Group) Await() Status {
	g.cmd.Wait()
	return g.status()
}

// Runs returns true, because it does not look for zombies. [Group.Reap] waits for them until the
// grace is over.
func (g *Group) Runs() bool { return true }

// Pipe returns a pipe whose size the system chooses.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }
