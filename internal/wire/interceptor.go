package wire

// An Interceptor inspects and rewrites the lines of one direction. It is called by one goroutine at
// a time, in the order of the lines, and returns within a bounded time, as the direction waits for
// it. The bytes that it is given are valid during the call only. Embed [Base] for the methods that
// have nothing to do.
type Interceptor interface {
	// Inspect returns the verdict on a line of which the beginning has arrived; whole says that
	// line is all of it, with its newline if it has one. It is called again with more of the line
	// until it returns Pass, Hold or Consume, or line has HeadSize bytes. A line that is held is
	// inspected once more when it is whole, and may pass then. After DrainFirst, Drain is called,
	// and Inspect again.
	Inspect(line []byte, whole bool) Verdict

	// Rewrite appends to dst what is forwarded in place of a whole line that did not pass: the line
	// itself, another, none, or several, each but the last ended by a newline. By says what
	// changed the line, and what of the several was put beside it.
	Rewrite(dst, line []byte) (out []byte, by Change)

	// TooLong is called for a line that was to be held, or consumed, and is longer than the limit:
	// Rewrite is not called. It passes as it is, or is dropped if it was to be consumed. Head is
	// its beginning, HeadSize bytes at most.
	TooLong(head []byte)

	// Flush appends to dst lines that earlier calls kept back and that may be forwarded now, each
	// ended by a newline; by names what made them. It is called between two lines, when all that
	// had arrived has been handled; and with end at the end of the input, when nothing is to be
	// kept back any longer. It is called again until it appends nothing, so that it may append some
	// at a time.
	Flush(dst []byte, end bool) (out []byte, by Change)

	// Drain appends to dst lines that were made without one of this direction, each ended by a
	// newline; by names what made them. It is called between two lines, whether more have arrived
	// or not, after there was something to be drained, and again until it appends nothing.
	Drain(dst []byte) (out []byte, by Change)

	// AwaitReader is called before more of the sender is read, unless a line is half through. It
	// waits while the sender does not read what was made for it, if that is much. Drain and Flush
	// may be called meanwhile.
	AwaitReader()

	// HasRoom reports whether AwaitReader need not wait. It is asked after each line that did not
	// pass, if more lines are there.
	HasRoom() bool

	// Close is called when the direction has ended: nothing more is forwarded in it.
	Close()
}

// Base is an Interceptor that passes every line, for others to embed.
type Base struct{}

// Inspect implements Interceptor.
func (Base) Inspect([]byte, bool) Verdict { return Pass }

// Rewrite implements Interceptor.
func (Base) Rewrite(dst, line []byte) (out []byte, by Change) { return append(dst, line...), Change{} }

// TooLong implements Interceptor.
func (Base) TooLong([]byte) {}

// Flush implements Interceptor.
func (Base) Flush(dst []byte, _ bool) (out []byte, by Change) { return dst, Change{} }

// Drain implements Interceptor.
func (Base) Drain(dst []byte) (out []byte, by Change) { return dst, Change{} }

// AwaitReader implements Interceptor.
func (Base) AwaitReader() {}

// HasRoom implements Interceptor.
func (Base) HasRoom() bool { return true }

// Close implements Interceptor.
func (Base) Close() {}

// DrainAll returns all that there is to drain of an Interceptor.
func DrainAll(i Interceptor) (lines []byte) {
	for n := -1; len(lines) > n; {
		n = len(lines)
		lines, _ = i.Drain(lines)
	}
	return lines
}

// Apply appends to dst what an Interceptor makes of a whole line; by names what changed it.
func Apply(i Interceptor, dst, line []byte) (out []byte, by Change) {
	switch i.Inspect(line, true) {
	case DrainFirst:
		return Apply(i, append(dst, DrainAll(i)...), line)
	case Pass:
		return append(dst, line...), Change{}
	}
	return i.Rewrite(dst, line)
}
