package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/lossy"
	"acpshim/proxy"
)

// The reasons for a missing response.
var (
	errEnded  = errors.New("the agent ended")
	errClosed = errors.New("the agent closed its standard output")
	errFramed = errors.New("the agent does not write one message per line")
	errSilent = errors.New("no response in time")
)

// A process is a running agent that gets requests.
type process struct {
	lines   lines
	toAgent chan []byte
	input   *io.PipeWriter // its standard input
	stderr  lossy.Tail
	begun   time.Time

	inputGrace time.Duration // from the end of its input until it is made to end
	signals    chan os.Signal

	ended  chan struct{} // closed when it has ended and all of its output was read
	status proxy.Status  // once it has
	err    error         // why it did not start, likewise
}

// start starts the agent. It ends by [process.stop], or when ctx is done.
func (x *examination) start(ctx context.Context) (*process, error) {
	stderr, theirStderr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{toAgent: make(chan []byte, 64), ended: make(chan struct{}), begun: time.Now()}
	p.lines.init(p.write)
	stdin, input := io.Pipe()
	p.input = input
	p.signals = make(chan os.Signal, 2)
	o := x.options()
	o.Stdin, o.Stdout, o.Stderr, o.Signals = stdin, &p.lines, theirStderr, p.signals
	p.inputGrace = o.InputGrace
	forgetCtx := context.AfterFunc(ctx, func() { p.signals <- syscall.SIGTERM })
	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(&p.stderr, stderr) })
	go func() {
		ending, err := proxy.Run(o)
		p.status, p.err = ending.Status, err
		forgetCtx()
		input.Close()
		theirStderr.Close()
		waitFor(&reading, o.Drain) // a process that the agent left may hold standard error open
		stderr.Close()
		close(p.ended)
	}()
	go p.send()
	return p, nil
}

// options returns the options of a run, with graces of at most 5 s.
func (x *examination) options() proxy.Options {
	within := func(d time.Duration) time.Duration {
		if d <= 0 || d > 5*time.Second {
			return 5 * time.Second
		}
		return d
	}
	s := x.Config.Shutdown
	o := proxy.Options{
		Command: x.Command, Env: x.Env, Dir: x.Dir,
		InputGrace: within(s.InputGrace), TermGrace: within(s.TermGrace), Drain: time.Second,
	}
	if x.Remote != nil {
		o.Connect = x.Remote.Connect
	}
	return o
}

func waitFor(g *sync.WaitGroup, d time.Duration) {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// write sends a line. It drops the line if the agent does not read and too many wait.
func (p *process) write(line []byte) {
	select {
	case p.toAgent <- wire.EndLine(line):
	default:
	}
}

func (p *process) send() {
	for {
		select {
		case line := <-p.toAgent:
			p.input.Write(line)
		case <-p.ended:
			return
		}
	}
}

// stop closes the agent's input and waits for its end. proxy.Run ends it after it was silent for
// the grace; stop ends one that keeps writing. It returns how long that took.
func (p *process) stop() time.Duration {
	begun := time.Now()
	p.input.Close()
	select {
	case <-p.ended:
	case <-time.After(p.inputGrace + time.Second):
		p.signals <- syscall.SIGTERM
		<-p.ended
	}
	return time.Since(begun)
}

// ask sends a request and waits for its response.
func (p *process) ask(ctx context.Context, within time.Duration, method string, params any) (response, error) {
	id, came := p.lines.expect()
	p.write(request(id, method, params))
	return p.await(ctx, time.Now().Add(within), came)
}

// request is a line without its end. It panics if params cannot be encoded.
func request(id int, method string, params any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, text)
}

// await waits for a response. It returns one of the errors above, or that of ctx.
func (p *process) await(ctx context.Context, deadline time.Time, came <-chan response) (r response, err error) {
	select {
	case r = <-came:
		return r, nil
	case <-p.ended:
		err = errEnded
	case <-p.lines.closed:
		err = errClosed
		select { // an agent that ends closes it, too
		case <-p.ended:
			err = errEnded
		case <-time.After(time.Second):
		}
	case <-p.lines.framed:
		err = errFramed
	case <-time.After(time.Until(deadline)):
		err = errSilent
	case <-ctx.Done():
		err = ctx.Err()
	}
	select { // both may have come, and a response counts more
	case r = <-came:
		return r, nil
	default:
		return r, err
	}
}
