package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts a program into a new group, so that all its processes can be signalled. If this
// process is killed, the kernel kills the program.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Await returns when the program has exited. It does not reap the program, so that no other process
// can get its id, which is the id of the group.
func (g *Group) Await() {
	for {
		err := unix.Waitid(unix.P_PID, g.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// Pipe returns a pipe with a capacity of [PipeSize], so that a burst of output costs fewer switches
// between processes. If the system does not allow it, the pipe has the default capacity.
func Pipe() (r, w *os.File, err error) {
	r, w, err = os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	if c, err := r.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, PipeSize) })
	}
	return r, w, nil
}

// Runs reports whether the group has a process that is not a zombie. In a container without an init
// nobody reaps zombies.
func (g *Group) Runs() bool {
	group := fmt.Sprint(g.id)
	proc, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, entry := range proc {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name before the last ) may have any characters.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[0] != "Z" && fields[2] == group {
			return true
		}
	}
	return false
}
