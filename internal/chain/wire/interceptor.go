package wire

// An Interceptor inspects and rewrites the lines of one direction. One goroutine at a time calls
// it, in the order of the lines. It has to return quickly, because the direction waits for it.
// Bytes passed to it are valid only during the call. Embed [Base] to leave out methods.
type Interceptor interface {
	// Inspect returns the verdict on a line of which at least the beginning has arrived; whole says
	// that line is complete, with its newline if it has one. It is called again with more of the
	// line until it returns Pass, Hold or Consume, or line has HeadSize bytes. A held line is
	// inspected again when it is complete, and may pass then. After DrainFirst, Drain is called,
	// and then Inspect again.
	Inspect(line []byte, whole bool) Verdict

	// Rewrite appends to dst the lines to forward in place of a complete line that did not pass.
	// They may be the line itself, another one, none, or several; each but the last ends with a
	// newline. The Change says what changed the line and which lines were added next to it.
	Rewrite(dst, line []byte) (out []byte, by Change)

	// TooLong is called in place of Rewrite for a line that should be held or consumed but is
	// longer than the limit. It passes unchanged, or is dropped if it should be consumed. head is
	// its beginning, at most HeadSize bytes.
	TooLong(head []byte)

	// Flush appends to dst lines that earlier calls delayed and that may be forwarded now, each
	// with a newline; by names what made them. It is called between two lines, when everything that
	// arrived has been handled. At the end of the input it is called with end, and must not delay
	// anything any more. It is called until it appends nothing, so it may append a part at a time.
	Flush(dst []byte, end bool) (out []byte, by Change)

	// Drain appends to dst lines that were made without a line of this direction, each with a
	// newline; by names what made them. When there is something to drain, it is called between two
	// lines, whether more have arrived or not, until it appends nothing.
	Drain(dst []byte) (out []byte, by Change)

	// AwaitReader is called before more is read from the sender, unless a line is incomplete. It
	// blocks while too many bytes made for the sender are unread. Drain and Flush may be called
	// meanwhile.
	AwaitReader()

	// HasRoom reports whether AwaitReader would return at once. It is called after each line that
	// did not pass, if more lines have arrived.
	HasRoom() bool

	// Close is called when the direction has ended and forwards nothing more.
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

// FlushLast returns everything that an Interceptor adds at the end of its direction.
func FlushLast(i Interceptor) (lines []byte) {
	for {
		n := len(lines)
		if lines, _ = i.Flush(lines, true); len(lines) == n {
			return lines
		}
	}
}

// DrainAll returns everything that an Interceptor has to drain.
func DrainAll(i Interceptor) (lines []byte) {
	for n := -1; len(lines) > n; {
		n = len(lines)
		lines, _ = i.Drain(lines)
	}
	return lines
}

// Apply appends to dst the lines that an Interceptor forwards for a complete line.
func Apply(i Interceptor, dst, line []byte) (out []byte, by Change) {
	switch i.Inspect(line, true) {
	case DrainFirst:
		return Apply(i, append(dst, DrainAll(i)...), line)
	case Pass:
		return append(dst, line...), Change{}
	}
	return i.Rewrite(dst, line)
}
