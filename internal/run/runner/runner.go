// Package runner runs the commands of agents in place of a client without terminals.
package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"acpshim/internal/adapters/terminals"
	"acpshim/internal/system/process"
)

// Options of a Runner.
type Options struct {
	// Grace is the time from SIGTERM to SIGKILL. Drain is the time that other processes of a
	// command have after its end: first to end, then for their output.
	Grace, Drain time.Duration

	// Began is called for each command, with the error if it could not be started. It may be nil.
	Began func(c terminals.Command, err error)
}

// A Runner runs commands until it is closed. Its methods may be called from any goroutine.
type Runner struct {
	opts Options

	mu     sync.Mutex // protects the fields below
	closed bool
	live   map[*command]bool
	tasks  sync.WaitGroup // the goroutines of run
}

// New returns a Runner.
func New(o Options) *Runner { return &Runner{opts: o, live: map[*command]bool{}} }

// errClosed is the error of a command after the end of a run.
var errClosed = errors.New("the run has ended")

// Start starts a command in a goroutine, because the disk may block.
func (r *Runner) Start(c terminals.Command, e terminals.Events) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		go e.Started(nil, errClosed)
		return
	}
	r.tasks.Go(func() { r.run(c, e) })
}

// Close ends all commands. It returns when they have ended, or after a time that should suffice.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	for c := range r.live {
		c.End()
	}
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		r.tasks.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(2*r.opts.Grace + r.opts.Drain + time.Second):
	}
}

// run runs a command to its end.
func (r *Runner) run(asked terminals.Command, e terminals.Events) {
	runtime.LockOSThread() // see process.Start
	defer runtime.UnlockOSThread()
	c, err := r.begin(asked)
	if r.opts.Began != nil {
		r.opts.Began(asked, err)
	}
	if err != nil {
		e.Started(nil, err)
		return
	}
	read := make(chan struct{})
	go func() {
		c.read(e.Grown)
		close(read)
	}()
	reported := make(chan struct{})
	go func() {
		e.Started(c, nil)
		close(reported)
	}()
	c.group.Await()
	status := c.group.Reap(c.reaping(r.opts.Drain))
	c.stdout.SetReadDeadline(time.Now().Add(r.opts.Drain))
	<-read
	c.stdout.Close()
	r.mu.Lock()
	delete(r.live, c)
	r.mu.Unlock()
	<-reported
	e.Ended(exitOf(status))
}

// begin starts a command.
func (r *Runner) begin(asked terminals.Command) (*command, error) {
	if !filepath.IsAbs(asked.Dir) {
		return nil, fmt.Errorf("cwd %q: want an absolute path", asked.Dir)
	}
	if info, err := os.Stat(asked.Dir); err != nil {
		return nil, fmt.Errorf("cwd: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("cwd %q is not a folder", asked.Dir)
	}
	stdout, theirs, err := process.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(asked.Name, asked.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = asked.Dir, theirs, theirs
	cmd.Env = append(cmd.Environ(), asked.Env...)
	c := &command{stdout: stdout, grace: r.opts.Grace, output: output{keep: asked.Keep}}
	if c.group, err = process.Start(cmd); err != nil {
		stdout.Close()
		if notFound := (*exec.Error)(nil); errors.As(err, &notFound) {
			err = notFound.Err
		}
		return nil, fmt.Errorf("command %q: %w", asked.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[c] = true; r.closed {
		c.End()
	}
	return c, nil
}

// A command is a running command.
type command struct {
	group  *process.Group
	stdout *os.File
	output output
	grace  time.Duration

	mu    sync.Mutex // protects the fields below
	timer *time.Timer
	over  bool // no more signals are sent
}

// Output implements terminals.Process.
func (c *command) Output(n int) (text string, truncated bool) { return c.output.last(n) }

// End implements terminals.Process. It sends SIGTERM, and SIGKILL after the grace.
func (c *command) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.timer != nil {
		return
	}
	c.group.Signal(syscall.SIGTERM)
	c.timer = time.AfterFunc(c.grace, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.over {
			c.group.Signal(syscall.SIGKILL)
		}
	})
}

// reaping stops sending signals, because another group may soon have the id. It returns how long
// the other processes of the group have to end: rest, or after End at least the grace.
func (c *command) reaping(rest time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timer == nil {
		return rest
	}
	c.timer.Stop()
	return max(rest, c.grace)
}

// read reads the output until its end or its deadline.
func (c *command) read(grown func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := c.stdout.Read(buf)
		c.output.write(buf[:n])
		if err != nil {
			c.output.end()
			return
		}
		grown()
	}
}
