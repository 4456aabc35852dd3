package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/text/terminal"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// A screen is a terminal that a test reads, with "acpshim log watch" on it.
type screen struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	done   chan struct{} // the command has ended

	mu       sync.Mutex // protects the fields below; who holds it stops the terminal
	emulator *vt.Emulator
	written  bytes.Buffer
}

// watched starts "acpshim log watch" with the records of a folder.
func watched(t *testing.T, columns, rows int, folder string, args ...string) *screen {
	t.Helper()
	starts(t)
	master, theirs := openTerminal(t)
	s := &screen{t: t, master: master, emulator: vt.NewEmulator(columns, rows), done: make(chan struct{})}
	s.resize(columns, rows)
	s.cmd = exec.Command("acpshim", append([]string{"log", "watch", "--set", "record.folder=" + folder}, args...)...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirs, theirs, theirs
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	go io.Copy(master, s.emulator) // what a terminal answers
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := master.Read(buffer)
			s.mu.Lock()
			s.emulator.Write(buffer[:n])
			s.written.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				s.cmd.Wait()
				close(s.done)
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.done
		s.emulator.InputPipe().(io.Closer).Close() // Close and Read race with each other
	})
	return s
}

func (s *screen) resize(columns, rows int) {
	s.mu.Lock()
	s.emulator.Resize(columns, rows)
	s.mu.Unlock()
	if err := unix.IoctlSetWinsize(int(s.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(columns)}); err != nil {
		s.t.Fatal(err)
	}
}

// text is what is on the screen.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.String()
}

func (s *screen) types(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// sees waits until all of some texts are on the screen; one that begins with ! must not be.
func (s *screen) sees(texts ...string) string {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		shown, missing := s.text(), ""
		for _, text := range texts {
			if absent, not := strings.CutPrefix(text, "!"); not == strings.Contains(shown, absent) {
				missing = text
			}
		}
		if missing == "" {
			return shown
		}
		if time.Now().After(end) {
			s.t.Fatalf("want %q on the screen:\n%s", missing, shown)
		}
	}
}

// back presses esc, and waits for what is on the screen then.
func (s *screen) back(texts ...string) {
	s.t.Helper()
	s.types("\x1b")
	s.sees(texts...)
}

// quits presses q: the command ends well.
func (s *screen) quits() {
	s.t.Helper()
	s.types("q")
	select {
	case <-s.done:
	case <-time.After(10 * time.Second):
		s.t.Fatalf("q does not end it:\n%s", s.text())
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("exit status %d:\n%s", code, s.text())
	}
}

// A liveRecord is a record that is being written.
type liveRecord struct {
	t *testing.T
	*os.File
	seq int
}

// recorded begins a record, as a run does.
func recorded(t *testing.T, folder, name string) *liveRecord {
	t.Helper()
	r := &liveRecord{t: t}
	r.part(folder, name+".jsonl")
	r.write(`{"kind":"start","schema":1,"time":"` + time.Now().UTC().Format(time.RFC3339Nano) + `","run":"r","argv":["/bin/some-agent"]}` + "\n")
	t.Cleanup(func() { r.Close() })
	return r
}

// part goes on in another file.
func (r *liveRecord) part(folder, name string) {
	r.t.Helper()
	f, err := os.Create(filepath.Join(folder, name))
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	if r.File != nil {
		r.Close()
	}
	r.File = f
}

func (r *liveRecord) write(text string) {
	r.t.Helper()
	if _, err := r.WriteString(text); err != nil {
		r.t.Fatal(err)
	}
}

// line is a message, with more members of its record.
func (r *liveRecord) line(dir, members, message string) string {
	r.seq++
	return fmt.Sprintf(`{"kind":"message","seq":%d,"time":%q,"mono":%d,"dir":%q,"len":%d%s,"msg":%s}`+"\n",
		r.seq, time.Now().UTC().Format(time.RFC3339Nano), r.seq*int(time.Millisecond), dir, len(message)+1, members, message)
}

