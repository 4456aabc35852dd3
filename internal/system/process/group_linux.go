package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownGroup puts a program into a new group, so that all its processes can be signalled. If this
// process is killed, the kernel kills the program.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Await returns when the program has exited, and how. It does not reap the program, so that no
// other process can get its id, which is the id of the group.
func (g *Group) Await() Status {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, g.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return statusOf(&info)
		}
	}
}

// statusOf returns the status in the information about a child. It is in a part of the structure
// that package unix does not name: si_pid, si_uid and si_status, which are aligned as pointers are.
func statusOf(info *unix.Siginfo) Status {
	of := (*struct {
		_        [3]int32
		_        [0]uintptr
		pid, uid int32
		status   int32
	})(unsafe.Pointer(info))
	if info.Code == cldExited {
		return Status{Code: int(of.status)}
	}
	return Status{Code: -1, Signal: syscall.Signal(of.status)}
}

// cldExited is the code of a child that exited and was not killed by a signal.
const cldExited = 1

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
	left, ok := g.Left()
	return !ok || len(left) > 0
}

// Left returns the processes of the group that are not zombies; ok is false if that cannot be
// known.
func (g *Group) Left() (left []Process, ok bool) {
	group := fmt.Sprint(g.id)
	proc, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, entry := range proc {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name is in brackets and may have any characters.
		head, rest, _ := strings.Cut(string(stat[:strings.LastIndexByte(string(stat), ')')+1]), "(")
		fields := strings.Fields(string(stat[len(head)+len(rest)+1:]))
		if len(fields) > 2 && fields[0] != "Z" && fields[2] == group {
			id, _ := strconv.Atoi(entry.Name())
			left = append(left, Process{ID: id, Name: strings.TrimSuffix(rest, ")")})
		}
	}
	return left, true
}
