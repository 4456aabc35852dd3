package peer

import (
	"context"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/process"
	"acpshim/proxy"
)

// Ended returns a process without an agent, as if both sides had written lines and the agent had
// ended. Play calls its argument for each line, in order.
func Ended(play func(add func(from wire.Side, line []byte))) *Process {
	p := &Process{transcript: newTranscript(), shut: make(chan struct{}), ended: make(chan struct{})}
	play(func(from wire.Side, line []byte) { p.transcript.add(from, wire.EndLine(line)) })
	p.transcript.close()
	p.number()
	close(p.shut)
	close(p.ended)
	return p
}

// Messages returns the lines that both sides wrote until now.
func (p *Process) Messages() []*Message {
	messages, _ := p.transcript.since(0)
	return messages
}

// Until waits until a message satisfies is, from the i-th on, and returns it. It returns nil when
// the time is over, the agent has ended, or ctx is done.
func (p *Process) Until(ctx context.Context, deadline time.Time, i int, is func(*Message) bool) *Message {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		messages, changed := p.transcript.since(i)
		for _, m := range messages {
			if is(m) {
				return m
			}
		}
		i += len(messages)
		select {
		case <-changed:
			continue
		case <-p.ended:
		case <-timer.C:
		case <-ctx.Done():
		}
		messages, _ = p.transcript.since(i)
		for _, m := range messages {
			if is(m) {
				return m
			}
		}
		return nil
	}
}

// Junk returns how many lines of the agent are not messages, the beginning of the first one, and
// how many messages there are.
func (p *Process) Junk() (lines int, first string, messages int) {
	p.transcript.mu.Lock()
	defer p.transcript.mu.Unlock()
	return p.transcript.junkLines, p.transcript.firstJunk, p.transcript.read
}

// Stderr returns the end of the agent's standard error.
func (p *Process) Stderr() string { return p.stderr.Tail() }

// Record returns the path of the record, or "".
func (p *Process) Record() string { return p.recording.Path() }

// Begun returns when the process was started.
func (p *Process) Begun() time.Time { return p.begun }

// InputGrace returns how long the agent may run after its input was closed.
func (p *Process) InputGrace() time.Duration { return p.options.InputGrace }

// HasEnded reports whether the agent has ended and all of its output was read.
func (p *Process) HasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// EndedEarly reports whether the agent has ended before its input was closed.
func (p *Process) EndedEarly() bool { return p.HasEnded() && p.err == nil && p.early }

// Err returns why the agent did not start, once it has ended.
func (p *Process) Err() error { return p.err }

// Ending returns how the agent has ended.
func (p *Process) Ending() proxy.Ending { return p.ending }

// Left returns the processes that the agent has left when it ended; ok is false if they are not
// known.
func (p *Process) Left() (left []process.Process, ok bool) { return p.left, p.isLeft }
