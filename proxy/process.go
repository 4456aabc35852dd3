package proxy

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"acpshim/internal/process"
)

// An agent is a started one. Its streams are pipes of our own: those of
// os/exec lose output when a process is waited for before they are read to
// their end, and make the wait depend on whoever else holds them.
type agent struct {
	stdin  *os.File       // we write
	stdout *os.File       // we read
	left   int            // bytes read from stdout after the drain
	group  *process.Group // what ends with the agent
	exited chan struct{}  // closed when it has
}

// start starts the agent in a group of its own. The error is that of [exec.Cmd.Start], or
// of making a pipe.
func start(o Options) (*agent, error) {
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
	a := &agent{stdin: stdin, stdout: stdout, exited: make(chan struct{})}
	if a.group, err = process.Start(cmd); err != nil {
		a.closePipes()
		return nil, err
	}
	return a, nil
}

// errHeld: nothing is in the pipe, but somebody could still write to it.
var errHeld = errors.New("the pipe is held open")

// readLeft reads what is in the pipe, without waiting and however late it is.
// The error is io.EOF where nobody can write any more, else errHeld. It stops at
// what a pipe can hold: others may write for ever.
func (a *agent) readLeft(b []byte) (n int, err error) {
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
func (a *agent) closePipes() {
	a.stdin.Close()
	a.stdout.Close()
}
