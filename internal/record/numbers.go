package record

import "acpshim/internal/chain/wire"

// maxNumbers is the number of recent lines of a side that later lines can refer to.
const maxNumbers = 1 << 13

// numbers has the numbers of the entries of recent lines that were held, by side. Each is a ring.
type numbers [2][]number

type number struct {
	line  int64 // wire.Change.Number
	entry uint64
}

// note notes the number of a line's entry.
func (n *numbers) note(of wire.Origin, entry uint64) {
	ring := &n[of.From.Index()]
	if *ring == nil {
		*ring = make([]number, maxNumbers)
	}
	(*ring)[of.Number%maxNumbers] = number{of.Number, entry}
}

// of returns the number of a line's entry, or 0 if it is not known.
func (n *numbers) of(of wire.Origin) uint64 {
	ring := n[of.From.Index()]
	if of.Number == 0 || ring == nil || ring[of.Number%maxNumbers].line != of.Number {
		return 0
	}
	return ring[of.Number%maxNumbers].entry
}
