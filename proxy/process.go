package proxy

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"acpshim/internal/process"
)

// A program is an agent that was started. Its streams are pipes of our own: those of
// os/exec lose output when a process is waited for before they are read to
// their end, and make the wait depend on whoever else holds them.
type program struct {
	stdin  *os.File       // we write
	stdout *os.File       // we read
	left   int            // bytes read from stdout after the drain
	group  *process.Group // what ends with the agent
	exited chan struct{}  // closed when it has
}

// startProgram starts the agent in a group of its own. The error is that of [exec.Cmd.Start], or
// of making a pipe.
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
		cmd.Stderr = o.Stderr // no pipe: nothing of ours can delay it
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
		a.group.Await()
		close(a.exited)
	}()
	return a, nil
}

// Read implements Peer. After the agent's exit it waits for the drain only, then takes what is left
// in the pipe: a deadline alone would lose that to a slow client.
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

func (a *program) Close(rest time.Duration) Status {
	a.closePipes()
	return a.group.Reap(rest)
}

// errHeld: nothing is in the pipe, but somebody could still write to it.
var errHeld = errors.New("another process holds the agent's output after its exit: not waiting for it")

// readLeft reads what is in the pipe, without waiting and however late it is.
// The error is io.EOF where nobody can write any more, else errHeld. It stops at
// what a pipe can hold: others may write for ever.
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

// closePipes closes our ends. It may be called again.
func (a *program) closePipes() {
	a.stdin.Close()
	a.stdout.Close()
}
