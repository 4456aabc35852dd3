// Package proxy relays lines between the streams of a client and an agent. It starts and ends the
// agent, or uses another [Peer]. It knows processes, pipes and [wire.Interceptor], but not the
// meaning of a line.
package proxy

import (
	"cmp"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/process"

	"github.com/rs/zerolog"
)

// Options describe a run. Command or Connect, Stdin and Stdout are required.
type Options struct {
	Connect func() (Peer, error) // connects to the agent; if it is nil, Run starts Command

	Command []string // the agent's argv, without a shell
	Env     []string // NAME=VALUE, added to the environment; later ones override
	Dir     string   // the agent's working directory; "" means the current one

	Stdin  io.Reader // from the client; closed, if it is a Closer, when the agent has closed its input
	Stdout io.Writer // to the client; closed, if it is a Closer, when the agent has closed its output
	Stderr *os.File  // of the agent; nil means the null device

	FromClient wire.Interceptor // gets the lines to the agent; if it is nil, all lines pass
	FromAgent  wire.Interceptor // gets the lines to the client; if it is nil, all lines pass

	ToClient *Injector // adds lines to the client; may be nil
	ToAgent  *Injector // adds lines to the agent; may be nil

	TapClient Tap // gets all bytes of the client; may be nil
	TapAgent  Tap // gets all bytes of the agent; may be nil

	// Signals has the signals that this process gets: see [Signals]. It may be nil.
	Signals <-chan os.Signal

	// Restarts reports whether to restart the agent after its output has ended. Then Run calls
	// Restarted, which has to send pending requests again. isFresh is false if the agent could not
	// be started. Any goroutine may call both. A nil Restarts means never.
	Restarts  func() bool
	Restarted func(isFresh bool)

	// Restart kills the agent, so that its output ends. It may be nil.
	Restart <-chan struct{}

	// Owes reports whether the client waits for a response to any request. If it does when all
	// output of the agent was delivered, Run waits for the agent's end, at most for the InputGrace.
	// Then it calls Ended, with nil if the agent still runs, and delivers what FromAgent adds
	// before the client gets the end of the output. Any goroutine may call both. They may be nil.
	Owes  func() bool
	Ended func(*Status)

	// Over is called when the agent has ended and its output was delivered. It may take its time:
	// what is left of the agent's group is ended only when it has returned. Left returns these
	// processes; ok is false if they are not known. Over may be nil.
	Over func(left func() (left []process.Process, ok bool))

	// Busy reports whether the client waits for a response. Run's goroutine calls it. A nil Busy
	// means never.
	Busy func() bool

	// InputGrace is how long an agent may be silent after its stdin was closed, without a pending
	// request, before it gets SIGTERM; 0 means no limit. TermGrace is the time from SIGTERM to
	// SIGKILL. HurryGrace is the longest such time after a second signal; 0 means a second. Drain
	// is how long Run waits for other processes that hold the agent's stdout.
	InputGrace, TermGrace, HurryGrace, Drain time.Duration

	// HoldLimit is the longest line, in bytes, that is held for an interceptor. Longer lines pass
	// unchanged. 0 means 16 MiB.
	HoldLimit int

	Log zerolog.Logger
}

// A Status is how an agent ended.
type Status = process.Status

// Run starts the agent and relays until the agent has ended and its output was delivered. It
// returns an error only if the agent cannot be started: that of [exec.Cmd.Start].
//
// After Run has returned, two goroutines can be left: one in a blocked read of Stdin, and, if a
// signal ended the wait for a client that does not read, one in a blocked write to Stdout.
func Run(o Options) (Ending, error) {
	// The kernel sends the parent-death signal when the thread that started the agent ends, so this
	// function keeps its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	r := &run{
		Options:      o,
		events:       make(chan event),
		replacements: make(chan chan struct{}),
		ended:        make(chan struct{}),
		state:        lifecycle{grace: graces{o.InputGrace, o.TermGrace, cmp.Or(o.HurryGrace, time.Second)}},
		begun:        time.Now(),
	}
	if err := r.start(); err != nil {
		return Ending{}, err
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
	if r.Over != nil {
		r.Over(r.left)
	}
	r.agent().Close(r.rest())
	return Ending{r.agent().Status(), r.state.steps}, nil
}

// A run is the state of [Run]. The goroutine of loop owns it.
type run struct {
	Options
	current      atomic.Pointer[Peer]
	replacements chan chan struct{} // requests to restart the agent; loop closes each one when it is done
	events       chan event
	ended        chan struct{} // closed when nobody reads events any more
	state        lifecycle
	begun        time.Time

	last       byte         // the last byte of the agent; only for the goroutine that reads
	heard      atomic.Int64 // when the agent last wrote something, in nanoseconds since begun
	delivering atomic.Bool  // a write to the client is blocked
	isSilent   atomic.Bool  // the agent's output has ended, so nothing is worth waiting for
	isUnread   atomic.Bool  // nobody reads the output to the client
}

