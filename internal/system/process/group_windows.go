package process

import (
	"crypto/rand"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is the handle of a job object. The job has the program and the processes that it starts,
// except for those started with CREATE_BREAKAWAY_FROM_JOB. The system ends them when the last
// handle is closed. This is the only one, so they also end with this process.
type group windows.Handle

// start starts the program in a new job. The program is suspended until it is in the job, so that
// everything that it starts is in the job, too.
func (g *Group) start() (err error) {
	job, err := newJob()
	if err != nil {
		return err
	}
	g.id = group(job)
	g.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	if err := g.cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return err
	}
	if handleErr := g.cmd.Process.WithHandle(func(program uintptr) {
		err = os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(job, windows.Handle(program)))
	}); handleErr != nil {
		err = handleErr
	}
	if err == nil {
		err = resume(uint32(g.cmd.Process.Pid))
	}
	if err != nil {
		g.cmd.Process.Kill()
		g.cmd.Wait()
		windows.CloseHandle(job)
	}
	return err
}

// newJob creates a job whose processes end when its handle is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return job, nil
}

// resume resumes a process that was started suspended. It has one thread.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(threads)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return os.NewSyscallError("ResumeThread", err)
	}
	return os.NewSyscallError("Thread32Next", err)
}

// Signal ends all processes of the job, because Windows has no signals. The program gets the status
// of one that the signal killed.
func (g *Group) Signal(s syscall.Signal) {
	windows.TerminateJobObject(windows.Handle(g.id), 128+uint32(s))
}

// Await returns when the program has exited, and how.
func (g *Group) Await() Status {
	g.cmd.Wait()
	return Status{Code: g.cmd.ProcessState.ExitCode()}
}

// Runs reports whether the job has a process.
func (g *Group) Runs() bool {
	var accounting struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		times                                     [4]int64
		pageFaults, processes, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(windows.Handle(g.id), windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&accounting)), uint32(unsafe.Sizeof(accounting)), nil)
	return err == nil && accounting.active > 0
}

// Left reports that the processes of the job are not known.
func (g *Group) Left() (left []Process, ok bool) { return nil, false }

// Reap returns the status of a program that has exited. After the grace it ends the other processes
// of the job. They get no signal before, but may read the end of a pipe of the program.
func (g *Group) Reap(grace time.Duration) Status {
	for end := time.Now().Add(grace); g.Runs() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	windows.CloseHandle(windows.Handle(g.id))
	return Status{Code: g.cmd.ProcessState.ExitCode()}
}

// Pipe returns a pipe whose reads can have a deadline. [os.Pipe] has none on Windows, so reads
// would wait without limit for a child that holds the other end. Only named pipes have deadlines.
// Nobody knows the name before both ends are open, and nobody can open a third end.
func Pipe() (r, w *os.File, err error) {
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`\\.\pipe\acpshim-%s`, rand.Text()))
	if err != nil {
		return nil, nil, err
	}
	ours, err := windows.CreateNamedPipe(name,
		windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, 0, pipeBuffer, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	theirs, err := windows.CreateFile(name, windows.GENERIC_WRITE|windows.FILE_READ_ATTRIBUTES, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		windows.CloseHandle(ours)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(ours), "|0"), os.NewFile(uintptr(theirs), "|1"), nil
}

// pipeBuffer is the capacity of the pipe, in bytes, which is the size of a read.
const pipeBuffer = 128 << 10
