//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const pingRule = `[[rule]]
name = "pong"
method = "_x/ping"
reply.result = { pong = true }
`

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// All of a burst are answered, in their order, the last ones as well where the
// agent ends with its input.
func TestRepliesOfABurst(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := startShim(t, []string{"--config", configFile(t, pingRule)}, "echo")
	var want strings.Builder
	var burst strings.Builder
	for i := range n {
		fmt.Fprintf(&burst, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"_x/ping\"}\n", i)
		fmt.Fprintf(&want, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"pong\":true}}\n", i)
	}
	s.send(burst.String())
	s.in.Close()
	if got := string(s.rest()); got != want.String() {
		t.Errorf("%d bytes of answers, want %d; they end with %.200q", len(got), want.Len(), got[max(0, len(got)-200):])
	}
	s.exits(0)
}

// Both ask more at once than waits for either, and both read: neither direction waits for
// the other one.
func TestRepliesBothWaysAtOnce(t *testing.T) {
	t.Parallel()
	long(t)
	const n = 10_000
	dir := t.TempDir()
	line := `{"jsonrpc":"2.0","id":"{n} ` + strings.Repeat("x", 400) + `","method":"_x/ping"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ask"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept")
	s := startShim(t, []string{"--config", configFile(t, pingRule)}, "keep:"+kept, fmt.Sprintf("play:%dx%s", n, filepath.Join(dir, "ask")), "kept")
	go func() {
		for i := range n {
			io.WriteString(s.in, strings.Replace(line, "{n}", fmt.Sprint(i), 1))
		}
	}()
	const answer = `"result":{"pong":true}`
	s.out.SetReadDeadline(time.Now().Add(time.Minute))
	lines := bufio.NewScanner(s.out)
	for got := 0; got < n; got++ {
		if !lines.Scan() || !strings.Contains(lines.Text(), answer) {
			t.Fatalf("behind %d answers the client got %.100q, %v; stderr: %s", got, lines.Text(), lines.Err(), s.stderr)
		}
	}
	eventually(t, "the agent has its answers, too", func() bool {
		b, _ := os.ReadFile(kept)
		return strings.Count(string(b), answer) == n
	})
	s.in.Close()
	s.exits(0)
}

// An agent that asks and reads no answers is not read from forever.
func TestRepliesToAnAgentThatDoesNotRead(t *testing.T) {
	long(t)
	t.Parallel()
	s := startCommand(t, "acpshim", "--config", configFile(t, pingRule), "--", "sh", "-c", `yes '{"jsonrpc":"2.0","id":1,"method":"_x/ping"}'`)
	defer s.cmd.Process.Kill()
	if n, err := s.out.Read(make([]byte, 1)); n == 0 { // what found no room passes
		t.Fatal(err)
	}
	s.out.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	io.Copy(io.Discard, s.out) // while it asks on
	if peak := s.peak(); peak > raceTimes(64<<20) {
		t.Errorf("%d MB are taken", peak>>20)
	}
}

// What waits for a response is not lost with the agent that owes it. Then the request gets an
// error.
func TestHeldMessagesOutliveTheAgent(t *testing.T) {
	t.Parallel()
	const held = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}`
	rule := "[[rule]]\nname = \"wait\"\nfrom = \"agent\"\nupdate = \"available_commands_update\"\nhold = \"response\"\n"
	s := startShim(t, []string{"--config", configFile(t, rule)}, "recv", "send:"+held, "exit:3")
	s.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n")
	const ended = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the agent ended with status 3 before it responded","data":{"status":3,"stderr":""}}}`
	if got := string(s.rest()); got != held+"\n"+ended+"\n" {
		t.Errorf("got %q", got)
	}
	s.exits(3)
}

// F9: what a configuration says when the agent starts counts to the end.
func TestAConfigurationThatChangesIsNotReadAgain(t *testing.T) {
	t.Parallel()
	path := configFile(t, pingRule)
	s := startShim(t, []string{"--config", path}, "echo")
	const ask, answer = `{"jsonrpc":"2.0","id":1,"method":"_x/ping"}` + "\n", `{"jsonrpc":"2.0","id":1,"result":{"pong":true}}` + "\n"
	s.send(ask)
	s.read(answer)
	if err := os.WriteFile(path, []byte("[[rule]]\nmistaken"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.send(ask)
	s.read(answer)
	s.in.Close()
	s.exits(0)
}
