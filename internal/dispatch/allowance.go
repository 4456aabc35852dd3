package dispatch

import (
	"fmt"
	"math"
)

// An allowance bounds what adapters make of what a side sends, all of them together: else each of
// the many small messages of a line could repeat a large state. It is for the goroutine of the
// side's direction.
type allowance struct {
	made   int // bytes that were made of the line that is handled
	limit  int // on made
	credit int // bytes that may yet be made unasked, of this line and later ones
}

// Bounds on what is made of a line of so many bytes.
const (
	maxMade     = 16 << 20 // of a line without bytes
	madeForByte = 15       // more for each byte
	maxLarge    = 32 << 20 // more than twice a long line
	firstCredit = 1 << 20  // unasked, at the start
	savedCredit = 4 << 20  // unasked, at most, for what was sent before
)

// begin begins a line.
func (a *allowance) begin(size int) {
	more := min(madeForByte*size, 2*size+maxLarge)
	a.made, a.limit = 0, maxMade+more
	a.credit = min(a.credit, savedCredit) + more
}

// beginOwn begins what is made without a line: who makes it bounds it.
func (a *allowance) beginOwn() { a.made, a.limit = 0, math.MaxInt }

// take reports whether so many bytes more may be made of the line.
func (a *allowance) take(bytes int) bool {
	if bytes > a.limit-a.made {
		return false
	}
	a.made += max(0, bytes)
	return true
}

// takeMade takes what an adapter has made of a message, and reports whether it may go on.
func (d *Direction) takeMade(i int, m *Message) bool {
	made := len(m.before) + len(m.after)
	if m.replaced {
		made -= len(m.Line)
		for _, line := range m.replacements {
			made += len(line)
		}
	}
	if d.allowance().take(made) {
		return true
	}
	d.report(fmt.Errorf("what the adapter %s makes of a line would be over %d bytes", d.adapters[i].Name(), d.allowance().limit))
	return false
}

func (d *Direction) allowance() *allowance { return &d.d.allowances[d.from.Index()] }

// Made is how many bytes adapters have made so far of the line of a side that is handled. More than
// some MiB, or than many times its bytes, are not made: the message passes as it was, and a request
// that an adapter responds to is refused. It is called in the direction of that side, as the
// methods below are.
func (p *Port) Made(from Side) int { return p.dispatcher.allowances[from.Index()].made }

// Affords reports whether an adapter may make so many bytes that nobody has asked for, such as a
// state that the peer is told again: each byte that a side has sent allows some.
func (p *Port) Affords(from Side, bytes int) bool {
	return bytes <= p.dispatcher.allowances[from.Index()].credit
}

// Spend counts bytes that were made unasked, see Affords.
func (p *Port) Spend(from Side, bytes int) {
	a := &p.dispatcher.allowances[from.Index()]
	a.credit = max(0, a.credit-bytes)
}
