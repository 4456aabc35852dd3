package proxy

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Signals are the signals to hand to [Options.Signals].
func Signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// A group is a job object: the agent and all that it starts, but for what it
// starts outside of it on purpose (CREATE_BREAKAWAY_FROM_JOB). The system ends
// them when the last handle of the job is closed. Ours is the only one, so that
// is also when this process ends, however it does.
type group struct{ job windows.Handle }

// startInGroup starts the agent in a job of its own. It is suspended at first:
// nothing that it starts is outside.
func (p *process) startInGroup() (err error) {
	if p.group.job, err = newJob(); err != nil {
		return err
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	if err := p.cmd.Start(); err != nil {
		windows.CloseHandle(p.group.job)
		return err
	}
	if handleErr := p.cmd.Process.WithHandle(func(agent uintptr) {
		err = os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(p.group.job, windows.Handle(agent)))
	}); handleErr != nil {
		err = handleErr
	}
	if err == nil {
		err = resume(uint32(p.cmd.Process.Pid))
	}
	if err != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		windows.CloseHandle(p.group.job)
	}
	return err
}

// newJob makes a job that ends all that is in it when its handle is closed.
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

// resume lets a process run that was started suspended: it has one thread.
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

// forward reports whether a signal ends a program. Windows sends it to all that
// have our console; what has none sees its stdin end. Who does not end is
// killed when the grace is over.
func (p *process) forward(os.Signal, bool) (ends bool) {
	p.stdin.Close()
	return true
}

// signalGroup ends the whole job: there is nothing gentler. The agent's status
// is that of one that the signal killed.
func (p *process) signalGroup(s syscall.Signal) {
	windows.TerminateJobObject(p.group.job, 128+uint32(s))
}

// await returns when the agent has exited.
func (p *process) await() { p.cmd.Wait() }

// groupRuns reports whether a process is left in the job.
func (p *process) groupRuns() bool {
	var accounting struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		times                                     [4]int64
		pageFaults, processes, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(p.group.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&accounting)), uint32(unsafe.Sizeof(accounting)), nil)
	return err == nil && accounting.active > 0
}

// reap takes the status of an agent that has exited, and ends what it left in
// its job. Nothing asks it to end; what reads the agent's end of a pipe ends
// by itself within the grace.
func (p *process) reap(grace time.Duration) Status {
	for end := time.Now().Add(grace); p.groupRuns() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	windows.CloseHandle(p.group.job)
	return Status{Code: p.cmd.ProcessState.ExitCode()}
}

// hungUp is false: a client that is gone is noticed by writing to it.
func hungUp(*os.File) bool { return false }

// stdoutPipe returns a pipe of which reads can have a deadline. Those of
// [os.Pipe] cannot, so that an agent's child that holds its stdout would be
// waited for without an end. It has a name, as all that can; the name is secret
// until both ends are open, and there is no third.
func stdoutPipe() (r, w *os.File, err error) {
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`\\.\pipe\acpshim-%s`, rand.Text()))
	if err != nil {
		return nil, nil, err
	}
	ours, err := windows.CreateNamedPipe(name,
		windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, 0, pipeSize, 0, nil)
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

// pipeSize is what the agent's stdout holds, in bytes: as much as a read takes.
const pipeSize = bufferSize

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// readNow reads what is there of a pipe. Its errors are those of readLeft.
func readNow(pipe *os.File, b []byte) (n int, err error) {
	c, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var there uint32
	var ended bool
	if err := c.Control(func(handle uintptr) {
		ok, _, _ := peekNamedPipe.Call(handle, 0, 0, 0, uintptr(unsafe.Pointer(&there)), 0)
		ended = ok == 0
	}); err != nil {
		return 0, err
	}
	switch {
	case ended:
		return 0, io.EOF
	case there == 0:
		return 0, errHeld
	}
	return pipe.Read(b) // does not wait: nobody else reads
}
