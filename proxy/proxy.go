// Package proxy relays lines between a client, which has two streams, and an
// agent, which it starts and ends, or a [Peer] in its place. It knows processes, pipes
// and a [wire.Interceptor]; what a line means is not its business.
package proxy

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"acpshim/internal/process"
	"acpshim/internal/wire"

	"github.com/rs/zerolog"
)

// Options describe a run. Command or Connect, Stdin and Stdout are required.
type Options struct {
	Connect func() (Peer, error) // makes the agent; nil: Command is started

	Command []string // the agent's argv, as it is: no shell
	Env     []string // NAME=VALUE, added to the environment; a later one counts
	Dir     string   // the folder it starts in; "" is the current one

	Stdin  io.Reader // what the client sends; closed, if it can be, when the agent takes no more
	Stdout io.Writer // what the client gets; closed, if it can be, when the agent sends no more
	Stderr *os.File  // handed to the agent; nil is the null device

	FromClient wire.Interceptor // sees the lines to the agent; nil lets all pass
	FromAgent  wire.Interceptor // sees the lines to the client; nil lets all pass

	ToClient *Injector // wakes the direction to the client; nil never does
	ToAgent  *Injector // wakes the direction to the agent; nil never does

	TapClient Tap // is shown what the client sends; may be nil
	TapAgent  Tap // is shown what the agent sends; may be nil

	// Signals are what this process was sent: see [Signals]. A nil channel
	// never sends.
	Signals <-chan os.Signal

	// Restarts reports whether an agent whose output ends now is to be started
	// afresh, and Restarted is told when it has been, or cannot be: what the agent
	// that ended did not take, or did not answer, is to be sent again. They are
	// called from any goroutine; a nil Restarts is never.
	Restarts  func() bool
	Restarted func(isFresh bool)

	// Restart has the agent killed, so that its output ends. A nil channel never
	// does.
	Restart <-chan struct{}

	// Busy reports whether the client waits for a response. It is called from
	// Run's goroutine; nil is never.
	Busy func() bool

	// InputGrace is how long an agent may stay silent after its stdin was
	// closed, with no response to give, before it is terminated; 0 is for ever.
	// TermGrace is the time from there to SIGKILL, and Drain how long the end
	// waits for others that hold the agent's stdout after it exited.
	InputGrace, TermGrace, Drain time.Duration

	// HoldLimit is the longest line, in bytes, that is held for an interceptor.
	// A longer one passes as it is. 0 is 16 MiB.
	HoldLimit int

	Log zerolog.Logger
}

// A Status is how an agent ended.
type Status = process.Status

// Run starts the agent and relays until it has ended and everything that it
// wrote has been delivered. The error is why it could not be started:
// that of [exec.Cmd.Start].
//
// Nothing of the run is left when Run returns, except goroutines that cannot be
// released: one that is blocked in a read of Stdin, and, where a signal ended
// the wait for a client that takes nothing, in a write to Stdout.
func Run(o Options) (Status, error) {
	// The parent-death signal comes when the thread that started the agent
	// ends, so the thread stays with this function.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	r := &run{
		Options:      o,
		events:       make(chan event),
		replacements: make(chan chan struct{}),
		ended:        make(chan struct{}),
		state:        lifecycle{grace: graces{o.InputGrace, o.TermGrace}},
		begun:        time.Now(),
	}
	if err := r.start(); err != nil {
		return Status{}, err
	}
	if r.HoldLimit == 0 {
		r.HoldLimit = 16 << 20
	}
	defer close(r.ended)
	toAgent := pump{from: o.Stdin, to: (*input)(r), look: look(o.FromClient), tap: o.TapClient}
	toClient := pump{from: (*output)(r), to: (*delivery)(r), look: look(o.FromAgent), tap: o.TapAgent}
	go r.pump(&toAgent, "client", o.ToAgent, clientEnded, agentRefused)
	go r.pump(&toClient, "agent", o.ToClient, agentEnded, clientGone)
	r.loop()
	return r.agent().Close(r.rest()), nil
}

// A run is one agent's life. The loop's goroutine owns it.
type run struct {
	Options
	current      atomic.Pointer[Peer]
	replacements chan chan struct{} // each is closed when the agent has been replaced, or is not
	events       chan event
	ended        chan struct{} // closed when nobody takes events any more
	state        lifecycle
	begun        time.Time

	last       byte         // that the agent wrote, for the goroutine that reads
	heard      atomic.Int64 // when the agent last wrote something, in nanoseconds since begun
	delivering atomic.Bool  // a write to the client has not been taken yet
}

// send gives an event to the loop. It is for any other goroutine, and lets go of it when
// the run has ended.
func (r *run) send(e event) {
	select {
	case r.events <- e:
	case <-r.ended:
	}
}

