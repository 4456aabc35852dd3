//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	inside "acpshim/internal/run/folder"
)

// filesShim starts a run with services.fs in which the session s was opened in a new folder, and
// the agent goes on with a script. FOLDER in it is that folder.
func filesShim(t *testing.T, script ...string) (s *shim, folder string) {
	t.Helper()
	folder = t.TempDir()
	script = append([]string{
		"recv", `send:{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`,
		"recv", `send:{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`,
	}, script...)
	for i := range script {
		script[i] = strings.ReplaceAll(script[i], "FOLDER", folder)
	}
	s = startShim(t, []string{"--set", "services.fs=missing", "--log-level", "debug"}, script...)
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}` + "\n")
	s.read(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}` + "\n")
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", folder))
	s.read(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n")
	return s, folder
}

// writeLine is a step that has a file written.
func writeLine(id int, name, text string) string {
	return fmt.Sprintf(`send:{"jsonrpc":"2.0","id":%d,"method":"fs/write_text_file","params":{"sessionId":"s","path":"FOLDER/%s","content":"%s"}}`, id, name, text)
}

// A run reads and writes for the agent, in its order, and says so in the log; the client gets the
// agent's other lines only.
func TestFilesAreReadAndWrittenInARun(t *testing.T) {
	t.Parallel()
	s, folder := filesShim(t,
		writeLine(1, "new/a", "first"), writeLine(2, "new/a", "second"),
		`send:{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"sessionId":"s","path":"FOLDER/new/a"}}`,
		`send:{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/etc/passwd"}}`,
		`recv:{"jsonrpc":"2.0","id":1,"result":{}}`, `recv:{"jsonrpc":"2.0","id":2,"result":{}}`,
		`recv:{"jsonrpc":"2.0","id":3,"result":{"content":"second"}}`,
		`recv:{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"\\"/etc/passwd\\": outside the session's folders, which are \\"FOLDER\\""}}`,
		`send:{"jsonrpc":"2.0","method":"x/done"}`, "eof")
	s.read(`{"jsonrpc":"2.0","method":"x/done"}` + "\n")
	s.in.Close()
	if rest := s.rest(); len(rest) > 0 {
		t.Errorf("the client gets %s", rest)
	}
	s.exits(0)
	for text, n := range map[string]int{
		"INF acpshim: acpshim wrote a file for the agent bytes=":                   2,
		"DBG acpshim: acpshim read a file for the agent path=" + folder:            1,
		"WRN acpshim: the agent asked for a file outside of the session's folders": 1,
		"path=/etc/passwd session=s":                                               1,
	} {
		if got := strings.Count(s.stderr.String(), text); got != n {
			t.Errorf("the log has %q %d times, want %d: %s", text, got, n, s.stderr)
		}
	}
}

// What an agent writes last is written, though it ends without waiting for the response.
func TestAWriteOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	s, folder := filesShim(t, writeLine(1, "a", "1"), writeLine(2, "b", "2"), writeLine(3, "c", "3"), "exit:3")
	s.rest()
	s.exits(3)
	for _, name := range []string{"a", "b", "c"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("%v; stderr: %s", err, s.stderr)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 3 {
		t.Errorf("the folder has %v", entries)
	}
}

// An agent that asks forever and reads nothing is refused in time; its other lines arrive.
func TestAnAgentThatAsksForFilesAndDoesNotRead(t *testing.T) {
	t.Parallel()
	long(t)
	ask := filepath.Join(t.TempDir(), "ask")
	line := `{"jsonrpc":"2.0","id":{n},"method":"fs/read_text_file","params":{"sessionId":"s","path":"/none` + strings.Repeat("x", 2000) + `"}}` + "\n"
	if err := os.WriteFile(ask, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := filesShim(t, "play:5000x"+ask, `send:{"jsonrpc":"2.0","method":"x/done"}`, "eof")
	s.out.SetReadDeadline(time.Now().Add(time.Minute))
	lines, passed := bufio.NewScanner(s.out), 0
	for lines.Scan() && !strings.Contains(lines.Text(), "x/done") {
		passed++ // what could not be answered goes to the client
	}
	if lines.Err() != nil || passed >= 5000 {
		t.Errorf("%d of 5000 requests reached the client: %v; stderr: %.1000s", passed, lines.Err(), s.stderr)
	}
	if peak := s.peak(); peak > 200_000_000 && raceTimes(1) == 1 { // its detector takes several times the memory
		t.Errorf("it took %d bytes", peak)
	} else {
		t.Logf("it took %d bytes", peak)
	}
	s.in.Close()
	s.exits(0)
}

// The largest texts, of characters that take six bytes each in JSON, and writes that come faster
// than the disk takes them.
func TestFilesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	long(t)
	if raceTimes(1) > 1 {
		t.Skip("the race detector takes several times the memory and the time")
	}
	const maxText = inside.MaxText
	dir := t.TempDir()
	ask, change := filepath.Join(dir, "ask"), filepath.Join(dir, "change")
	const reads, writes = 5, 4
	script := []string{"wait:" + ask, fmt.Sprintf("play:%dx%s", reads, ask)}
	script = append(script, slices.Repeat([]string{"recv"}, reads)...)
	script = append(script, fmt.Sprintf("play:%dx%s", writes, change))
	script = append(script, slices.Repeat([]string{"recv"}, writes)...)
	s, folder := filesShim(t, append(script, `send:{"jsonrpc":"2.0","method":"x/done"}`, "eof")...)
	line := `{"jsonrpc":"2.0","id":"{n}","method":"fs/%s_text_file","params":{"sessionId":"s","path":"` + folder + `/%s"%s}}` + "\n"
	for name, text := range map[string]string{
		filepath.Join(folder, "a"): strings.Repeat("\x01", maxText),
		change:                     fmt.Sprintf(line, "write", "b", `,"content":"`+strings.Repeat("x", 7<<20)+`"`),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(ask+".new", []byte(fmt.Sprintf(line, "read", "a", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(ask+".new", ask); err != nil {
		t.Fatal(err)
	}
	s.read(`{"jsonrpc":"2.0","method":"x/done"}` + "\n")
	if peak := s.peak(); peak > raceTimes(200_000_000) {
		t.Errorf("it took %d bytes", peak)
	}
	s.in.Close()
	s.exits(0)
}
