// Package wire reads a line of the Agent Client Protocol as bytes and spans.
//
// A message is one line: a JSON-RPC 2.0 object, ended by a newline (ACP
// transports page). The package never turns a line into a value and back. It
// says where things stand ([Parse]), what the beginning of a line already
// tells ([PeekHead]), and it replaces spans ([Splice]); every byte outside a
// replaced span stays what it was.
//
// All functions are pure and may be called from any goroutine. Results point
// into the line they were made of and are valid as long as it is unchanged.
package wire
