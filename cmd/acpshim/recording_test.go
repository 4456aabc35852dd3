//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/store"
)

// onlyFile waits for the one file in a folder of records, until it has a text.
func onlyFile(t *testing.T, folder, text string) string {
	t.Helper()
	var file string
	eventually(t, "the record has "+text, func() bool {
		files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
		if len(files) != 1 {
			return false
		}
		file = files[0]
		b, _ := os.ReadFile(file)
		return strings.Contains(string(b), text)
	})
	return file
}

// A record that is removed shortly before the run ends is told of like any other.
func TestTheRecordIsRemovedBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for required, status := range map[string]int{"false": 0, "true": exitFailure} {
		folder := filepath.Join(t.TempDir(), "records")
		s := startShim(t, []string{"--record", "--set", "record.folder=" + folder, "--set", "record.required=" + required}, "echo")
		s.send(tick)
		s.read(tick)
		time.Sleep(100 * time.Millisecond)
		if err := os.Remove(onlyFile(t, folder, `"dir":"agent"`)); err != nil {
			t.Fatal(err)
		}
		s.in.Close()
		s.exits(status)
		if n := strings.Count(s.stderr.String(), "the file was removed or renamed"); n != 1 {
			t.Errorf("required %s: it was told %d times: %s", required, n, s.stderr)
		}
		h := readParts(t, folder)
		if h.Start.Part != 1 || h.End == nil || h.End.Gaps != 1 || h.End.Lost.Lines != 2 || h.Others[0].Gap == nil {
			t.Errorf("required %s: start %+v, end %+v", required, h.Start, h.End)
		}
	}
}

// A run that goes on keeps its record, though it was idle, whoever prunes.
func TestTheRecordOfARunIsNotPruned(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "records")
	flags := []string{"--set", "record.folder=" + folder, "--set", "record.keep_days=1"}
	s := startShim(t, append([]string{"--record"}, flags...), "echo")
	s.send(tick)
	s.read(tick)
	file := onlyFile(t, folder, `"dir":"agent"`)
	old := time.Now().Add(-72 * time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	other := startShim(t, append([]string{"--record"}, flags...))
	other.exits(0)
	run := func(args ...string) string {
		out, err := exec.Command("acpshim", append(append([]string{"log"}, args...), flags...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}
	if out := run("prune", "--keep", "1B"); strings.Contains(out, file) {
		t.Errorf("pruned: %s", out)
	}
	if !store.IsWritten(file) {
		t.Fatalf("%s is not there, or not written", file)
	}
	if l, err := view.ReadRun([]string{file}); err != nil || l.State != "running" {
		t.Errorf("it is listed as %+v, %v", l, err)
	} else if before := l.Seconds; before <= 0 {
		t.Errorf("it goes on for %v s", before)
	} else if l.Tick(); l.Seconds <= before {
		t.Errorf("its clock stands at %v s", before)
	}
	s.in.Close()
	s.exits(0)
	os.Chtimes(file, old, old)
	if out := run("prune", "--keep", "1B"); !strings.Contains(out, file) {
		t.Errorf("not pruned after the end: %s", out)
	}
}

// What killed the agent is a signal, in words.
func TestTheRecordOfAKilledAgent(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "records")
	s := startShim(t, []string{"--record", "--set", "record.folder=" + folder}, "send:a", "kill:TERM")
	s.exits(143)
	out, err := exec.Command("acpshim", "log", "show", "--run", onlyFile(t, folder, `"kind":"end"`)).Output()
	if want := "\nended with status 143, the agent was killed by a signal (terminated); the client sent 0 messages (0 B), the agent 1 (2 B)\n"; err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("it is shown as %q, %v, want %q", out, err, want)
	}
}

// An agent that ends in the middle of a line is followed by what its plan said: the
// record has what was written, in its order, and what came.
func TestTheRecordOfALineThatWasCutOff(t *testing.T) {
	t.Parallel()
	const plan = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"Mind the comments.\n\n- [ ] step\n"}}}}`
	for _, cut := range []string{`{"jsonrpc":"2.0","method":"x/cut","par`, "no JSON", `{"jsonrpc":"2.0","id":7`} {
		folder := filepath.Join(t.TempDir(), "records")
		s := startShim(t, []string{"--record", "--set", "record.folder=" + folder},
			"recv", `send:{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`, "recv", `send:{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`,
			"send:"+strings.ReplaceAll(plan, `\n`, `\\n`), "half:"+cut)
		s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}` + "\n")
		written := string(s.rest())
		s.exits(0)
		var came, went string
		for _, m := range readParts(t, folder).Messages {
			if m.Message.Dir == record.Agent && m.Message.Received() {
				came += string(m.Message.Line)
			}
			if m.Message.Dir == record.Agent && m.Message.Sent() {
				went += string(m.Message.Line)
			}
		}
		if !strings.Contains(written, cut+"\n") || !strings.Contains(written[strings.Index(written, cut):], "Mind the comments.") {
			t.Fatalf("nothing is behind the last line: %s", written)
		}
		if went != written || !strings.HasSuffix(came, plan+"\n"+cut) {
			t.Errorf("written was\n%s\nthe record has\n%s\nand of what came\n%s", written, went, came)
		}
	}
}