// loop waits for what happens, until the run is over.
func (r *run) loop() {
	for !r.state.over() {
		var timer, look <-chan time.Time
		if !r.state.due.IsZero() {
			timer = time.After(time.Until(r.state.due))
		}
		exited := r.agent().Exited()
		if r.state.exited {
			exited = nil
		}
		if r.state.inputOver && !r.state.outputOver {
			look = time.After(lookAgain)
		}
		select {
		case <-look:
			if isGone(r.Stdout) {
				r.apply(clientGone)
			}
		case e := <-r.events:
			r.apply(e)
		case <-exited:
			r.apply(agentExited)
		case <-r.Restart:
			r.agent().Signal(syscall.SIGKILL)
		case done := <-r.replacements:
			r.replace()
			close(done)
		case s := <-r.Signals:
			if forward(r.agent(), s, r.state.exited) {
				r.apply(askedToEnd)
			}
		case <-timer:
			r.apply(timeOut)
		}
	}
}

// lookAgain is how often it is looked whether a client that says nothing more
// still listens. A silent agent would not find out by writing.
const lookAgain = 500 * time.Millisecond

// A Leaver is an output that knows, without a write, whether its reader has gone.
type Leaver interface{ HasLeft() bool }

// isGone reports whether it is known that nobody reads an output any more.
func isGone(w io.Writer) bool {
	switch w := w.(type) {
	case *os.File:
		return hungUp(w)
	case Leaver:
		return w.HasLeft()
	}
	return false
}

// apply changes the state by an event, and does what follows from it.
func (r *run) apply(e event) {
	v := view{
		now:   time.Now(),
		heard: r.begun.Add(time.Duration(r.heard.Load())),
		busy:  r.delivering.Load() || r.Busy != nil && r.Busy(),
	}
	for _, a := range r.state.apply(e, v) {
		switch a {
		case shutInput:
			r.agent().CloseWrite()
		case refuseInput:
			closeIfCloser(r.Stdin)
		case shutOutput:
			closeIfCloser(r.Stdout)
		case refuseOutput:
			r.agent().CloseRead()
		case drainOutput:
			r.agent().Drain(r.rest())
		case terminate:
			r.Log.Warn().Msg("the agent did not end when its input was closed: terminating it")
			r.agent().Signal(syscall.SIGTERM)
		case kill:
			r.Log.Warn().Msg("the agent did not end when it was told to: killing it")
			r.agent().Signal(syscall.SIGKILL)
		}
	}
}

// rest is how long what the agent left behind may go on. If it was asked to end,
// so was the agent's group: a wrapper that obeys at once does not cut the grace
// of what it wraps.
func (r *run) rest() time.Duration {
	if r.state.asked > 0 && r.agent().Runs() {
		return max(r.Drain, r.TermGrace)
	}
	return r.Drain
}

// pump moves one direction to its end, and says how that came: all that its sender said was taken,
// or it was refused. That the agent's stdout was closed here is no failure: an action did it.
func (r *run) pump(p *pump, sender string, inject *Injector, taken, refused event) {
	p.final, p.limit, p.tooLong, p.truncated = true, r.HoldLimit, r.tooLong(sender), r.truncated(sender)
	inject.begin(p)
	err := p.run()
	inject.end(p)
	var refusal errWrite
	switch {
	case errors.As(err, &refusal):
		r.Log.Debug().Err(err).Msgf("nobody takes what the %s sends any more", sender)
		r.send(refused)
		return
	case err != nil && !errors.Is(err, os.ErrClosed):
		r.Log.Warn().Err(err).Msgf("reading what the %s sends", sender)
	}
	r.send(taken)
}

// tooLong reports the first line over the limit.
func (r *run) tooLong(sender string) func() {
	return sync.OnceFunc(func() {
		r.Log.Warn().Str("from", sender).Int("limit", r.HoldLimit).Msg("a line is too long to be looked at and passes as it is; others like it will, too")
	})
}

// truncated reports a last line without its end, which is forwarded all the same.
func (r *run) truncated(sender string) func(int) {
	return func(bytes int) {
		r.Log.Info().Str("from", sender).Int("bytes", bytes).Msg("the last line has no line end: it may be cut off")
	}
}

// output reads what the agent says. Of an agent that is replaced it reads on.
type output run

func (o *output) Read(p []byte) (int, error) {
	n, err := o.read(p)
	switch {
	case n > 0:
		o.last = p[n-1]
	case !errors.Is(err, io.EOF) || !(*run)(o).restart():
	case o.last != '\n' && o.last != 0:
		p[0], o.last = '\n', '\n' // the agent ended within a line
		return 1, nil
	default:
		return o.Read(p)
	}
	return n, err
}

func (o *output) read(p []byte) (int, error) {
	n, err := (*run)(o).agent().Read(p)
	if errors.Is(err, errHeld) {
		o.Log.Warn().Msg(err.Error())
		err = io.EOF
	}
	o.heard.Store(int64(time.Since(o.begun)))
	return n, err
}

// delivery writes to the client, and notes for how long: an agent is not silent while what
// it said has not been taken.
type delivery run

func (d *delivery) Write(p []byte) (int, error) {
	d.delivering.Store(true)
	defer d.delivering.Store(false)
	return d.Stdout.Write(p)
}

// look is an interceptor, or one that lets all pass.
func look(i wire.Interceptor) wire.Interceptor {
	if i == nil {
		return wire.Base{}
	}
	return i
}

// closeIfCloser closes what can be closed. A test's reader or writer may not.
func closeIfCloser(v any) {
	if c, ok := v.(io.Closer); ok {
		c.Close()
	}
}
