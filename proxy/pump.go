package proxy

import (
	"bytes"
	"errors"
	"io"

	"acpshim/internal/chain/wire"
)

// Relay moves one direction without the processes of a [Run], until from or to ends. It returns nil
// at the end of the input. A line over limit bytes passes unchanged. The input may be a part of a
// direction: the interceptor does not see its end.
func Relay(to io.Writer, from io.Reader, look wire.Interceptor, limit int) error {
	return RelayTapped(to, from, look, nil, limit)
}

// A pump moves one direction. A passing line leaves as its bytes arrive, and a held line leaves
// when it is complete. The buffer, limit, and the interceptor's output for one line bound its
// memory. The fields after inject belong to the goroutine that has the turn: that of run, or that
// of the Injector.
type pump struct {
	from  io.Reader
	to    io.Writer
	look  wire.Interceptor
	final bool // the end of the input is the end of the direction
	tap   Tap  // may be nil
	limit int  // the longest line that is held, in bytes

	// tooLong is called for a line that should be held but is longer than limit; it passes
	// unchanged. truncated is called with the length of a last line without a line end. They may be
	// nil.
	tooLong   func()
	truncated func(bytes int)

	// inject adds lines between those that pass. It may be nil.
	inject *Injector

	// The current line has begun but not ended.
	buf     []byte // bytes read and not yet written; between reads the current line, if it is held
	scanned int    // how many bytes at the beginning of buf have no newline
	state   state  // of the current line
	length  int    // bytes of the current line that have left
	unread  bool   // the current line passes because it is too long to be held

	// If a line was rewritten, out also has the bytes before it in buf, so that everything leaves
	// in one write and in order.
	out    []byte
	taken  int    // the bytes of buf that out replaces
	made   []byte // memory for the interceptor's Flush and Drain
	drains bool   // Drain is due after the current line
	pauses bool   // the lines in buf wait until their sender reads
	isOver bool   // the input has ended, and all of it has left
	last   byte   // the last byte that was written, or 0

	// Delayed lines are flushed after a read that does not fill the buffer.
	came      int  // bytes of the last read
	more      bool // it filled the buffer, so there may be more
	unflushed int  // bytes that arrived since the last flush
	full      bool // more for the last read that was forwarded
}

// A state is the verdict on the current line.
type state int

const (
	unknown  state = iota // Inspect has not decided
	passing               // it leaves as it arrives
	holding               // it stays until it is complete
	claiming              // it stays until it is complete, and is dropped if it is too long
	dropping              // it was too long to be claimed, and is dropped
)

// bufferSize is the largest read, in bytes. It is more than the capacity of a usual pipe, so that
// one write is enough.
const bufferSize = 128 << 10

// writeSize is how many rewritten bytes are gathered before a write. Each of a hundred lines may
// become a plan of megabytes.
const writeSize = 1 << 20

// flushEvery is how many bytes may arrive without a pause before delayed lines are added.
const flushEvery = 8 << 20

// largeBuffer is how much memory of a long line is kept for later lines.
const largeBuffer = 2 << 20

// An errWrite is an error of writing.
type errWrite struct{ error }

func (e errWrite) Unwrap() error { return e.error }

// run moves bytes until one side ends. It returns nil at the end of the input, an errWrite if
// writing failed, and otherwise the error of reading, after it has written everything that it read
// before.
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

// awaitReader blocks while too many bytes wait for the sender to read. It does not block within a
// passing line, because the other direction may wait for its end.
func (p *pump) awaitReader() {
	if p.inject == nil || p.state == passing && p.length > 0 {
		return
	}
	p.look.AwaitReader()
}

// forwardAlone calls forward with the turn. It does not keep the turn, so that the Injector can add
// lines while run reads.
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
// pauses if the sender has to read first. At the end of the input everything leaves. It returns
// errors of writing.
func (p *pump) forward(end bool) error {
	keep := len(p.buf) // the offset of the line that stays
	p.pauses = false
	p.taken, p.out = 0, p.out[:0]
	p.unflushed, p.full = p.unflushed+p.came, p.more
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
			// Its end may come much later.
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

// finish writes the bytes before keep and, if nothing more has arrived, the interceptor's delayed
// lines.
func (p *pump) finish(keep int, end bool) error {
	switch {
	case end:
		if p.length > 0 && p.truncated != nil {
			p.truncated(p.length)
		}
		p.gather(keep, keep)
		if err := p.flushAll(p.taken, p.final); err != nil {
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
// Passing bytes are copied only here, so that all lines leave in one write.
func (p *pump) gather(i, next int) {
	if i > p.taken { // else the reader may use buf
		p.out = append(p.out, p.buf[p.taken:i]...)
		p.showPassed(p.buf[p.taken:i])
	}
	p.taken = next
}

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
	if p.full && p.unflushed < flushEvery {
		p.inject.flushLater(p)
		return nil
	}
	p.unflushed = 0
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

// decide asks for the verdict on the current line. It reports whether to drain first.
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
			p.out = nil // do not keep the memory of one long line
		}
	}
	if len(passed) == 0 {
		return nil
	}
	p.last = passed[len(passed)-1]
	_, err := p.to.Write(passed)
	return err
}

// keep moves the bytes from an offset to the front of the buffer. It doubles the buffer for a line
// that fills it, up to the limit, and shrinks it after a long line.
func (p *pump) keep(from int) {
	held := p.buf[from:]
	p.scanned = len(held)
	switch {
	case len(held) == cap(p.buf):
		p.buf = append(make([]byte, 0, min(2*cap(p.buf), p.limit+bufferSize)), held...)
	case cap(p.buf) > largeBuffer && len(held) < bufferSize:
		p.buf = append(make([]byte, 0, bufferSize), held...)
	case from > 0: // else a long line would be copied for each of its parts
		p.buf = append(p.buf[:0], held...)
	}
}
