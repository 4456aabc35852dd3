//go:build unix

package process

import (
	"syscall"
	"time"
)

// A group is the id of a process group.
type group int

// start starts the program as the first one of its group, which has its id.
func (g *Group) start() error {
	g.cmd.SysProcAttr = ownGroup()
	if err := g.cmd.Start(); err != nil {
		return err
	}
	g.id = group(g.cmd.Process.Pid)
	return nil
}

// Signal sends a signal to the group. It must be called only while the program is not reaped or
// its group runs: the group's id may be another's then. What is to end is woken up for it.
func (g *Group) Signal(s syscall.Signal) {
	syscall.Kill(-int(g.id), s)
	switch s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		syscall.Kill(-int(g.id), syscall.SIGCONT)
	}
}

// Reap takes the status of a program that has exited, and ends what it left in its group: SIGTERM,
// and SIGKILL after the grace.
func (g *Group) Reap(grace time.Duration) Status {
	g.cmd.Wait() // the status has all that its error says
	// The group's id is not given to others while one process is left in it.
	left := func() bool { return syscall.Kill(-int(g.id), 0) == nil && g.Runs() }
	if left() {
		g.Signal(syscall.SIGTERM)
		for end := time.Now().Add(grace); left() && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if left() {
			g.Signal(syscall.SIGKILL)
		}
	}
	state := g.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Status{Code: -1, Signal: ws.Signal()}
	}
	return Status{Code: state.ExitCode()}
}
