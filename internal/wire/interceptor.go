package wire

// An Interceptor stands in one direction and looks at its lines. It is called by one goroutine,
// in the order of the lines, keeps no bytes that it is given, and returns within a bounded
// time, as the direction waits for it. What an Interceptor has no use for it gets from [Base].
type Interceptor interface {
	// Inspect is given a line as far as it is there, and whether that is all of it, the line's end
	// included if it has one. It is asked until it has said Pass, Hold or Consume, or is given
	// HeadSize bytes; a line that is held is asked for again when it is whole, and may pass then.
	Inspect(line []byte, whole bool) Verdict

	// Rewrite is given a whole line that did not pass, and appends to dst what takes its place:
	// the line itself, another, none, or several, each but the last ended by a newline. By
	// names what changed it, and counts only if it was changed.
	Rewrite(dst, line []byte) (out []byte, by []string)

	// TooLong is told of a line that was to be held and is too long: it passes as it is, and
	// Rewrite is not called. Head is its beginning, HeadSize bytes at most.
	TooLong(head []byte)

	// Flush appends lines that were kept back for longer than a Rewrite and may go now, each
	// ended by a newline, and names what made them. It is called when no line is half through
	// and the lines that were there at once have been looked at; and when no more come: then end
	// is true, and all may go. It is called again until it appends nothing, so that it need not
	// append all at once.
	Flush(dst []byte, end bool) (out []byte, by []string)
}

// Base is an Interceptor that lets all pass, for others to embed.
type Base struct{}

// Inspect implements Interceptor.
func (Base) Inspect([]byte, bool) Verdict { return Pass }

// Rewrite implements Interceptor.
func (Base) Rewrite(dst, line []byte) (out []byte, by []string) { return append(dst, line...), nil }

// TooLong implements Interceptor.
func (Base) TooLong([]byte) {}

// Flush implements Interceptor.
func (Base) Flush(dst []byte, _ bool) (out []byte, by []string) { return dst, nil }

// Apply appends what an Interceptor makes of a whole line, and says what changed it.
func Apply(i Interceptor, dst, line []byte) (out []byte, by []string) {
	if i.Inspect(line, true) == Pass {
		return append(dst, line...), nil
	}
	return i.Rewrite(dst, line)
}
