package filters

import (
	"errors"

	"acpshim/internal/wire"
)

// A replacement is what takes the place of a message: itself or another or
// nothing, and lines of ours around it.
type replacement struct {
	before []byte // whole lines
	self   []byte // empty if the message is dropped
	after  []byte // whole lines
}

// paths are what the messages of both directions are opened at.
var paths = []string{
	"params", "params.update", "params.update.plan", "params.clientCapabilities", "result",
}

// rewrite appends what takes the place of a line. Each message in it, and that
// is several in a batch, is handed to replace with the line it stands in. A
// line that cannot be read is forwarded as it is; the error says why.
func rewrite(dst, line []byte, replace func(line []byte, msg *wire.Object) replacement) ([]byte, error) {
	msg, err := wire.Parse(line, paths...)
	if err == nil {
		r := replace(line, msg)
		dst = append(append(dst, r.before...), r.self...)
		if len(r.after) > 0 {
			dst = append(endLine(dst), r.after...)
		}
		return dst, nil
	}
	if !errors.Is(err, wire.ErrNotObject) {
		return append(dst, line...), err
	}
	elements, err := wire.Batch(line)
	if errors.Is(err, wire.ErrNotArray) {
		return append(dst, line...), nil // no JSON: nobody's message
	}
	if err != nil {
		return append(dst, line...), err
	}
	return rewriteBatch(dst, line, elements, replace), nil
}

// rewriteBatch keeps the array one line, and drops it if nothing is left in it.
// Lines of ours go before and behind it.
func rewriteBatch(dst, line []byte, elements []wire.Span, replace func([]byte, *wire.Object) replacement) []byte {
	with := make([][]byte, len(elements))
	var after []byte
	for i, span := range elements {
		element := line[span.Start:span.End]
		msg, err := wire.Parse(element, paths...)
		if err != nil {
			continue
		}
		r := replace(element, msg)
		dst = append(dst, r.before...)
		after = append(after, r.after...)
		if with[i] = r.self; len(r.self) == 0 {
			with[i] = []byte{} // dropped, not left
		}
	}
	dst = wire.SpliceElements(dst, line, elements, with)
	if len(after) > 0 {
		dst = append(endLine(dst), after...)
	}
	return dst
}
