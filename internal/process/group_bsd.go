//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// ownGroup puts a program into a group of its own, so that all of it can be signalled. If this
// process is killed, an agent sees its stdin end.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Await returns when the program has exited, and reaps it.
func (g *Group) Await() { g.cmd.Wait() }

// Runs is true: what there is of a group is not asked for. A zombie in it is waited for until the
// grace is over.
func (g *Group) Runs() bool { return true }

// Pipe returns a pipe whose size the system chooses.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }
