package dispatch

import "fmt"

// An allowance limits the bytes that all adapters together write for a line of a side, or without a
// line: in Flush, Drain or TooLong. Without it, each of many small messages could repeat a large
// state. Only the direction's goroutine uses it.
type allowance struct {
	made    int // bytes written for the current line, or charged for it
	charged int // those of made that the current adapter has charged and not yet written
	limit   int // the maximum of made
	credit  int // bytes that adapters may still add unasked, for this line and later ones
}

// A line of n bytes may become n + maxMade + min(madeForByte*n, n+maxLarge) bytes. The credit
// begins at firstCredit and grows by the same minimum. At most savedCredit of it remains for the
// next line. A long line may grow less than a short one, because its output exists several times at
// once: in the adapter, in the Message, and in what is written.
const (
	maxMade     = 16 << 20
	madeForByte = 15
	maxLarge    = 4 << 20
	firstCredit = 1 << 20
	savedCredit = 4 << 20
)

func (a *allowance) begin(size int) {
	more := min(madeForByte*size, size+maxLarge)
	a.made, a.charged, a.limit = 0, 0, maxMade+more
	a.credit = min(a.credit, savedCredit) + more
}

// beginOwn begins output without a line. It shows what is kept, so it may be as large as all state.
func (a *allowance) beginOwn(state int) { a.made, a.charged, a.limit = 0, 0, max(maxMade, state) }

// charge counts bytes before an adapter writes them. It counts nothing and returns false if they
// exceed the limit.
func (a *allowance) charge(bytes int) bool {
	if bytes > a.limit-a.made {
		return false
	}
	a.made, a.charged = a.made+bytes, a.charged+bytes
	return true
}

// take counts bytes that an adapter has written, except those that it has charged. It counts
// nothing and returns false if they exceed the limit.
func (a *allowance) take(bytes int) bool {
	more := max(0, bytes-a.charged)
	a.charged = max(0, a.charged-max(0, bytes))
	if more > a.limit-a.made {
		return false
	}
	a.made += more
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

func (d *Direction) beginOwn() { d.allowance().beginOwn(d.d.conversation.MaxBytes()) }

// Charge counts bytes that an adapter is about to write for the current line of a side, or in
// Flush. A builder calls it before it copies what a peer sent or what is kept. If Charge returns
// false, nothing is counted, and the builder leaves the value out or shortens it: otherwise the
// message would pass unchanged. Only code in the direction of that side may call this method and
// the ones below.
func (p *Port) Charge(from Side, bytes int) bool {
	return p.dispatcher.allowances[from.Index()].charge(bytes)
}

// Made returns the number of bytes that adapters have written so far for the current line of a
// side. Beyond the limit, the message passes unchanged, and a request to which an adapter responds
// is refused.
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
