//go:build unix

package process

import (
	"syscall"
	"time"
)

// A group is the id of a process group.
type group int

// start starts the program. Its id is the id of the group.
func (g *Group) start() error {
	g.cmd.SysProcAttr = ownGroup()
	if err := g.cmd.Start(); err != nil {
		return err
	}
	g.id = group(g.cmd.Process.Pid)
	return nil
}

// Signal sends a signal to the group. Call it only before the program is reaped or while the group
// runs, because later another group may have the id. Signal continues stopped processes that are to
// end.
func (g *Group) Signal(s syscall.Signal) {
	syscall.Kill(-int(g.id), s)
	switch s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		syscall.Kill(-int(g.id), syscall.SIGCONT)
	}
}

// Reap reaps a program that has exited and returns its status. It ends other processes of the group
// with SIGTERM, and with SIGKILL after the grace.
func (g *Group) Reap(grace time.Duration) Status {
	g.cmd.Wait() // the status has what the error says
	// No other group gets the id while a process is left in this one.
	isLeft := func() bool { return syscall.Kill(-int(g.id), 0) == nil && g.Runs() }
	if isLeft() {
		g.Signal(syscall.SIGTERM)
		for end := time.Now().Add(grace); isLeft() && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if isLeft() {
			g.Signal(syscall.SIGKILL)
		}
	}
	return g.status()
}

// status returns the status of a program that was reaped.
func (g *Group) status() Status {
	state := g.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Status{Code: -1, Signal: ws.Signal()}
	}
	return Status{Code: state.ExitCode()}
}
