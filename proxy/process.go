package proxy

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// A process is a started agent. Its streams are pipes of our own: those of
// os/exec lose output when a process is waited for before they are read to
// their end, and make the wait depend on whoever else holds them.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // we write
	stdout *os.File // we read
	left   int      // bytes read from stdout after the drain
	group  group    // what ends with the agent
}

// start starts the agent in a group of its own. The error is that of [exec.Cmd.Start], or
// of making a pipe.
func start(o Options) (*process, error) {
	theirStdin, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirStdin.Close()
	stdout, theirStdout, err := stdoutPipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer theirStdout.Close()

	p := &process{cmd: exec.Command(o.Command[0], o.Command[1:]...), stdin: stdin, stdout: stdout}
	p.cmd.Stdin, p.cmd.Stdout = theirStdin, theirStdout
	if o.Stderr != nil {
		p.cmd.Stderr = o.Stderr // no pipe: nothing of ours can delay it
	}
	p.cmd.Dir = o.Dir
	if len(o.Env) > 0 {
		p.cmd.Env = append(p.cmd.Environ(), o.Env...)
	}
	if err := p.startInGroup(); err != nil {
		p.closePipes()
		return nil, err
	}
	return p, nil
}

// errHeld: nothing is in the pipe, but somebody could still write to it.
var errHeld = errors.New("the pipe is held open")

// readLeft reads what is in the pipe, without waiting and however late it is.
// The error is io.EOF where nobody can write any more, else errHeld. It stops at
// what a pipe can hold: others may write for ever.
func (p *process) readLeft(b []byte) (n int, err error) {
	if p.left >= maxLeft {
		return 0, errHeld
	}
	p.stdout.SetReadDeadline(time.Time{})
	defer p.stdout.SetReadDeadline(time.Unix(1, 0))
	n, err = readNow(p.stdout, b)
	p.left += n
	return n, err
}

// closePipes closes our ends. It may be called again.
func (p *process) closePipes() {
	p.stdin.Close()
	p.stdout.Close()
}
