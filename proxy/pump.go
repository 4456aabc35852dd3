package proxy

import (
	"bytes"
	"errors"
	"io"

	"acpshim/internal/wire"
)

// Relay moves one direction without the processes of a [Run], until from or to ends. It returns nil
// at the end of the input. A line over limit bytes passes unchanged. The input may be a part of a
// direction: the interceptor does not see its end.
func Relay(to io.Writer, from io.Reader, look wire.Interceptor, limit int) error {
	return RelayTapped(to, from, look, nil, limit)
}

// A pump moves one direction. A line that nobody holds leaves as its bytes arrive; a held line
// leaves when it is complete. Memory is bounded by the buffer, by limit, and by the output of the
// interceptor for one line. The fields after inject belong to the goroutine that has the turn: that
// of run, or one that injects.
type pump struct {
	from  io.Reader
	to    io.Writer
	look  wire.Interceptor
	final bool // the end of the input is that of the direction
	tap   Tap  // may be nil
	limit int  // the longest line that is held, in bytes

	// tooLong is called for a line that should be held but is longer than limit; it passes
	// unchanged. truncated is called with the length of a last line without a line end. They may be
	// nil.
	tooLong   func()
	truncated func(bytes int)

	// inject adds lines between those that pass. It may be nil.
	inject *Injector

	// The line in progress has begun but not ended.
	buf     []byte // bytes read and not yet written; between reads the line in progress, if it is held
	scanned int    // how many bytes at the beginning of buf are known to hold no newline
	state   state  // of the line in progress
	length  int    // bytes of the line in progress that have left
	unread  bool   // the line was to be held and is too long: what follows from it goes behind it

	// Where a line was rewritten, out takes the place of what is in front of it in buf,
	// too: all that is there leaves in one write, and in its order.
	out    []byte
	taken  int    // bytes of buf for which out stands
	made   []byte // memory for what the interceptor flushes or drains
	drains bool   // there is something to drain after the line that is half through
	pauses bool   // there are lines in buf that have to wait for their sender to read
	isOver bool   // the input has ended, and all of it has left
	last   byte   // that was written; 0 before that

	// What is flushed waits for a read that does not take all that it could.
	came   int  // bytes of the last read
	more   bool // it took all that it could: there may be more at once
	behind int  // bytes that came since lines were flushed
	full   bool // more, of the read that was forwarded last; more itself may be about the next one
}

// A state is the verdict on the line in progress.
type state int

const (
	unknown  state = iota // Inspect has not decided
	passing               // it leaves as it arrives
	holding               // it stays until it is complete
	claiming              // it stays until it is complete, and is dropped if it is too long
	dropping              // it was too long to be claimed, and is dropped
)

// bufferSize is the largest read, in bytes: more than a usual pipe holds, so that everything leaves
// in one write.
const bufferSize = 128 << 10

// writeSize is how many rewritten bytes are gathered before they are written: each of a hundred
// lines may become a plan of megabytes.
const writeSize = 1 << 20

// flushEvery is how many bytes may arrive without a pause before delayed lines are added.
const flushEvery = 8 << 20

// largeBuffer is how much memory of a long line is kept for later lines.
const largeBuffer = 2 << 20

// An errWrite is an error of writing.
type errWrite struct{ error }

func (e errWrite) Unwrap() error { return e.error }

