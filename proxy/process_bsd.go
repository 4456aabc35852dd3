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

func (p *process) groupRuns() bool { return true }

func stdoutPipe() (r, w *os.File, err error) { return os.Pipe() }
