//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A turn that the agent does not end after a cancel is ended for the client. The agent answers only
// when the client has that, and its answer reaches nobody; what it says then does.
func TestATurnThatTheAgentDoesNotEnd(t *testing.T) {
	end := filepath.Join(t.TempDir(), "end")
	const (
		initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}` + "\n"
		opened      = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n"
		late        = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}` + "\n"
		last        = `{"jsonrpc":"2.0","method":"_last"}` + "\n"
	)
	s := startShim(t, []string{"--set", "turns.cancel_grace=1ms"},
		"recv", "send:"+initialized[:len(initialized)-1], "recv", "send:"+opened[:len(opened)-1],
		"recv", "recv", "wait:"+end, "send:"+late[:len(late)-1], "send:"+last[:len(last)-1], "eof")
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n")
	s.read(initialized)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n")
	s.read(opened)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n")
	s.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}` + "\n")
	s.read(`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}` + "\n")
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.read(last)
	s.in.Close()
	if rest := s.rest(); len(rest) > 0 {
		t.Errorf("then it gets %s", rest)
	}
	s.exits(0)
}
