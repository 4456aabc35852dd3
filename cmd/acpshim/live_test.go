//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/run/transcript"
)

// A livePlan is a running acpshim with a prompt that is not answered and a plan
// that is a file.
type livePlan struct {
	cancelled bool // the client cancels the prompt
	*shim
	lines *bufio.Reader
	file  string // the plan's
	end   string // the agent goes on when it is there
	kept  string // what the agent gets from the client after the prompt
}

const (
	liveAnswer = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	noise      = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}`
)

// startLive starts one with a text in the file. What the agent does between
// naming the file and the end may be given.
func startLive(t *testing.T, text, config string, script ...string) *livePlan {
	t.Helper()
	dir := t.TempDir()
	l := &livePlan{file: filepath.Join(dir, "plan.md"), end: filepath.Join(dir, "end"), kept: filepath.Join(dir, "kept")}
	if text != "" {
		l.write(t, text)
		atRest := time.Now().Add(-time.Minute)
		if err := os.Chtimes(l.file, atRest, atRest); err != nil {
			t.Fatal(err)
		}
	}
	flags := filepath.Join(dir, "config")
	if err := os.WriteFile(flags, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":"file://%s"}}}}`, l.file)
	l.shim = startShim(t, []string{"--config", flags}, append(append([]string{
		"recv", `send:{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`,
		"recv", `send:{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`,
		"recv", "keep:" + l.kept, "send:" + plan,
	}, script...), "wait:"+l.end, "send:"+liveAnswer, "kept")...)
	l.lines = bufio.NewReader(l.out)
	l.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}}` + "\n")
	l.line()
	l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, dir) + "\n")
	l.line()
	l.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n")
	return l
}

func (l *livePlan) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(l.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// line reads a line, which is whole JSON.
func (l *livePlan) line() string {
	l.t.Helper()
	line := l.lineWithin(20 * time.Second)
	if line == "" {
		l.t.Fatalf("no line came; stderr: %s", l.stderr)
	}
	return line
}

// lineWithin reads a line; "" if none comes in time.
func (l *livePlan) lineWithin(wait time.Duration) string {
	l.t.Helper()
	l.out.SetReadDeadline(time.Now().Add(wait))
	line, err := l.lines.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) && line == "" {
		return ""
	}
	if err != nil || !json.Valid([]byte(line)) {
		l.t.Fatalf("read %.300q, %v; stderr: %s", line, err, l.stderr)
	}
	return line
}

// shows reads a line that draws a plan.
func (l *livePlan) shows(want string) {
	l.t.Helper()
	line := l.line()
	if got := strings.ReplaceAll(strings.TrimSpace(transcript.Checklist([]byte(line))), "\n", " "); got != want {
		l.t.Fatalf("shown is %q (%.200q), want %q; stderr: %s", got, line, want, l.stderr)
	}
}

// ends lets the agent answer. Nothing comes after that but a text that was still to come, as
// the disk did not give it in time.
func (l *livePlan) ends(before ...string) {
	l.t.Helper()
	if err := os.WriteFile(l.end, nil, 0o600); err != nil {
		l.t.Fatal(err)
	}
	for _, want := range before {
		l.shows(want)
	}
	answer := liveAnswer
	if l.cancelled {
		answer = strings.Replace(answer, "end_turn", "cancelled", 1)
	}
	if got := l.line(); got != answer+"\n" {
		l.t.Errorf("got %q, want %q", got, answer)
	}
	l.write(l.t, "- [ ] late\n")
	if got := l.lineWithin(1200 * time.Millisecond); got != "" {
		l.write(l.t, "- [ ] later still\n")
		if got += l.lineWithin(1200 * time.Millisecond); strings.Count(got, "\n") > 1 {
			l.t.Errorf("after the answer: %q", got)
		}
	}
	l.in.Close()
	l.exits(0)
}

// F10, F16: whatever way a file changes, it is shown soon, and never
// by half.
func TestAPlanFileIsShownAsItChanges(t *testing.T) {
	long(t)
	t.Parallel()
	l := startLive(t, "", "")
	l.shows("[ ] Plan file: " + l.file)
	l.write(t, "- [ ] it came\n")
	l.shows("[ ] it came")
	l.write(t, "- [x] it came\n")
	l.shows("[x] it came")

	replacement := l.file + ".new"
	if err := os.WriteFile(replacement, []byte("- [ ] renamed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(replacement, l.file); err != nil {
		t.Fatal(err)
	}
	l.shows("[ ] renamed")

	// Truncated, then written in pieces.
	f, err := os.Create(l.file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	written, rested := time.Now(), time.Duration(0)
	for i := range 20 {
		rested, written = max(rested, time.Since(written)), time.Now()
		fmt.Fprintf(f, "- [ ] %d\n", i)
		time.Sleep(15 * time.Millisecond)
	}
	f.Close()
	steps := func() int { return strings.Count(transcript.Checklist([]byte(l.line())), "[ ]") }
	n := steps()
	for rested > 40*time.Millisecond && n < 20 { // the file was at rest, as the machine is busy
		n = steps()
	}
	if n != 20 {
		t.Errorf("%d of 20 steps are shown", n)
	}

	if err := os.Remove(l.file); err != nil {
		t.Fatal(err)
	}
	if got := l.lineWithin(1200 * time.Millisecond); got != "" {
		t.Errorf("after it was deleted: %s", got)
	}
	l.write(t, "- [ ] again\n")
	l.shows("[ ] again")
	l.write(t, "- [x] at last\n")
	l.ends("[x] at last")
	if n := strings.Count(l.stderr.String(), "a plan file could not be read"); n != 2 {
		t.Errorf("reported %d times, want once at first and once when it was deleted: %s", n, l.stderr)
	}
}

// F21: a file that may not be read any more stays as it was.
func TestAPlanFileThatMayNotBeReadAnyMore(t *testing.T) {
	long(t)
	t.Parallel()
	l := startLive(t, "- [ ] a\n", "")
	l.shows("[ ] a")
	if err := os.Remove(l.file); err != nil { // root may read everything
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", l.file); err != nil {
		t.Fatal(err)
	}
	if got := l.lineWithin(1500 * time.Millisecond); got != "" {
		t.Errorf("shown: %s", got)
	}
	if n := strings.Count(l.stderr.String(), "a plan file could not be read"); n != 1 {
		t.Errorf("reported %d times: %s", n, l.stderr)
	}
	os.Remove(l.file)
	l.ends()
}

// F17: a file that changes all the time costs little, and its last state is
// shown.
func TestAPlanFileThatChangesAllTheTime(t *testing.T) {
	long(t)
	t.Parallel()
	for name, pause := range map[string]time.Duration{"10,000 times a second": 100 * time.Microsecond, "slowly enough to be seen": 70 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLive(t, "- [ ] first\n", "")
			l.shows("[ ] first")
			length := 2 * time.Second
			if pause < time.Millisecond {
				length = time.Second
			}
			go func() {
				next := time.Now()
				for i, end := 0, next.Add(length); time.Now().Before(end); i++ {
					os.WriteFile(l.file+".new", fmt.Appendf(nil, "- [ ] %d\n", i), 0o600)
					os.Rename(l.file+".new", l.file)
					if next = next.Add(pause); pause > time.Millisecond {
						time.Sleep(time.Until(next))
					}
				}
				os.WriteFile(l.file+".new", []byte("- [x] last\n"), 0o600)
				os.Rename(l.file+".new", l.file)
			}()
			updates, begun := 0, time.Now()
			for !strings.Contains(l.line(), "last") {
				updates++
			}
			if took := time.Since(begun); updates > int(5*took.Seconds())+1 {
				t.Errorf("%d updates in %v, want at most five a second", updates, took)
			}
			l.ends()
		})
	}
}

// A plan file that is being written holds up no line, however often it is named. It is
// shown when it rests.
func TestAPlanFileThatIsBeingWrittenHoldsNoLine(t *testing.T) {
	t.Parallel()
	const times = 60
	file := filepath.Join(t.TempDir(), "plan.md")
	var script []string
	for i := range times {
		script = append(script, fmt.Sprintf(`send:{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"q","uri":"file://%s"}}}}`, file),
			"send:"+fmt.Sprintf(noise, fmt.Sprint(i)))
	}
	rest, rested := make(chan struct{}), make(chan struct{})
	write := func(text string) {
		os.WriteFile(file+".new", []byte(text), 0o600)
		os.Rename(file+".new", file)
	}
	write("- [ ] first\n")
	go func() {
		defer close(rested)
		for i := 0; ; i++ {
			select {
			case <-rest:
				return
			case <-time.After(5 * time.Millisecond):
				write(fmt.Sprintf("- [ ] %d\n", i))
			}
		}
	}()
	stop := sync.OnceFunc(func() { close(rest); <-rested })
	defer stop()
	l := startLive(t, "", "plan.file.roots = [\""+filepath.Dir(file)+"\"]", script...)
	l.shows("[ ] Plan file: " + l.file) // that one is not there
	begun := time.Now()
	for i := 0; i < times; {
		got := l.line()
		switch {
		case got == fmt.Sprintf(noise, fmt.Sprint(i))+"\n":
			i++
		case transcript.Checklist([]byte(got)) == "": // where we are slow, it rests
			t.Fatalf("line %d is %q", i, got)
		}
	}
	if held := time.Since(begun); held > 10*time.Second { // 15 s were it given a moment each time
		t.Errorf("the lines were held for %v", held)
	}
	stop()
	write("- [x] at rest\n")
	for !strings.Contains(l.line(), "at rest") {
	}
	l.ends()
}

// C11: what is added never stands in a line of the agent's.
func TestAPlanIsNotShownInsideALine(t *testing.T) {
	long(t)
	t.Parallel()
	long := strings.Repeat("x", 3000)
	var script []string
	for range 8 {
		script = append(script, "half:"+noise[:strings.Index(noise, "%s")])
		for range 3 {
			script = append(script, "half:"+long, "sleep:100ms")
		}
		script = append(script, "send:"+noise[strings.Index(noise, "%s")+2:])
	}
	l := startLive(t, "- [ ] first\n", "", script...)
	l.shows("[ ] first")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			time.Sleep(110 * time.Millisecond)
			os.WriteFile(l.file+".new", fmt.Appendf(nil, "- [ ] %d\n", i), 0o600)
			os.Rename(l.file+".new", l.file)
		}
	}()
	theirs, ours := 0, 0
	for theirs < 8 {
		line := l.line()
		switch {
		case line == fmt.Sprintf(noise, long+long+long)+"\n":
			theirs++
		case transcript.Checklist([]byte(line)) != "":
			ours++
		default:
			t.Fatalf("neither theirs nor ours: %.300q", line)
		}
	}
	if ours == 0 {
		t.Error("no plan between the lines")
	}
	<-done
}

// ask reads the request that acpshim sends, and returns its id.
func (l *livePlan) ask() string {
	l.t.Helper()
	line := l.line()
	var request struct {
		ID     string
		Method string
		Params struct{ SessionID, Path string }
	}
	json.Unmarshal([]byte(line), &request)
	if request.Method != "fs/read_text_file" || request.Params.SessionID != "s" || request.Params.Path != l.file || !strings.HasPrefix(request.ID, "acpshim-") {
		l.t.Fatalf("got %q, want a request for the file; stderr: %s", line, l.stderr)
	}
	return request.ID
}

// B10: the client is asked for what is not saved, and the agent gets none of
// what it answers, however it does.
func TestTheClientReadsThePlanFile(t *testing.T) {
	long(t)
	t.Parallel()
	l := startLive(t, "- [ ] saved\n", "plan.file.read = \"client\"\nlimits.inspect_bytes = 200_000\n")
	var sent []string
	say := func(line string) {
		l.send(line + "\n")
		if !strings.Contains(line, "acpshim-") {
			sent = append(sent, line)
		}
	}
	first := l.ask()
	say(`{"jsonrpc":"2.0","id":"` + first + `","result":{"content":"- [ ] not saved"}}`)
	l.shows("[ ] not saved")
	say(`{"jsonrpc":"2.0","id":"` + first + `","result":{"content":"- [ ] twice"}}`)
	say(`{"jsonrpc":"2.0","id":7,"result":{"content":"mine"}}`)

	// The id behind the result, which is huge, or too large to be held.
	say(`{"jsonrpc":"2.0","result":{"content":"- [ ] id last", "x":"` + strings.Repeat("x", 100_000) + `"},"id":"` + l.ask() + `"}`)
	l.shows("[ ] id last")
	say(`{"jsonrpc":"2.0","result":{"content":"` + strings.Repeat("y", 10_000) + `"},"id":"mine"}`)
	say(`{"jsonrpc":"2.0","id":"` + l.ask() + `","result":{"content":"` + strings.Repeat("x", 300_000) + `"}}`)

	// It is too late for that one; an error; one that is no JSON.
	late := l.ask()
	say(`{"jsonrpc":"2.0","id":"` + late + `","error":{"code":-32002,"message":"no such file"}}`)
	say(`{"jsonrpc":"2.0","id":"` + l.ask() + `","result":{"content":"- [ ] a"}} trailing`)
	say(`{"jsonrpc":"2.0","id":"` + l.ask() + `","result":{"content":"- [x] done"}}`)
	l.shows("[x] done")
	say(`{"jsonrpc":"2.0","id":"` + late + `","result":{"content":"- [ ] late"}}`)
	say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	l.cancelled = true
	eventually(t, "the cancel reaches the agent", func() bool {
		kept, err := os.ReadFile(l.kept)
		return err == nil && bytes.HasSuffix(kept, []byte(sent[len(sent)-1]+"\n"))
	})
	l.ends()
	kept, err := os.ReadFile(l.kept)
	if got := strings.Split(strings.TrimSuffix(string(kept), "\n"), "\n"); err != nil || !slices.Equal(got, sent) {
		t.Errorf("the agent got %.300q, want %.300q", got, sent)
	}
	if n := strings.Count(l.stderr.String(), "a plan file could not be read"); n != 1 {
		t.Errorf("reported %d times in a row of failures: %s", n, l.stderr)
	}
}

// A client that never answers costs nothing: the disk is read.
func TestAClientThatDoesNotReadThePlanFile(t *testing.T) {
	long(t)
	t.Parallel()
	l := startLive(t, "- [ ] saved\n", `plan.file.read = "client"`)
	l.ask()
	l.shows("[ ] saved")
	l.ask()
	l.ask()
	l.write(t, "- [x] saved\n")
	l.shows("[x] saved")
	l.write(t, "- [x] saved again\n")
	l.shows("[x] saved again")
	l.ends()
	if got, _ := os.ReadFile(l.kept); len(got) > 0 || !bytes.Contains([]byte(l.stderr.String()), []byte("offers to read files but does not respond")) {
		t.Errorf("the agent got %q; stderr: %s", got, l.stderr)
	}
}

// A client that does not take a plan of ours keeps nobody from ending acpshim.
func TestAPlanThatNobodyTakesDoesNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	l := startLive(t, "- [ ] first\n", "shutdown.term_grace = \"200ms\"\n", "flood:600x100")
	l.shows("[ ] first")
	time.Sleep(300 * time.Millisecond)                                         // most of a pipe is full now
	l.write(t, strings.Repeat("- [ ] "+strings.Repeat("step ", 35)+"\n", 100)) // and the rest is not enough for this
	time.Sleep(time.Second)
	l.signal(syscall.SIGTERM)
	l.exits(143)
}

// What acpshim says on its own has the names of what made it in the record: a
// rule's answer, a question for a plan file, a plan and the rule that changed it.
func TestWhatAcpshimMakesIsRecordedWithNames(t *testing.T) {
	t.Parallel()
	records := t.TempDir()
	l := startLive(t, "", fmt.Sprintf(`