func (r *liveRecord) message(dir, message string) { r.write(r.line(dir, "", message)) }

func (r *liveRecord) end(status int) {
	r.seq++
	r.write(fmt.Sprintf(`{"kind":"end","seq":%d,"mono":%d,"status":%d}`+"\n", r.seq, r.seq*int(time.Millisecond), status))
	r.Close()
}

const (
	begunName = "20260304T100000.000Z-x-1-0a1b2c3d"
	initiated = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"some-editor","version":"1"}}}`
	responded = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"some-agent","version":"2"}}}`
	prompted  = `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Make it so"}]}}`
	chunk     = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s "}}}}`
	ended     = `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
	planItems = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p1","entries":[{"content":"Read the code","status":"completed","priority":"high"},{"content":"Fix it","status":"pending","priority":"high"}]}}}}`
	planOld   = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Read the code","status":"completed","priority":"high"}]}}}`
)

// A run is found in the list, its messages come, a request is pending until its response comes, and
// the end has the status; on small and on large terminals.
func TestWatchARun(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			old := recorded(t, folder, "20260303T100000.000Z-x-1-0a1b2c3d")
			old.message("client", initiated)
			old.end(3)
			s := watched(t, size[0], size[1], folder)
			s.sees("1 run, 0 live", "exit 3")
			r := recorded(t, folder, begunName)
			r.message("client", initiated)
			r.message("agent", responded)
			shown := s.sees("2 runs, 1 live", "* 20260304", "running  -")
			if strings.Index(shown, "20260304") > strings.Index(shown, "20260303") {
				t.Errorf("the live run is not the first:\n%s", shown)
			}
			s.types("g\r")
			s.sees("some-agent 2 for some-editor 1", "running, 2 messages", "protocol 1")
			r.message("client", prompted)
			s.sees("waiting for the agent: #3 session/prompt", "pending 0.", "Make it so")
			s.sees("pending 1.")
			for _, word := range []string{"One", "two", "three"} {
				r.message("agent", fmt.Sprintf(chunk, word))
			}
			s.sees("3 pieces in", "One two t")
			r.message("agent", ended)
			s.sees("!pending", "to #3 after", "end_turn", "Make it so: end_turn")
			r.message("client", strings.Replace(prompted, `"id":1`, `"id":7`, 1))
			s.sees("waiting for the agent: #8")
			r.end(1)
			s.sees("the run ended with status 1 while the client waited for the agent: #8", "no response: Make it so")
			s.quits()
		})
	}
}

// A message is opened with what changed it and why; x goes to the response and back; P shows both
// plans.
func TestWatchAMessage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	r.message("client", prompted)
	r.write(r.line("agent", `,"stage":"in","by":["plan"],"why":["the client knows one plan only"]`, planItems))
	r.write(r.line("agent", fmt.Sprintf(`,"stage":"out","of":%d,"by":["plan"]`, r.seq), planOld))
	r.message("agent", ended)
	s := watched(t, 100, 30, folder, "-r", "last")
	s.sees("running, 3 messages", "end_turn")
	s.types("gx\r")
	s.sees("#4 session/prompt", "request     #1, ", "stopReason")
	s.types("x")
	s.sees("#1 session/prompt", "response    #4, ", "Make it so")
	s.types("l")
	s.sees("#2 plan_update", "changed by", "the client knows one plan only", `"planId": "p1"`, "#3, which acpshim sent instead", `"Fix it"`)
	s.types("l")
	s.sees("#3 plan")
	s.back("running, 3 messages")
	s.types("P")
	shown := s.sees("plans of session 1", "what the agent sent", "what the client has now", `"p1", #2`, "the plan, #3", "[ ] Fix it")
	for line := range strings.Lines(shown) {
		if strings.Contains(line, "[x] Read the code") && strings.Count(line, "[x] Read the code") != 2 {
			t.Errorf("the plans are not next to each other: %s", line)
		}
	}
	s.types("?")
	s.sees("the plans: what the agent sent, and")
	s.back("plans of session 1")
	s.back("running, 3 messages")
	s.quits()
}

