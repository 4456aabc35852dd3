package wire

// A Verdict says what becomes of a line, by its beginning.
type Verdict int

const (
	// Pass: the line is forwarded as it is, whatever follows, without waiting
	// for its end.
	Pass Verdict = iota
	// Hold: the line is looked at when it is there as a whole.
	Hold
	// More: the beginning is too short to say. It is Hold once the whole line,
	// or HeadSize bytes of it, have been seen.
	More
	// Consume is Hold for a line that must not be forwarded whatever is in it: one
	// that is too long to be held is dropped.
	Consume
	// DrainFirst: lines that were made before this one came go before it. It is inspected again
	// when they have been drained.
	DrainFirst
)
