//go:build unix

package proxy

import (
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signals returns the signals for [Options.Signals]. A signal that was ignored when acpshim started
// (nohup) stays ignored, also by the agent. The caller has to handle SIGPIPE with signal.Notify,
// because the agent would inherit signal.Ignore.
func Signals() []os.Signal {
	return append(EndSignals(), notIgnored(syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT)...)
}

// EndSignals returns the signals that end a program which does not handle them, except for those
// that were ignored when acpshim started.
func EndSignals() []os.Signal {
	return notIgnored(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
}

func notIgnored(signals ...os.Signal) []os.Signal { return slices.DeleteFunc(signals, signal.Ignored) }

// forward sends a signal to an agent that has not ended, and reports whether the signal ends
// programs.
func forward(to Peer, s os.Signal, exited bool) (ends bool) {
	sig, ok := s.(syscall.Signal)
	if !ok {
		return false
	}
	if !exited {
		to.Signal(sig)
	}
	switch sig {
	case syscall.SIGTSTP:
		syscall.Kill(os.Getpid(), syscall.SIGSTOP) // like SIGTSTP without a handler
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		return true
	}
	return false
}

// readNow reads the bytes in a pipe without blocking. It returns the errors of readLeft.
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

// hungUp reports whether a pipe has no reader any more.
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
