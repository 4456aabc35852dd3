package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the agent into a group of its own, so that all of it can be
// signalled, and has the kernel end it if this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// await returns when the agent has exited. It does not reap it: until then its
// id, and so that of its group, cannot be given to another process.
func (p *process) await() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