// run moves bytes until one side ends. It returns nil at the end of the input, an errWrite if
// writing failed, and otherwise the error of reading. Everything that was read before has been
// written.
func (p *pump) run() error {
	p.buf = make([]byte, 0, bufferSize)
	for {
		p.awaitReader()
		room := min(cap(p.buf)-len(p.buf), bufferSize)
		n, err := p.from.Read(p.buf[len(p.buf) : len(p.buf)+room])
		p.buf = p.buf[:len(p.buf)+n]
		p.came, p.more = n, n == room
		werr := p.forwardAlone(err != nil)
		for ; werr == nil && p.pauses; werr = p.forwardAlone(err != nil) {
			p.came = 0
			p.awaitReader()
		}
		if werr != nil {
			return errWrite{werr}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// awaitReader blocks while too many bytes made for the sender are unread. It does not block within
// a line that passes, because the other direction may wait for its end.
func (p *pump) awaitReader() {
	if p.inject == nil || p.state == passing && p.length > 0 {
		return
	}
	p.look.AwaitReader()
}

// forwardAlone calls forward with the turn. run gives the turn back while it reads, so that lines
// can be injected into a silent direction.
func (p *pump) forwardAlone(end bool) error {
	if p.inject == nil {
		return p.forward(end)
	}
	p.inject.turn <- struct{}{}
	defer func() { <-p.inject.turn }()
	if p.inject.failed != nil {
		return p.inject.failed
	}
	return p.forward(end)
}

// forward writes the part of the buffer that can leave, and keeps the beginning of a held line. It
// pauses where the sender has to read first. At the end of the input everything leaves. It returns
// errors of writing.
func (p *pump) forward(end bool) error {
	keep := len(p.buf) // where the line that stays begins
	p.pauses = false
	p.taken, p.out = 0, p.out[:0]
	p.behind, p.full = p.behind+p.came, p.more
	for i := 0; i < len(p.buf) && !p.pauses; {
		next, whole := len(p.buf), end
		if n := bytes.IndexByte(p.buf[i+p.scanned:], '\n'); n >= 0 {
			next, whole = i+p.scanned+n+1, true
		}
		line := p.buf[i:next]
		for p.decide(line, whole) {
			if err := p.makeAll(i, p.look.Drain); err != nil {
				return err
			}
		}
		switch {
		case p.state == dropping:
			p.gather(i, next)
			p.showRewritten(line, nil, wire.Change{})
		case p.state != passing && whole:
			p.gather(i, next)
			before := len(p.out)
			var by wire.Change
			p.out, by = p.look.Rewrite(p.out, line)
			p.showRewritten(line, p.out[before:], by)
		case p.state != passing:
			keep = i
		case !whole && p.length == 0 && !p.unread:
			// It goes on for who knows how long.
			if err := p.flushAt(i); err != nil {
				return err
			}
		}
		if p.state == passing {
			p.length += len(line)
		}
		if whole && line[len(line)-1] == '\n' {
			if p.inject != nil && p.state != passing && next < len(p.buf) && !p.look.HasRoom() {
				p.pauses, keep = true, next
			}
			p.state, p.length, p.unread = unknown, 0, false
			if p.drains {
				p.drains = false
				if err := p.makeAll(next, p.look.Drain); err != nil {
					return err
				}
			}
		} else if end && p.state != passing {
			p.length = len(line)
		}
		if err := p.spill(); err != nil {
			return err
		}
		p.scanned = 0
		i = next
	}
	if err := p.finish(keep, end && !p.pauses); err != nil {
		return err
	}
	p.keep(keep)
	if p.pauses {
		p.scanned = 0
	}
	return nil
}

// finish writes what is left before keep and, if nothing more has arrived, the lines that the
// interceptor delays.
func (p *pump) finish(keep int, end bool) error {
	switch {
	case end:
		if p.length > 0 && p.truncated != nil {
			p.truncated(p.length)
		}
		p.gather(keep, keep)
		if err := p.end(); err != nil {
			return err
		}
		p.isOver = true
	case p.length == 0:
		if err := p.flushAt(keep); err != nil {
			return err
		}
	}
	passed := p.buf[p.taken:keep]
	p.showPassed(passed)
	return p.write(passed)
}

// gather adds the passing bytes before i to the rewritten ones, and skips those from i to next.
// Passing bytes are copied only here, where something goes between them, so that all lines leave in
// one write.
func (p *pump) gather(i, next int) {
	if i > p.taken { // otherwise buf may belong to the reader
		p.out = append(p.out, p.buf[p.taken:i]...)
		p.showPassed(p.buf[p.taken:i])
	}
	p.taken = next
}

// spill writes the rewritten bytes if there are many.
func (p *pump) spill() error {
	if len(p.out) < writeSize {
		return nil
	}
	err := p.write(nil)
	p.out = p.out[:0]
	return err
}

// flushAt adds the lines that the interceptor delays before the line at i, if no more lines have
// arrived.
func (p *pump) flushAt(i int) error {
	if p.full && p.behind < flushEvery {
		p.inject.flushLater(p)
		return nil
	}
	p.behind = 0
	return p.flushAll(i, false)
}

// flushAll adds the lines that the interceptor delays before the line at i. It writes a large piece
// before it asks for the next one.
func (p *pump) flushAll(i int, end bool) error {
	return p.makeAll(i, func(dst []byte) ([]byte, wire.Change) { return p.look.Flush(dst, end) })
}

// makeAll adds what produce appends before the line at i, until it appends nothing.
func (p *pump) makeAll(i int, produce func(dst []byte) ([]byte, wire.Change)) error {
	for {
		if isMade, err := p.makeSome(i, produce); err != nil || !isMade {
			return err
		}
	}
}

// makeSome adds what produce appends before the line at i, and reports whether it appended
// anything.
func (p *pump) makeSome(i int, produce func(dst []byte) ([]byte, wire.Change)) (isMade bool, _ error) {
	var by wire.Change
	p.made, by = produce(p.made[:0])
	if len(p.made) == 0 {
		return false, nil
	}
	p.gather(i, i)
	p.endLine()
	p.out = append(p.out, p.made...)
	p.showRewritten(nil, p.made, by)
	if cap(p.made) > 2*writeSize {
		p.made = nil
	}
	return true, p.spill()
}

// decide asks for the verdict on the line in progress. It reports whether to drain first.
func (p *pump) decide(line []byte, whole bool) (drains bool) {
	if p.state == unknown || p.state == holding && whole {
		switch p.look.Inspect(line, whole) {
		case wire.DrainFirst:
			return true
		case wire.Pass:
			p.state = passing
		case wire.Hold:
			p.state = holding
		case wire.Consume:
			p.state = claiming
		default:
			if whole || len(line) >= wire.HeadSize {
				p.state = holding
			}
		}
	}
	head := line[:min(len(line), wire.HeadSize)]
	switch {
	case len(line) <= p.limit:
	case p.state == claiming:
		p.state = dropping
		p.look.TooLong(head)
	case p.state == holding || p.state == unknown:
		p.state, p.unread = passing, true
		p.look.TooLong(head)
		if p.tooLong != nil {
			p.tooLong()
		}
	}
	return false
}

// end writes the lines that the interceptor delays.
func (p *pump) end() error {
	return p.flushAll(p.taken, p.final)
}

// endLine adds a line end to the last line if it has none.
func (p *pump) endLine() {
	isOpen := p.state == passing && p.length > 0 || p.isOver && p.last != 0 && p.last != '\n'
	if n := len(p.out); n > 0 {
		isOpen = p.out[n-1] != '\n'
	}
	if isOpen {
		p.out = append(p.out, '\n')
		p.length = 0
	}
}

// write writes the rewritten bytes and the passing bytes after them in one write, so that a waiting
// reader is woken once.
func (p *pump) write(passed []byte) error {
	if len(p.out) > 0 {
		p.out = append(p.out, passed...)
		passed = p.out
		if cap(p.out) > 2*writeSize {
			p.out = nil // one long line is no reason to keep its memory
		}
	}
	if len(passed) == 0 {
		return nil
	}
	p.last = passed[len(passed)-1]
	_, err := p.to.Write(passed)
	return err
}

// keep moves the kept bytes to the front of the buffer and makes room after them. It doubles the
// buffer for a line that fills it, up to the limit, and shrinks it after a long line.
func (p *pump) keep(from int) {
	held := p.buf[from:]
	p.scanned = len(held)
	switch {
	case len(held) == cap(p.buf):
		p.buf = append(make([]byte, 0, min(2*cap(p.buf), p.limit+bufferSize)), held...)
	case cap(p.buf) > largeBuffer && len(held) < bufferSize:
		p.buf = append(make([]byte, 0, bufferSize), held...)
	case from > 0: // otherwise a long line would be copied with each of its parts
		p.buf = append(p.buf[:0], held...)
	}
}
