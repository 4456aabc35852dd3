package proxy

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"acpshim/internal/system/process"
)

// A program is an agent that was started. It has pipes of its own, because those of os/exec lose
// output if Wait is called before they are read to their end, and block Wait while others hold
// them.
type program struct {
	stdin  *os.File       // we write
	stdout *os.File       // we read
	left   int            // the number of bytes read by readLeft
	group  *process.Group // the processes that end with the agent
	exited chan struct{}  // closed when the agent has ended
	status Status         // set before exited is closed
}

// startProgram starts the agent in a group of its own. It returns errors of [exec.Cmd.Start] and
// [os.Pipe].
func startProgram(o Options) (*program, error) {
	theirStdin, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirStdin.Close()
	stdout, theirStdout, err := process.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer theirStdout.Close()

	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout = theirStdin, theirStdout
	if o.Stderr != nil {
		cmd.Stderr = o.Stderr // without a pipe, so that acpshim cannot delay it
	}
	cmd.Dir = o.Dir
	if len(o.Env) > 0 {
		cmd.Env = append(cmd.Environ(), o.Env...)
	}
	a := &program{stdin: stdin, stdout: stdout, exited: make(chan struct{})}
	if a.group, err = process.Start(cmd); err != nil {
		a.closePipes()
		return nil, err
	}
	go func() {
		a.status = a.group.Await()
		close(a.exited)
	}()
	return a, nil
}

// Read implements Peer. After Drain has expired, it reads the remainder of the pipe, which would be
// lost if the client is slow.
func (a *program) Read(p []byte) (int, error) {
	n, err := a.stdout.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return a.readLeft(p)
	}
	return n, err
}

func (a *program) Write(p []byte) (int, error) { return a.stdin.Write(p) }

func (a *program) CloseWrite() { a.stdin.Close() }

func (a *program) CloseRead() { a.stdout.Close() }

func (a *program) Drain(d time.Duration) { a.stdout.SetReadDeadline(time.Now().Add(d)) }

func (a *program) Exited() <-chan struct{} { return a.exited }

func (a *program) Signal(s syscall.Signal) { a.group.Signal(s) }

func (a *program) Runs() bool { return a.group.Runs() }

func (a *program) Status() Status { return a.status }

func (a *program) Close(rest time.Duration) {
	a.closePipes()
	a.group.Reap(rest)
}

// errHeld says that the pipe is empty, but another process can still write to it.
var errHeld = errors.New("another process holds the agent's output after its exit: not waiting for it")

// readLeft reads the bytes in the pipe without blocking. At the end it returns io.EOF, or errHeld
// if another process can still write. It stops after the size of a pipe, because others may write
// forever.
func (a *program) readLeft(b []byte) (n int, err error) {
	if a.left >= process.PipeSize {
		return 0, errHeld
	}
	a.stdout.SetReadDeadline(time.Time{})
	defer a.stdout.SetReadDeadline(time.Unix(1, 0))
	n, err = readNow(a.stdout, b)
	a.left += n
	return n, err
}

// closePipes closes our ends of the pipes. It may be called repeatedly.
func (a *program) closePipes() {
	a.stdin.Close()
	a.stdout.Close()
}
