package proxy

import (
	"time"
)

// An Injector adds lines that are made without one of the direction, while a [Run] goes on: what
// [wire.Interceptor.Drain] returns when it is woken. It is for one direction of one Run.
type Injector struct {
	// turn is a lock that can be waited for in a select: who writes to the direction has
	// put an element into it. It protects the fields below, and those of the pump that are
	// not for its goroutine alone.
	turn chan struct{}
	more chan struct{} // has an element if there may be something to drain
	over chan struct{} // closed when nothing more is written

	pump     *pump // nil before the direction has begun, and when it has ended
	flushing bool  // flushLater waits
	failed   error // what writing a line of ours failed with: the direction ends with it
}

// NewInjector returns an Injector for [Options].
func NewInjector() *Injector {
	return &Injector{turn: make(chan struct{}, 1), more: make(chan struct{}, 1), over: make(chan struct{})}
}

// Wake has the direction drained when no line is half through. It may be called from any goroutine,
// before the direction begins, too, and does not wait.
func (j *Injector) Wake() {
	select {
	case j.more <- struct{}{}:
	default: // who drains takes all that there is
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

// alone calls write with the pump when it is no one else's turn, unless the direction has ended.
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
		j.pump.look.Close() // its reader may wait for long until it learns that
	}
}

// exclude calls f when nothing is written to the direction; nothing is meanwhile.
func (j *Injector) exclude(f func()) {
	if j != nil {
		j.turn <- struct{}{}
		defer func() { <-j.turn }()
	}
	f()
}

// flushPause is how long nothing has to come until what an interceptor keeps is added
// behind a read that took all that it could.
const flushPause = 10 * time.Millisecond

// flushLater has p flushed unless more comes within a moment: then p sees to it
// itself. It is called by whose turn it is.
func (j *Injector) flushLater(p *pump) {
	if j == nil || j.flushing {
		return
	}
	j.flushing = true
	behind := p.behind
	time.AfterFunc(flushPause, func() {
		j.alone(func(p *pump) error {
			j.flushing = false
			switch {
			case p.behind == behind:
				return p.flushNow()
			case p.full:
				j.flushLater(p)
			}
			return nil
		})
	})
}

// begin makes the lines go to what p writes to, before p reads anything. A nil Injector
// adds none.
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

// end ends what begin began; nothing is written by us when it has returned.
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

// drainNow writes what there is to drain, or has it drained at the end of the line that is half
// through. It is called between two reads, by whose turn it is.
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
		p.inject.Wake() // what is left has its turn after the sender's lines
	}
	return p.write(nil)
}

// flushNow is drainNow for what the interceptor keeps.
func (p *pump) flushNow() error {
	if p.isOver || p.state == passing {
		return nil // it is flushed when more has come
	}
	p.taken, p.out = 0, p.out[:0]
	if err := p.flushAll(0, false); err != nil {
		return err
	}
	return p.write(nil)
}
