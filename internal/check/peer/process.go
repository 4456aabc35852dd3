// Package peer runs an agent that acpshim itself talks to, and keeps what both sides write.
package peer

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/recording"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/process"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Options describe a process.
type Options struct {
	Command []string // argv
	Env     []string // NAME=VALUE, added to the environment
	Dir     string   // the folder it starts in; "" is the current one

	// Connect connects to the agent, as in [proxy.Options]. If it is not nil, Command is not started.
	Connect func() (proxy.Peer, error)

	// InputGrace is the time from the end of the agent's input until it gets SIGTERM, and TermGrace
	// the time until SIGKILL after that. Linger is how long the processes that the agent leaves may
	// run. The first two are 5 s if they are 0 or longer.
	InputGrace, TermGrace, Linger time.Duration

	// Respond returns the response to a request of the agent, or nil if there is none yet. It is
	// called by one goroutine at a time. A nil Respond refuses all requests.
	Respond func(m *Message) []byte

	// Config says how the process is recorded, if it says so; nil records nothing. Version is that
	// of acpshim.
	Config  *config.Config
	Version string
}

// A Process is a running agent.
type Process struct {
	transcript *transcript
	options    Options
	recording  *recording.Recording

	toAgent chan []byte
	input   *io.PipeWriter // its standard input
	stderr  *process.Stderr
	signals chan os.Signal
	shut    chan struct{} // closed when its input is to be closed
	begun   time.Time

	ended  chan struct{} // closed when it has ended and all of its output was read
	ending proxy.Ending  // once it has
	err    error         // why it did not start, likewise
	early  bool          // it ended before its input was closed
	left   []process.Process
	isLeft bool // left is known
}

// Start starts an agent. It ends by [Process.Stop], or when ctx is done.
func Start(ctx context.Context, o Options) (*Process, error) {
	o.InputGrace, o.TermGrace = within(o.InputGrace), within(o.TermGrace)
	p := &Process{
		transcript: newTranscript(), options: o, toAgent: make(chan []byte, 256), signals: make(chan os.Signal, 4),
		shut: make(chan struct{}), ended: make(chan struct{}), begun: time.Now(),
	}
	if o.Config != nil {
		var err error
		if p.recording, err = recording.Begin(*o.Config, o.Version, o.Command, o.Dir, p.signals); err != nil && o.Config.Record.Required {
			return nil, err
		}
	}
	var err error
	if p.stderr, err = process.NewStderr(p.recording.Stderr()); err != nil {
		return nil, err
	}
	stdin, input := io.Pipe()
	p.input = input
	run := p.run(stdin)
	run.Over = func(left func() ([]process.Process, bool)) { p.linger(ctx, left) }
	forget := context.AfterFunc(ctx, func() { p.signals <- syscall.SIGTERM })
	go func() {
		defer forget()
		p.play(run)
	}()
	go p.send()
	go p.respond()
	return p, nil
}

func within(d time.Duration) time.Duration {
	if d <= 0 || d > 5*time.Second {
		return 5 * time.Second
	}
	return d
}

// run returns the options of the run.
func (p *Process) run(stdin io.Reader) proxy.Options {
	o := proxy.Options{
		Command: p.options.Command, Env: p.options.Env, Dir: p.options.Dir, Connect: p.options.Connect,
		Stdin: stdin, Stdout: sink{p.transcript}, Stderr: p.stderr.File, Signals: p.signals,
		InputGrace: p.options.InputGrace, TermGrace: p.options.TermGrace, Drain: time.Second,
	}
	p.recording.Attach(&o, zerolog.Nop())
	o.TapClient = tap{p.transcript, wire.Client, o.TapClient}
	o.TapAgent = tap{p.transcript, wire.Agent, o.TapAgent}
	return o
}

// play runs the agent to its end.
func (p *Process) play(o proxy.Options) {
	p.ending, p.err = proxy.Run(o)
	p.input.Close()
	p.stderr.Drain(time.Second) // a process that the agent left may hold standard error open
	if p.err != nil {
		p.recording.NotStarted(1, p.err.Error(), p.err)
	} else {
		p.recording.Close(p.ending, "")
	}
	p.number()
	close(p.ended)
}

// linger gives what is left of the agent's group time to end.
func (p *Process) linger(ctx context.Context, left func() ([]process.Process, bool)) {
	select {
	case <-p.shut:
	default:
		p.early = true
	}
	for end := time.Now().Add(p.options.Linger); ; time.Sleep(20 * time.Millisecond) {
		if p.left, p.isLeft = left(); len(p.left) == 0 || time.Now().After(end) || ctx.Err() != nil {
			return
		}
	}
}

// Send sends a line. It drops the line if the agent does not read and too many wait.
func (p *Process) Send(line []byte) {
	select {
	case p.toAgent <- wire.EndLine(line):
	default:
	}
}

// send writes what Send got. Then it closes the agent's input.
func (p *Process) send() {
	for {
		select {
		case line := <-p.toAgent:
			p.input.Write(line)
			continue
		default:
		}
		select {
		case line := <-p.toAgent:
			p.input.Write(line)
		case <-p.shut:
			p.input.Close()
			return
		case <-p.ended:
			return
		}
	}
}

// respond responds to the requests of the agent.
func (p *Process) respond() {
	for i := 0; ; {
		messages, changed := p.transcript.since(i)
		for _, m := range messages {
			if m.From == wire.Agent && m.IsRequest() {
				p.Send(p.responseTo(m))
			}
		}
		i += len(messages)
		select {
		case <-changed:
		case <-p.ended:
			return
		}
	}
}

func (p *Process) responseTo(m *Message) []byte {
	if p.options.Respond == nil {
		return wire.Refusal(m.ID, -32601, "Method not found")
	}
	return p.options.Respond(m)
}

// Stop closes the agent's input and waits for its end. The agent gets SIGTERM when it was silent
// for the grace, or a second later if it still writes. Stop returns how long the end took.
func (p *Process) Stop() time.Duration {
	begun := time.Now()
	closeOnce(p.shut)
	stuck := time.AfterFunc(time.Second, func() { p.input.Close() }) // the agent may not read
	defer stuck.Stop()
	select {
	case <-p.ended:
	case <-time.After(p.options.InputGrace + time.Second):
		select {
		case p.signals <- syscall.SIGTERM:
		case <-p.ended:
		}
		<-p.ended
	}
	return time.Since(begun)
}