// left returns what is left of the agent's group.
func (r *run) left() (left []process.Process, ok bool) {
	if a, isProgram := r.agent().(*program); isProgram {
		return a.group.Left()
	}
	return nil, false
}

// send sends an event to the loop. It returns when the loop has it, or when the run has ended. Any
// other goroutine may call it.
func (r *run) send(e event) {
	select {
	case r.events <- e:
	case <-r.ended:
	}
}

func (r *run) loop() {
	for !r.state.over() {
		var timer, check <-chan time.Time
		if !r.state.due.IsZero() {
			timer = time.After(time.Until(r.state.due))
		}
		exited := r.agent().Exited()
		if r.state.exited {
			exited = nil
		}
		if r.state.inputOver && !r.state.outputOver {
			check = time.After(checkInterval)
		}
		select {
		case <-check:
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
				r.applyOf(askedToEnd, s)
			}
		case <-timer:
			r.apply(timeOut)
		}
	}
}

// checkInterval is how often acpshim checks whether a client that closed its side still reads. If
// the agent is silent, no write would show that.
const checkInterval = 500 * time.Millisecond

// A Leaver is an output that knows without a write whether its reader is gone.
type Leaver interface{ HasLeft() bool }

// isGone reports whether an output has no reader any more. It returns false if that is unknown.
func isGone(w io.Writer) bool {
	switch w := w.(type) {
	case *os.File:
		return hungUp(w)
	case Leaver:
		return w.HasLeft()
	}
	return false
}

func (r *run) apply(e event) { r.applyOf(e, nil) }

func (r *run) applyOf(e event, signal os.Signal) {
	v := view{
		signal: signal,
		now:    time.Now(),
		heard:  r.begun.Add(time.Duration(r.heard.Load())),
		busy:   r.delivering.Load() || r.Busy != nil && !r.isSilent.Load() && r.Busy(),
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
			r.isUnread.Store(true)
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

// rest returns how long the agent's children may run after it. If its group was asked to end, they
// have the whole grace, because a wrapper often ends before the program that it wraps.
func (r *run) rest() time.Duration {
	if r.state.asked > 0 && r.agent().Runs() {
		return max(r.Drain, r.TermGrace)
	}
	return r.Drain
}

// pump moves one direction to its end. Then it sends the event delivered, or refused if the
// receiver takes no more bytes.
func (r *run) pump(p *pump, sender string, inject *Injector, delivered, refused event) {
	p.final, p.limit, p.tooLong, p.truncated = true, r.HoldLimit, r.tooLong(sender), r.truncated(sender)
	inject.begin(p)
	var refusal errWrite
	err := p.run()
	if delivered == agentEnded && !errors.As(err, &refusal) {
		r.send(agentClosed)
		if endErr := r.endRequests(p); endErr != nil {
			err = endErr
		}
	}
	inject.end(p)
	switch {
	case errors.As(err, &refusal):
		r.Log.Debug().Err(err).Msgf("nobody reads the output of the %s any more", sender)
		r.send(refused)
		return
	case err != nil && !errors.Is(err, os.ErrClosed):
		r.Log.Warn().Err(err).Msgf("reading the output of the %s", sender)
	}
	r.send(delivered)
}

// tooLong returns a function that logs the first line over the limit.
func (r *run) tooLong(sender string) func() {
	return sync.OnceFunc(func() {
		r.Log.Warn().Str("from", sender).Int("limit", r.HoldLimit).Msg("a line is too long to be looked at and passes as it is; others like it will, too")
	})
}

// truncated returns a function that logs a last line without a line end.
func (r *run) truncated(sender string) func(int) {
	return func(bytes int) {
		r.Log.Info().Str("from", sender).Int("bytes", bytes).Msg("the last line has no line end: it may be cut off")
	}
}

// output reads the agent's output, and continues with that of a restarted agent.
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

// delivery writes to the client, and notes whether a write is blocked. An agent whose output is not
// read is not silent.
type delivery run

func (d *delivery) Write(p []byte) (int, error) {
	d.delivering.Store(true)
	defer d.delivering.Store(false)
	return d.Stdout.Write(p)
}

// look returns i, or an interceptor that passes every line if i is nil.
func look(i wire.Interceptor) wire.Interceptor {
	if i == nil {
		return wire.Base{}
	}
	return i
}

func closeIfCloser(v any) {
	if c, ok := v.(io.Closer); ok {
		c.Close()
	}
}
