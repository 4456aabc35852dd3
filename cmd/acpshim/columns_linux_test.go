package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acpshim/internal/text/terminal"

	"golang.org/x/sys/unix"
)

// wide are texts that take other columns than they have runes or bytes.
var wide = []string{
	"日本語のエージェント名前がとても長い場合", "👨\u200d👩\u200d👧\u200d👦 👍🏽 ❤\ufe0f 1\ufe0f\u20e3 🇩🇪 🇩🇪", "e\u0301e\u0301e\u0301 a\u0300\u0301", "\x1b[31mred\x1b[0m\x00\x07", "한국어 \u1100\u1161\u11a8 ｆｕｌｌ", "می\u200cخواهم क्षि",
}

// What is drawn on a terminal of 80 columns takes no more, whatever a record says.
func TestWideTextFitsTheTerminal(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	source.WriteString(`{"kind":"start","schema":1,"time":"2026-03-04T10:00:00Z","run":"r","argv":["x"]}` + "\n")
	for i, text := range wide {
		for j, message := range []string{
			`{"jsonrpc":"2.0","id":@,"method":@,"params":{"sessionId":@,@:@}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":@,"title":@}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan","entries":[{"content":@,"status":"pending"}]}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":@}}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"tool_call","toolCallId":@,"title":@,"status":"pending"}}}`,
		} {
			fmt.Fprintf(&source, `{"kind":"message","seq":%d,"dir":"agent","len":1,"stage":"in","by":[%s],"msg":%s}`+"\n", 10*i+j+1, inJSON(text),
				strings.ReplaceAll(message, "@", inJSON(strings.Repeat(text+" ", 12))))
		}
	}
	file := filepath.Join(t.TempDir(), "20260304T100000.000Z-x-7-aabbccdd.jsonl")
	if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "show", "--run", file}, {"log", "show", "-n", "20", "--run", file}, {"log", "show", "session", "--run", file}} {
		for _, columns := range []int{80, 100} {
			lines := strings.Split(onTerminal(t, columns, args...), "\n")
			if len(lines) < 2*len(wide) {
				t.Fatalf("%q draws %q", args, lines)
			}
			for _, line := range lines {
				if n := terminal.Width(line); n > columns && !strings.HasPrefix(line, "acpshim: ") {
					t.Errorf("%q draws %d columns into %d:\n%s", args, n, columns, line)
				}
			}
		}
	}
}

// onTerminal is what a command prints on a terminal of so many columns.
func onTerminal(t *testing.T, columns int, args ...string) string {
	starts(t)
	t.Helper()
	master, theirs := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("acpshim", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "PAGER=")
	cmd.Stdout, cmd.Stderr = theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	b, _ := io.ReadAll(master) // it ends with an error
	cmd.Wait()
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// The columns of a list begin at one place, whatever an agent and a client are called.
func TestAListOfWideNamesIsAligned(t *testing.T) {
	starts(t)
	t.Parallel()
	folder := t.TempDir()
	for i, name := range append(wide, "plain", "line\nend\ttab") {
		q := inJSON(name)
		text := `{"kind":"start","schema":1,"time":"2026-03-04T10:00:00Z","run":"r","argv":["x"]}
{"kind":"message","seq":1,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":` + q + `,"version":"1"}}}}
{"kind":"message","seq":2,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":` + q + `,"version":"1"}}}}
`
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("20260304T10000%d.000Z-x-7-aabbccdd.jsonl", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("acpshim", "log", "list", "--set", "record.folder="+folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, line := range lines {
		end := "cut off"
		if i == 0 {
			end = "END"
		}
		before, _, ok := strings.Cut(line, end)
		if at = append(at, terminal.Width(before)); !ok || at[i] != at[0] {
			t.Errorf("END is at %d, in the heads at %d:\n%s", at[i], at[0], out)
		}
	}
	if len(lines) != len(wide)+3 {
		t.Errorf("%d lines:\n%s", len(lines), out)
	}
}
