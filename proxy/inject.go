package proxy

import (
	"runtime/debug"
	"time"

	"acpshim/internal/wire"
)

// An Injector adds lines of ours to one direction while a [Run] goes on. It is
// for one direction of one Run, see [NewInjector].
type Injector struct {
	// turn is a lock that can be waited for in a select: who writes to the direction has
	// put an element into it. It protects the fields below but queue, which has a lock
	// of its own, and those of the pump that are not for its goroutine alone.
	turn  chan struct{}
	begun chan struct{} // closed when there is something to write to
	over  chan struct{} // closed when nothing more is written

	pump     *pump         // nil before the direction has begun, and when it has ended
	queue    queue         // of Put
	waiting  []*production // of Inject: for the end of a line that is half through
	flushing bool          // flushLater waits
	failed   error         // what writing a line of ours failed with: the direction ends with it
	panicked func(reason any, stack []byte)
}

// A producer appends lines of ours and names what made them, see [Injector.Inject].
type producer = func(dst []byte) (out []byte, by wire.Change)

// A production is a call of Inject that waits.
type production struct {
	produce producer
	written chan struct{} // closed when its lines are with those to be written
}

// NewInjector returns an Injector for [Options]. Panicked is called
// for a produce that panics, with its stack: what it made is left out.
func NewInjector(panicked func(reason any, stack []byte)) *Injector {
	return &Injector{turn: make(chan struct{}, 1), begun: make(chan struct{}), over: make(chan struct{}), queue: newQueue(), panicked: panicked}
}

// Put adds a line of ours, with its end, behind those put in before it, when no
// line is half through, and before the direction ends. A [Tap] is shown that it was
// made by what by names, and why. It waits for room, for seconds if a peer takes nothing,
// and reports whether the line will be written: not after the direction has
// ended, and not if there is no room. The line may be changed afterwards.
//
// It may be called by a [wire.Interceptor] of the other direction, of which Other is the
// Injector, else nil: while that direction waits, what is put in there is written, so that
// two directions do not wait for each other.
func (j *Injector) Put(line []byte, by wire.Cause, other *Injector) bool {
	return j.queue.put(line, by, other)
}

// waits has an element if lines may be put in. That of a nil Injector has none.
func (j *Injector) waits() <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.queue.full
}

// writeNow writes what is put in while the interceptor of a pump, whose turn it is,
// makes something of a line: behind what was made of those before it. It is called by
// that interceptor's goroutine, which waits for room in the other direction.
func (j *Injector) writeNow() {
	for p := j.pump; p != nil && j.failed == nil; {
		first := j.queue.take()
		if first.line == nil {
			return
		}
		p.showAdded(first.line, first.by)
		if len(p.out) > p.spilled {
			_, j.failed = p.to.Write(p.out[p.spilled:])
			p.spilled = len(p.out)
		}
		if j.failed == nil {
			_, j.failed = p.to.Write(first.line)
		}
	}
}

// writeQueued writes what is put in until the direction ends.
func (j *Injector) writeQueued() {
	for {
		select {
		case <-j.over:
			return
		case <-j.queue.more:
			j.Inject(j.produceQueued)
		}
	}
}

// produceQueued is the producer of the first line that was put in. There is none if
// another way of writing it was faster.
func (j *Injector) produceQueued(dst []byte) (out []byte, by wire.Change) {
	first := j.queue.take()
	return append(dst, first.line...), first.by
}

// addLast appends what was put in before the direction ended. A nil Injector has none.
func (j *Injector) addLast(p *pump, dst []byte) []byte {
	if j == nil {
		return dst
	}
	j.queue.close()
	for first := j.queue.take(); first.line != nil; first = j.queue.take() {
		dst = append(dst, first.line...)
		p.showAdded(first.line, first.by)
	}
	return dst
}

// Inject adds what produce appends to dst: whole lines, or nothing. A [Tap] is
// shown that they were made by what it names. Produce is called when no line is
// half through, and neither it nor a [wire.Interceptor] of the direction runs while
// another does, so that what it sees of the state that they share and what is
// written are in one order. It must not call Inject.
//
// Inject waits for the direction to begin: the other one may be ahead. It
// returns when the lines have been handed to the pump, which waits for a peer
// that takes nothing: it is for goroutines that nobody waits for, of which there
// are as many calls waiting. It reports whether produce was called; it is not
// after the direction has ended.
func (j *Injector) Inject(produce func(dst []byte) (out []byte, by wire.Change)) bool {
	<-j.begun
	select {
	case j.turn <- struct{}{}:
	case <-j.over:
		return false
	}
	switch p := j.pump; {
	case p == nil || j.failed != nil:
		<-j.turn
		return false
	case p.state == passing:
		w := &production{produce, make(chan struct{})}
		j.waiting = append(j.waiting, w)
		<-j.turn
		select {
		case <-w.written:
			return true
		case <-j.over:
			return false
		}
	default:
		p.out = j.add(p, p.out[:0], produce)
		j.failed = p.write(nil)
		<-j.turn
		return true
	}
}

// addWaiting appends the lines that waited for the end of another.
func (j *Injector) addWaiting(p *pump, dst []byte) []byte {
	for _, w := range j.waiting {
		dst = j.add(p, dst, w.produce)
		close(w.written)
	}
	j.waiting = nil
	return dst
}

// add appends lines of ours and shows them to the tap of p.
func (j *Injector) add(p *pump, dst []byte, produce producer) []byte {
	out, by := j.guarded(dst, produce)
	p.showAdded(out[len(dst):], by)
	return out
}

// guarded calls produce. What one made that panics is left out: half a line would break
// those behind it.
func (j *Injector) guarded(dst []byte, produce producer) (out []byte, by wire.Change) {
	n := len(dst)
	defer func() {
		if reason := recover(); reason != nil {
			out, by = dst[:n], wire.Change{}
			j.panicked(reason, debug.Stack())
		}
	}()
	return produce(dst)
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
		j.Inject(func(dst []byte) (out []byte, by wire.Change) {
			j.flushing = false
			if p.behind != behind {
				if p.full {
					j.flushLater(p)
				}
				return dst, by
			}
			if out, by = p.look.Flush(dst, false); len(out) > len(dst) {
				j.flushLater(p)
			}
			return out, by
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
	close(j.begun)
	<-j.turn
	go j.writeQueued()
}

// end lets go of who waits; nothing is written by us when it has returned.
func (j *Injector) end() {
	if j == nil {
		return
	}
	j.turn <- struct{}{}
	j.pump = nil
	j.queue.close()
	close(j.over)
	<-j.turn
}
