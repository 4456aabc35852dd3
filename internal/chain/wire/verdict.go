package wire

// A Verdict says what to do with a line, judged by its beginning.
type Verdict int

const (
	// Pass: the line is forwarded unchanged, without waiting for its end.
	Pass Verdict = iota
	// Hold: the line is kept until it is complete, and then rewritten.
	Hold
	// More: the beginning is too short to decide. With the complete line, or HeadSize bytes of it,
	// More means Hold.
	More
	// Consume is Hold for a line that must never be forwarded. If it is too long to be held, it is
	// dropped.
	Consume
	// DrainFirst: lines made before this one arrived have to go first. It is inspected again after
	// they have been drained.
	DrainFirst
)