// A filter leaves rows out. One that is wrong says why, and the one before stays.
func TestWatchFilters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	r.message("client", initiated)
	r.message("agent", responded)
	r.message("client", prompted)
	s := watched(t, 80, 24, folder, "-r", begunName, "method:session/*")
	s.sees("filter: method:session/*", "Make it so", "!initialize")
	s.types("/\x15metod:x\r")
	s.sees(`unknown term "metod", did you mean "method"?`, "filter: metod:x", "filter: method:session/*")
	s.back("Make it so", "!initialize", "!metod")
	s.types("/\x15dir:agent\r")
	s.sees("filter: dir:agent", "to #1 after", "!Make it so")
	s.types("/\x15\r")
	s.sees("Make it so", "some-editor", "!filter:")
	s.quits()
}

// A pause holds the rows still, counts what comes, and loses nothing of it.
func TestWatchPauses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	r.message("client", initiated)
	s := watched(t, 80, 24, folder, "-r", begunName)
	s.sees("running, 1 message", "pending")
	s.types("p")
	s.sees("paused, 0 messages came since")
	r.message("agent", responded)
	r.message("client", prompted)
	s.sees("paused, 2 messages came since", "!Make it so")
	s.types("p")
	s.sees("running, 3 messages", "Make it so")
	s.quits()
}

// A record goes on in other files; it may be removed, and then go on; or be cut off.
func TestWatchARecordOfSeveralFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	r.message("client", initiated)
	s := watched(t, 80, 24, folder, "-r", begunName)
	s.sees("running, 1 message")
	first := r.Name()
	r.part(folder, begunName+".1.jsonl")
	r.message("agent", responded)
	s.sees("running, 2 messages")
	os.Remove(first)
	os.Remove(r.Name())
	s.sees("the record was removed")
	r.part(folder, begunName+".2.jsonl")
	r.message("client", prompted)
	s.sees("running, 3 messages", "Make it so")
	r.Close()
	s.sees("cut off: the record has no end", "no response: Make it so")
	s.back("cut off", "1 run, 0 live")
	os.Remove(filepath.Join(folder, begunName+".2.jsonl"))
	s.sees("There are no runs yet", "acpshim --record -- COMMAND")
	s.quits()
}

// A terminal that changes its size is filled, and has no line that is too long.
func TestWatchIsResized(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	for i := range 100 {
		r.message("client", strings.Replace(strings.Replace(prompted, `"id":1`, fmt.Sprintf(`"id":%d`, i), 1), "Make it so", strings.Repeat("日本語 👍🏽 word ", 20), 1))
	}
	s := watched(t, 80, 24, folder, "-r", begunName)
	s.sees("  100 ", "   81 ", "!   80 ", "q quit")
	for _, size := range [][2]int{{200, 60}, {80, 24}, {30, 8}, {10, 3}, {1, 1}, {120, 40}} {
		s.resize(size[0], size[1])
		if size[1] < 8 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		s.sees(fmt.Sprintf("%5d ", 100), fmt.Sprintf("%5d ", 100-size[1]+5), fmt.Sprintf("!%5d ", 100-size[1]+3))
		for line := range strings.Lines(s.text()) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > size[0] {
				t.Errorf("%d columns in %d: %s", n, size[0], line)
			}
		}
	}
	s.quits()
}

