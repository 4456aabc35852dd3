package dispatch

import (
	"fmt"
	"math"
)

// An allowance bounds the bytes that all adapters together make of the lines of a side. Without it,
// each of many small messages could repeat a large state. Only the direction's goroutine uses it.
type allowance struct {
	made   int // bytes that were made of the line that is handled
	limit  int // on made
	credit int // bytes that may yet be made unasked, of this line and later ones
}

// Bounds on the bytes made of a line.
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

// beginOwn begins output without a line. Its maker bounds it.
func (a *allowance) beginOwn() { a.made, a.limit = 0, math.MaxInt }

// take reports whether n more bytes may be made of the line, and counts them.
func (a *allowance) take(bytes int) bool {
	if bytes > a.limit-a.made {
		return false
	}
	a.made += max(0, bytes)
	return true
}

// takeMade counts the output of an adapter, and reports whether it is within the bounds.
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
	d.report(fmt.Errorf("the adapter %s would make more than %d bytes of one line", d.adapters[i].Name(), d.allowance().limit))
	return false
}

func (d *Direction) allowance() *allowance { return &d.d.allowances[d.from.Index()] }

// Made returns the number of bytes that adapters have made so far of the current line of a side.
// Beyond the bounds of an allowance the message passes unchanged, and a request to which an adapter
// responds is refused. Call it, and the methods below, in the direction of that side.
func (p *Port) Made(from Side) int { return p.dispatcher.allowances[from.Index()].made }

// Affords reports whether an adapter may add n bytes that nobody asked for, such as a repeated
// state. Each byte that a side has sent allows a few.
func (p *Port) Affords(from Side, bytes int) bool {
	return bytes <= p.dispatcher.allowances[from.Index()].credit
}

// Spend counts bytes that nobody asked for, see Affords.
func (p *Port) Spend(from Side, bytes int) {
	a := &p.dispatcher.allowances[from.Index()]
	a.credit = max(0, a.credit-bytes)
}
