//go:build unix && !linux

package proxy

import (
	"os"
	"syscall"
)

// ownGroup puts the agent into a group of its own, so that all of it can be
// signalled. If this process is killed, the agent sees its stdin end.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// await returns when the agent has exited, and reaps it.
func (p *process) await() { p.cmd.Wait() }

// groupRuns is true: what there is of a group is not asked for. A zombie in it is waited
// for until the grace is over.
func (p *process) groupRuns() bool { return true }

// stdoutPipe returns a pipe whose size the system chooses.
func stdoutPipe() (r, w *os.File, err error) { return os.Pipe() }
