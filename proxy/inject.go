package proxy

import (
	"time"
)

// An Injector adds lines to a direction that do not come from its sender: after Wake it adds what
// [wire.Interceptor.Drain] returns. It serves one direction of one [Run].
type Injector struct {
	// turn is a lock for use in a select. Whoever writes to the direction has put an element into
	// it. It protects the fields below, and the fields of the pump after inject.
	turn chan struct{}
	more chan struct{} // has an element if there may be something to drain
	over chan struct{} // closed when the direction has ended

	pump     *pump // nil before the direction begins and after it has ended
	flushing bool  // flushLater waits
	failed   error // an error of writing an added line, which ends the direction
}

// NewInjector returns an Injector for [Options].
func NewInjector() *Injector {
	return &Injector{turn: make(chan struct{}, 1), more: make(chan struct{}, 1), over: make(chan struct{})}
}

// Wake drains the direction as soon as no line is incomplete. It does not block. Any goroutine may
// call it, also before the direction begins.
func (j *Injector) Wake() {
	select {
	case j.more <- struct{}{}:
	default: // a drain is already due
	}
}

// serve drains the direction whenever it is woken, until it ends.
func (j *Injector) serve() {
	for {
		select {
		case <-j.over:
			return
		case <-j.more:
			j.alone((*pump).drainNow)
		}
	}
}

// alone calls write with the pump when nobody else writes, unless the direction has ended.
func (j *Injector) alone(write func(*pump) error) {
	select {
	case j.turn <- struct{}{}:
	case <-j.over:
		return
	}
	defer func() { <-j.turn }()
	if j.pump == nil || j.failed != nil {
		return
	}
	if j.failed = write(j.pump); j.failed != nil {
		j.pump.look.Close() // the pump may be blocked in a read and notice later
	}
}

// exclude calls f while nobody writes to the direction.
func (j *Injector) exclude(f func()) {
	if j != nil {
		j.turn <- struct{}{}
		defer func() { <-j.turn }()
	}
	f()
}

// flushPause is the pause after a full read before the lines that an interceptor delays are added.
const flushPause = 10 * time.Millisecond

// flushLater flushes p unless more arrives within flushPause: then p flushes itself. The caller has
// the turn.
func (j *Injector) flushLater(p *pump) {
	if j == nil || j.flushing {
		return
	}
	j.flushing = true
	unflushed := p.unflushed
	time.AfterFunc(flushPause, func() {
		j.alone(func(p *pump) error {
			j.flushing = false
			switch {
			case p.unflushed == unflushed:
				return p.flushNow()
			case p.full:
				j.flushLater(p)
			}
			return nil
		})
	})
}

// begin connects the Injector to p, before p reads anything. A nil Injector adds no lines.
func (j *Injector) begin(p *pump) {
	if j == nil {
		return
	}
	p.inject = j
	j.turn <- struct{}{}
	j.pump = p
	<-j.turn
	go j.serve()
}

// end disconnects the Injector. It writes nothing after end has returned.
func (j *Injector) end(p *pump) {
	p.look.Close()
	if j == nil {
		return
	}
	j.turn <- struct{}{}
	j.pump = nil
	close(j.over)
	<-j.turn
}

// drainNow drains now, or at the end of an incomplete line. It is called between two reads. The
// caller has the turn.
func (p *pump) drainNow() error {
	if p.state == passing && !p.isOver {
		p.drains = true
		return nil
	}
	p.taken, p.out = 0, p.out[:0]
	isMade, err := p.makeSome(0, p.look.Drain)
	if err != nil {
		return err
	}
	if isMade {
		p.inject.Wake() // the remainder follows after the sender's lines
	}
	return p.write(nil)
}

// flushNow is drainNow for the lines that the interceptor delays.
func (p *pump) flushNow() error {
	if p.isOver || p.state == passing {
		return nil // forward flushes after the next read
	}
	p.taken, p.out = 0, p.out[:0]
	if err := p.flushAll(0, false); err != nil {
		return err
	}
	return p.write(nil)
}