plan.file.read = "client"
[record]
enabled = true
folder = %q
[[rule]]
name = "refuse"
from = "agent"
method = "x/ask"
reply = { error = { code = -32601, message = "no" } }
[[rule]]
name = "loud"
update = "plan"
set = { "/params/update/entries/0/content" = "LOUD" }
`, records), `send:{"jsonrpc":"2.0","id":5,"method":"x/ask"}`)
	l.send(`{"jsonrpc":"2.0","id":"` + l.ask() + `","result":{"content":"- [ ] quiet"}}` + "\n")
	l.shows("[ ] LOUD")
	l.ends()
	files, err := filepath.Glob(filepath.Join(records, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("records %q, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // what is in a line that acpshim made on its own
		`"message":"no"`:      `["refuse"]`,
		`"fs/read_text_file"`: `["plan"]`,
		`"content":"LOUD"`:    `["plan" "loud"]`,
	}
	for line := range bytes.Lines(b) {
		var rec struct {
			Stage string
			Of    uint64
			By    []string
			Msg   json.RawMessage
		}
		if err := json.Unmarshal(line, &rec); err != nil || rec.Stage != "out" || rec.Of != 0 {
			continue
		}
		made := ""
		for text := range want {
			if strings.Contains(string(rec.Msg), text) {
				made = text
			}
		}
		if got := fmt.Sprintf("%q", rec.By); made == "" || got != want[made] && want[made] != "seen" {
			t.Errorf("%s is by %s", rec.Msg, got)
		}
		if made != "" {
			want[made] = "seen"
		}
	}
	for text, by := range want {
		if by != "seen" {
			t.Errorf("no line with %s by %s in\n%s", text, by, b)
		}
	}
}
