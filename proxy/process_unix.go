//go:build unix

package proxy

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Signals are the signals to hand to [Options.Signals]. One that was ignored
// when this process started stays so (nohup), for it and for the agent.
// SIGPIPE is not among them: the caller has to keep it from ending the process
// (by signal.Notify, as signal.Ignore would be inherited by the agent).
func Signals() []os.Signal {
	var signals []os.Signal
	for _, s := range []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT,
	} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// A group is a process group: the agent and all that it starts, but for what
// leaves it.
type group struct{ id int }

// startInGroup starts the agent as the first one of its group, which has its id.
func (p *process) startInGroup() error {
	p.cmd.SysProcAttr = ownGroup()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.group.id = p.cmd.Process.Pid
	return nil
}

// forward passes a signal on to the agent's group, and reports whether it is
// one that ends a program. The group of an agent that has exited is left to
// reap.
func (p *process) forward(s os.Signal, exited bool) (ends bool) {
	sig, ok := s.(syscall.Signal)
	if !ok {
		return false
	}
	if !exited {
		p.signalGroup(sig)
	}
	switch sig {
	case syscall.SIGTSTP:
		syscall.Kill(os.Getpid(), syscall.SIGSTOP) // as the signal would have done
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		return true
	}
	return false
}

// signalGroup must be called only while the agent is not reaped or its group
// runs: the group's id may be another's then. What is to end is woken up for it.
func (p *process) signalGroup(s syscall.Signal) {
	syscall.Kill(-p.group.id, s)
	switch s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		syscall.Kill(-p.group.id, syscall.SIGCONT)
	}
}

// readNow reads what is there of a pipe. Its errors are those of readLeft.
func readNow(pipe *os.File, b []byte) (n int, err error) {
	c, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	if err := c.Read(func(fd uintptr) bool {
		for {
			if n, err = syscall.Read(int(fd), b); err != syscall.EINTR {
				return true
			}
		}
	}); err != nil {
		return 0, err
	}
	switch {
	case n < 0:
		return 0, errHeld
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// reap takes the status of an agent that has exited, and ends what it left in
// its group: SIGTERM, and SIGKILL after the grace.
func (p *process) reap(grace time.Duration) Status {
	p.cmd.Wait() // the status has all that its error says
	// The group's id is not given to others while one process is left in it.
	left := func() bool { return syscall.Kill(-p.group.id, 0) == nil && p.groupRuns() }
	if left() {
		p.signalGroup(syscall.SIGTERM)
		for end := time.Now().Add(grace); left() && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if left() {
			p.signalGroup(syscall.SIGKILL)
		}
	}
	state := p.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Status{Code: -1, Signal: ws.Signal()}
	}
	return Status{Code: state.ExitCode()}
}

// hungUp reports whether nobody can read any more what is written to f.
func hungUp(f *os.File) bool {
	hungUp := false
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd)}}
			n, _ := unix.Poll(fds, 0)
			hungUp = n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
		})
	}
	return hungUp
}
