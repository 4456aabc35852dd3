// Package wire reads a line of the Agent Client Protocol as bytes and spans.
//
// A message is one line: a JSON-RPC 2.0 object, ended by a newline (ACP transports page). The
// package never decodes a line and encodes it again. [Parse] finds where members are, [PeekHead]
// reads the beginning of a line, and [Splice] replaces spans; every byte outside of a replaced span
// stays what it was.
//
// All functions are pure and may be called from any goroutine. Results point into the line they
// were made of and are valid as long as it is unchanged.
package wire