// 10,000 messages a second are all counted, keys work meanwhile, and memory is bounded.
func TestWatchKeepsUp(t *testing.T) {
	long(t)
	defer busy()()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	s := watched(t, 200, 60, folder, "-r", begunName)
	s.sees("running, 0 messages")
	const perSecond, seconds, pieces = 10_000, 4, 50
	from := time.Now()
	for i := range perSecond * seconds / pieces / 2 {
		var b bytes.Buffer
		for j := range pieces {
			id := i*pieces + j
			b.WriteString(r.line("client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a/file/%d.go"}}`, id, id)))
			b.WriteString(r.line("agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":%q}}`, id, strings.Repeat("text ", 40))))
		}
		r.write(b.String())
		time.Sleep(time.Until(from.Add(time.Duration(2*pieces*(i+1)) * time.Second / perSecond)))
	}
	wrote := time.Since(from)
	s.sees(fmt.Sprintf("running, %d messages", perSecond*seconds))
	behind := time.Since(from) - wrote
	s.types("k")
	s.types("?")
	s.sees("to the first one")
	s.back("running")
	s.types("P")
	s.sees("There is no plan yet")
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	kib := 0
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(most, &kib)
	t.Logf("%d messages in %v, seen %v later, with %d MiB", r.seq, wrote, behind, kib>>10)
	if kib == 0 || kib > 400<<10 { // the race detector takes about twice of what it needs alone
		t.Errorf("it takes %d KiB", kib)
	}
	s.quits()
}

// Whatever a record says, nothing of it is obeyed, and the screen is as it would be without.
func TestWatchHostileText(t *testing.T) {
	t.Parallel()
	starts(t)
	home, _ := hostileFolder(t)
	folder := home + "/state/acpshim/records"
	s := watched(t, 100, 40, folder, "kind:request")
	s.sees("1 run, 0 live", "filter of messages: kind:request")
	s.types("\r")
	s.sees("esc runs")
	s.types("/\x15\r")
	s.sees("esc runs", "stderr")
	for i := range 13 {
		tame(t, fmt.Sprint("row ", i), s.sees("as far as it was recorded", "evil"))
		s.types("\r")
		tame(t, fmt.Sprint("message ", i), s.sees("!esc runs"))
		s.back("esc runs")
		s.types("k")
	}
	s.types("P")
	tame(t, "plans", s.sees("what the client has now", "evil"))
	s.types("/\x15rule:")
	s.sees("filter: rule:")
	s.types("\x1b[200~" + hostile + "\x1b[201~") // alone, so that no sequence of it is cut in two
	s.sees("filter: rule:", "evil")
	s.types("[\r")
	tame(t, "a filter", s.sees("filter: rule:", "evil"))
	s.back("1 run, 0 live")
	s.quits()
	for _, r := range s.written.String() {
		if r == '\ufffd' || r < ' ' || r == '\u2026' {
			continue // what bubbletea writes, and what takes the place of the text
		}
		if strings.ContainsRune(hostile, r) && r >= 0x7f && r != '\u00a0' {
			t.Errorf("%U is written to the terminal", r)
		}
	}
}

// A terminal that takes nothing for a while shows all later: what came meanwhile is not lost.
func TestWatchOnATerminalThatStops(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := recorded(t, folder, begunName)
	s := watched(t, 200, 60, folder, "-r", begunName)
	s.sees("running, 0 messages")
	s.mu.Lock()
	for i := range 100 {
		var b bytes.Buffer
		for j := range 200 {
			b.WriteString(r.line("client", "", fmt.Sprintf(`{"jsonrpc":"2.0","method":"m/%d"}`, 200*i+j)))
		}
		r.write(b.String())
		time.Sleep(10 * time.Millisecond)
	}
	s.mu.Unlock()
	s.sees("running, 20000 messages", "m/19999", "m/19950")
	s.quits()
}

// A signal that would end it leaves a usable terminal.
func TestWatchRestoresTheTerminalAtSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM} {
		s := watched(t, 80, 24, t.TempDir())
		s.sees("There are no runs yet")
		s.cmd.Process.Signal(signal)
		select {
		case <-s.done:
		case <-time.After(10 * time.Second):
			t.Fatalf("%v does not end it", signal)
		}
		s.mu.Lock()
		written := s.written.String()
		s.mu.Unlock()
		for _, want := range []string{"\x1b[?1049l", "\x1b[?25h"} { // the usual screen, and the cursor
			if !strings.Contains(written, want) {
				t.Errorf("%v: %q was not written", signal, want)
			}
		}
	}
}
