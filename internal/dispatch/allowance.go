package dispatch

import (
	"fmt"
	"math"
)

// An allowance limits the bytes that all adapters together write for the lines of a side. Without
// it, each of many small messages could repeat a large state. Only the direction's goroutine uses
// it.
type allowance struct {
	made   int // bytes written for the current line
	limit  int // the maximum of made
	credit int // bytes that adapters may still add unasked, for this line and later ones
}

// A line of n bytes may become n + maxMade + min(madeForByte*n, 2*n+maxLarge) bytes. The credit
// begins at firstCredit and grows by the same minimum. At most savedCredit of it remains for the
// next line.
const (
	maxMade     = 16 << 20
	madeForByte = 15
	maxLarge    = 32 << 20
	firstCredit = 1 << 20
	savedCredit = 4 << 20
)

func (a *allowance) begin(size int) {
	more := min(madeForByte*size, 2*size+maxLarge)
	a.made, a.limit = 0, maxMade+more
	a.credit = min(a.credit, savedCredit) + more
}

// beginOwn begins output without a line. The adapters limit it themselves.
func (a *allowance) beginOwn() { a.made, a.limit = 0, math.MaxInt }

// take counts more bytes for the line. It counts nothing and returns false if they exceed the
// limit.
func (a *allowance) take(bytes int) bool {
	if bytes > a.limit-a.made {
		return false
	}
	a.made += max(0, bytes)
	return true
}

// takeMade counts the output of an adapter. It reports an error and returns false if that exceeds
// the limit.
func (d *Direction) takeMade(i int, m *Message) bool {
	made := len(m.before) + len(m.after)
	if m.isReplaced {
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

// Made returns the number of bytes that adapters have written so far for the current line of a
// side. Beyond the limit, the message passes unchanged, and a request to which an adapter responds
// is refused. Only code in the direction of that side may call this method and the ones below.
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
