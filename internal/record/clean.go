package record

import (
	"bytes"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
)

// maxDepth is the deepest nesting of a line that is kept as JSON. Readers have limits, and in the
// record a line is nested one level deeper.
const maxDepth = 200

// isClean reports whether a reader that takes a JSON value out of the record gets exactly the bytes
// of the line: it is one value in valid UTF-8 up to a newline, without a carriage return, nested at
// most maxDepth deep.
func isClean(line []byte) bool {
	n := len(line) - 1
	return n > 0 && line[n] == '\n' && bytes.IndexByte(line, '\r') < 0 && utf8.Valid(line) &&
		wire.CheckValue(line[:n], 0, wire.MaxNesting-maxDepth) == n
}
