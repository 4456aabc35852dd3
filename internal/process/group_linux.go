package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts a program into a group of its own, so that all of it can be signalled, and has the
// kernel end it if this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Await returns when the program has exited. It does not reap it: until then its id, and so that of
// its group, cannot be given to another process.
func (g *Group) Await() {
	for {
		err := unix.Waitid(unix.P_PID, g.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// Pipe returns a pipe of the largest capacity that needs no privileges: a burst of output then
// costs fewer switches between processes. Where the system allows less, the pipe stays as it is.
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

// Runs reports whether a process of the group is more than a zombie: one that nobody reaps, as in a
// container without an init, is no reason to wait.
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
		// The name before it may have anything in it, ") " included.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[0] != "Z" && fields[2] == group {
			return true
		}
	}
	return false
}
