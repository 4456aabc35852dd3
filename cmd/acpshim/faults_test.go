//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests of this file run the real command between the test, which is the
// client, and a peer that does what it is told. docs/contributing/faults.md says which fault
// each of them is about.

func TestHalfALineArrivesAsItIs(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "send:whole", "half:half a li", "exit:3")
	if got := s.rest(); string(got) != "whole\nhalf a li" {
		t.Errorf("got %q", got)
	}
	s.exits(3)
	if !strings.Contains(s.stderr.String(), "the last line has no line end: it may be cut off bytes=9 from=agent") {
		t.Errorf("stderr: %s", s.stderr)
	}
}

func TestHalfALineOfTheClientReachesTheAgent(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "echo")
	s.send("whole\nhalf")
	s.in.Close()
	if got := s.rest(); string(got) != "whole\nhalf" {
		t.Errorf("got %q", got)
	}
	s.exits(0)
}

func TestBytesThatDripArriveAsTheyCome(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, `drip:{"jsonrpc":"2.0","method":"x"}`, "recv:ok")
	s.read(`{"jsonrpc":"2.0","method":"x"}` + "\n")
	s.send("ok\n")
	s.exits(0)
}

// The agent's whole line is gone through before the client sees its end.
func TestHugeLinesNeedNoMemory(t *testing.T) {
	long(t)
	const size = 64 << 20
	s := startShim(t, nil, fmt.Sprintf("flood:1x%d", size), "recv")
	s.read(string(peerLine(0, size, "\n")[:1<<20]))
	n, err := io.CopyN(io.Discard, s.out, size-1<<20)
	if err != nil {
		t.Fatalf("%v after %d bytes", err, n)
	}
	if rss := s.peak(); rss > raceTimes(40<<20) {
		t.Errorf("%d MB of memory were used", rss>>20)
	}
	s.send("end\n")
	s.exits(0)
}

func TestALineThatNeverEndsIsStreamed(t *testing.T) {
	long(t)
	s := startShim(t, nil, "echo")
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	go func() {
		for range 150 {
			s.in.Write(chunk)
		}
	}()
	if n, err := io.CopyN(io.Discard, s.out, 150<<20); err != nil {
		t.Fatalf("%d bytes came, %v", n, err)
	}
	if rss := s.peak(); rss > raceTimes(40<<20) {
		t.Errorf("%d MB of memory were used", rss>>20)
	}
	s.in.Close()
	s.exits(0)
}

// floods checks that a stream is the flood of n lines.
func floods(t *testing.T, r io.Reader, n, size int) {
	t.Helper()
	want, got := sha256.New(), sha256.New()
	total := 0
	for i := range n {
		line := peerLine(i, size, "\n")
		total += len(line)
		want.Write(line)
	}
	if m, err := io.CopyN(got, r, int64(total)); err != nil {
		t.Fatalf("%v after %d of %d bytes", err, m, total)
	}
	if !bytes.Equal(want.Sum(nil), got.Sum(nil)) {
		t.Error("what came is not what was sent")
	}
}

func TestManyLinesArriveInOrderBothWays(t *testing.T) {
	long(t)
	const n = 50_000
	sum := filepath.Join(t.TempDir(), "sum")
	s := startShim(t, nil, fmt.Sprintf("flood:%dx80", n), "sum:"+sum)
	h, sent := sha256.New(), 0
	for i := range n {
		line := peerLine(i, 80, "\n")
		h.Write(line)
		sent += len(line)
	}
	go func() {
		var b bytes.Buffer
		for i := range n {
			b.Write(peerLine(i, 80, "\n"))
		}
		s.in.Write(b.Bytes())
		s.in.Close()
	}()
	floods(t, s.out, n, 80)
	s.exits(0)
	got, err := os.ReadFile(sum)
	if want := fmt.Sprintf("%d %x\n", sent, h.Sum(nil)); err != nil || string(got) != want {
		t.Errorf("the agent got %q, %v, want %q", got, err, want)
	}
}

func TestOddBytesPassBothWays(t *testing.T) {
	t.Parallel()
	odd := "\xef\xbb\xbf{\"jsonrpc\":\"2.0\"}\r\n\n   \n\x00\xff\xed\xa0\x80\n{\"a\":\"\\ud800 \u2028\r\"}\n[]\n[{}]\n" +
		"{\"id\":1.0,\"result\":1E400,\"x\":-0}\n{\"method\":\"a\",\"method\":\"b\"}\n{} trailing\n{\n \"pretty\":1\n}\n" +
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":99999999999}}\n{\"method\":\"_x/y\",\"params\":3}\n"
	s := startShim(t, nil, "echo")
	for _, part := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}` + "\n",
		odd, odd, odd,
	} {
		s.send(part)
		s.read(part)
	}
	s.in.Close()
	s.exits(0)
}

func TestASlowClientSlowsTheAgentAndNothingElse(t *testing.T) {
	t.Parallel()
	long(t)
	const n, size = 20_000, 1000
	idle := startShim(t, nil, "send:a", "recv")
	idle.read("a\n")
	mark := filepath.Join(t.TempDir(), "sent")
	s := startShim(t, nil, fmt.Sprintf("flood:%dx%d", n, size), "mark:"+mark)
	time.Sleep(500 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("the agent was not slowed: 20 MB are somewhere")
	}
	if more := s.peak() - idle.peak(); more > raceTimes(8<<20) {
		t.Errorf("%d MB of memory were used", more>>20)
	}
	idle.send("end\n")
	idle.exits(0)
	floods(t, s.out, n, size)
	s.exits(0)
}

func TestASlowAgentSlowsTheClientAndNothingElse(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "send:a", "sleep:400ms", "send:b", "sum:"+filepath.Join(t.TempDir(), "sum"))
	written := make(chan bool)
	go func() {
		s.in.Write(make([]byte, 8<<20))
		close(written)
	}()
	s.read("a\n")
	select {
	case <-written:
		t.Error("8 MB were taken although the agent reads nothing")
	case <-time.After(100 * time.Millisecond):
	}
	s.read("b\n") // the other direction goes on
	<-written
	s.in.Close()
	s.exits(0)
}

func TestBothSidesMayWriteBeforeTheyRead(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "flood:3000x1000", "eof", "send:done")
	s.send(strings.Repeat("x", 100_000)) // more than a pipe holds
	floods(t, s.out, 3000, 1000)
	s.in.Close()
	s.read("done\n")
	s.exits(0)
}

func TestAnAnswerMayComeBeforeTheRequestHasEnded(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "send:early", "eof")
	s.send("half a request")
	s.read("early\n")
	s.in.Close()
	s.exits(0)
}

func TestAClientThatReadsNoMoreEndsTheAgent(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "on:PIPE=", "send:a", "recv", "flood:100000x1000", "exit:4")
	s.read("a\n")
	s.out.Close()
	s.send("go\n")
	s.exits(99) // the agent saw EPIPE, as it would without acpshim
}

func TestAKilledClientEndsASilentAgent(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	s := startShim(t, short(t), "ignore:TERM", "pid:"+pid, "fork:ignore:TERM,stall", "stall")
	agent := pidOf(t, pid)
	s.in.Close()
	s.out.Close()
	s.exits(137)
	eventually(t, "the agent is gone", func() bool { return !alive(agent) })
}

func TestAnAgentMayCloseItsOutputAndGoOn(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "send:a", "closeout", "recv:b", "exit:5")
	if got := s.rest(); string(got) != "a\n" {
		t.Errorf("got %q", got)
	}
	s.send("b\n")
	s.exits(5)
}

func TestAnAgentMayCloseItsInputAndGoOn(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "closein", "send:a", "sleep:300ms", "send:b", "exit:6")
	s.read("a\n")
	eventually(t, "the client sees that nobody reads", func() bool {
		_, err := io.WriteString(s.in, "x\n")
		return err != nil
	})
	s.read("b\n")
	s.exits(6)
}

func TestAFloodOfErrorsTouchesNothing(t *testing.T) {
	long(t)
	s := startShim(t, []string{"--log-level", "off"}, "send:a", "mute:64x1000000", "send:b", "closeerr", "send:c")
	s.read("a\nb\nc\n")
	if s.exits(0); len(s.stderr.String()) != 64_000_000 {
		t.Errorf("%d bytes of stderr came", len(s.stderr.String()))
	}
}

// Whoever reads stderr may stop to; acpshim's own words must not wait for him.
func TestAFullStderrStopsNothing(t *testing.T) {
	starts(t)
	t.Parallel()
	long(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil {
		_, err = w.Write(make([]byte, 4096)) // nobody reads: fill it
	}
	cmd := exec.Command("acpshim", "--log-level", "debug", "--", "peer", "send:junk", "exit:3")
	cmd.Stderr = w
	out, err := cmd.Output()
	if string(out) != "junk\n" || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestAStoppedAgentLosesNothing(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "send:a", "stop", "send:b", "recv:c", "send:d")
	s.read("a\n")
	s.send("c\n")
	time.Sleep(400 * time.Millisecond) // longer than the graces
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.cmd.Process.Pid, s.cmd.Process.Pid))
	var agent int
	fmt.Sscan(string(children), &agent)
	if agent == 0 {
		t.Skip("no /proc with children")
	}
	syscall.Kill(agent, syscall.SIGCONT)
	s.read("b\nd\n")
	s.exits(0)
}

func TestAStoppedShimLosesNothing(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "recv:a", "send:b", "recv:c", "send:d", "eof")
	s.send("a\n")
	s.read("b\n")
	s.signal(syscall.SIGSTOP)
	s.send("c\n")
	time.Sleep(400 * time.Millisecond)
	s.signal(syscall.SIGCONT)
	s.read("d\n")
	s.in.Close()
	s.exits(0)
}

func TestATerminalStopStopsTheAgentToo(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	s := startShim(t, nil, "pid:"+pid, "send:a", "recv:b", "send:c")
	agent := pidOf(t, pid)
	s.read("a\n")
	state := func(pid int) string {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(b), ") ")
		return after[:min(1, len(after))]
	}
	s.signal(syscall.SIGTSTP)
	eventually(t, "both are stopped", func() bool { return state(agent) == "T" && state(s.cmd.Process.Pid) == "T" })
	s.signal(syscall.SIGCONT)
	eventually(t, "both go on", func() bool { return state(agent) != "T" && state(s.cmd.Process.Pid) != "T" })
	s.send("b\n")
	s.read("c\n")
	s.exits(0)
}

func TestEveryExitStatusIsTheAgents(t *testing.T) {
	for half := range 2 {
		t.Run(fmt.Sprint("half ", half+1), func(t *testing.T) {
			t.Parallel()
			for code := half; code < 256; code += 10 {
				s := startCommand(t, "acpshim", "--", "sh", "-c", fmt.Sprint("exit ", code))
				s.exits(code)
			}
		})
	}
}

func TestEverySignalThatKillsTheAgentIsTold(t *testing.T) {
	t.Parallel()
	for sig := syscall.Signal(1); sig < 32; sig++ {
		switch sig {
		case syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT,
			syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH:
			continue // these do not kill
		}
		if signal.Ignored(sig) {
			continue // as in the background of a shell: an agent inherits it
		}
		s := startCommand(t, "acpshim", "--", "sh", "-c", fmt.Sprintf("ulimit -c 0; echo last; kill -%d $$", sig))
		if got := s.rest(); string(got) != "last\n" {
			t.Errorf("signal %d: got %q", sig, got)
		}
		s.exits(128 + int(sig))
		if !strings.Contains(s.stderr.String(), "the agent was killed by a signal") {
			t.Errorf("signal %d: stderr: %s", sig, s.stderr)
		}
	}
}

func TestMoreSignalsShortenTheGrace(t *testing.T) {
	t.Parallel()
	s := startShim(t, []string{"--set", "shutdown.term_grace=1h"}, "ignore:TERM", "send:a", "stall")
	s.read("a\n")
	for range 3 {
		s.signal(syscall.SIGTERM)
		time.Sleep(50 * time.Millisecond)
	}
	s.exits(137)
}

func TestSignalsThatEndNothingArePassedOn(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "on:USR1=usr1", "on:USR2=usr2", "on:WINCH=winch", "send:ready", "recv")
	s.read("ready\n")
	for _, name := range []string{"USR1", "USR2", "WINCH"} {
		s.signal(signalNamed(name))
		s.read(strings.ToLower(name) + "\n")
	}
	s.send("end\n")
	s.exits(0)
}

func TestAKilledShimTakesTheAgentWithIt(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("only Linux has a parent-death signal")
	}
	pid := filepath.Join(t.TempDir(), "pid")
	s := startShim(t, nil, "ignore:TERM", "ignore:HUP", "pid:"+pid, "stall")
	agent := pidOf(t, pid)
	s.signal(syscall.SIGKILL)
	eventually(t, "the agent is gone", func() bool { return !alive(agent) })
}

func TestAnAgentThatEndsAtOnceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "err:bad flag", "exit:2") // our stdin stays open
	s.exits(2)
	if !strings.Contains(s.stderr.String(), "bad flag\n") {
		t.Errorf("stderr: %s", s.stderr)
	}
}

func TestAllThatIsInThePipeArrives(t *testing.T) {
	t.Parallel()
	long(t)
	for range 20 {
		s := startShim(t, nil, "flood:60x1000", "exit:7")
		time.Sleep(20 * time.Millisecond) // the agent is gone, its output is not
		floods(t, s.out, 60, 1000)
		s.exits(7)
	}
}

// A slow client may take longer than the drain: what the agent wrote is his.
func TestASlowClientGetsWhatADeadAgentWrote(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "flood:180x1000", "exit:7")
	time.Sleep(600 * time.Millisecond)
	floods(t, s.out, 180, 1000)
	s.exits(7)
	if strings.Contains(s.stderr.String(), "another process") {
		t.Errorf("there is no other process; stderr: %s", s.stderr)
	}
}

func TestSignalsRaceWithTheAgentsEnd(t *testing.T) {
	const runs = 25
	for i := range runs {
		s := startShim(t, nil, "send:a", fmt.Sprintf("sleep:%dus", i*2000/runs), "exit:9")
		s.read("a\n")
		s.signal(syscall.SIGTERM)
		done := make(chan struct{})
		go func() {
			s.wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("it hangs")
		}
		if code := s.cmd.ProcessState.ExitCode(); code != 9 && code != 143 {
			t.Fatalf("exit status %d", code)
		}
	}
}

func TestClosedStandardStreamsDoNoHarm(t *testing.T) {
	starts(t)
	t.Parallel()
	for _, test := range []struct{ redirect, want string }{
		{"<&-", "a\n"}, {">&-", ""}, {"2>&-", "a\n"}, {"<&- 2>&-", "a\n"}, {"<&- >&- 2>&-", ""},
	} {
		out, err := exec.Command("sh", "-c", "acpshim -- peer send:a exit:0 "+test.redirect).Output()
		if string(out) != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.redirect, out, err, test.want)
		}
	}
}

func TestRunsInUnusualEnvironments(t *testing.T) {
	t.Parallel()
	long(t)
	acpshim, err := exec.LookPath("acpshim")
	if err != nil {
		t.Fatal(err)
	}
	peer, err := exec.LookPath("peer")
	if err != nil {
		t.Fatal(err)
	}
	records := t.TempDir()
	for _, test := range []struct {
		name, script string
		status       int
		stderr       string
	}{
		{"a folder that is gone", `d=$(mktemp -d); cd $d; rmdir $d; exec $A -- $P exit:3`, 3, ""},
		{"no PATH", `PATH= exec $A -- peer`, 127, `agent "peer": not found in PATH`},
		{"no HOME", `unset HOME XDG_CONFIG_HOME; exec $A -- $P exit:3`, 3, ""},
		{"input from a file", `exec $A -- $P eof exit:3 <$P`, 3, ""},
		{"input from nowhere", `exec $A -- $P eof exit:3 </dev/null`, 3, ""},
		{"no file descriptors", `ulimit -n 10; exec $A -- $P exit:3`, 125, "too many open files"},
		{"few file descriptors for a record", `ulimit -n 16; exec $A --record --set record.folder=$D/few -- $P send:a exit:3`, 3, ""},
		{"too few for a required record", `ulimit -n 12; exec $A --record --set record.required=true --set record.folder=$D/required -- $P exit:3`, 125, "too many open files"},
	} {
		cmd := exec.Command("sh", "-c", test.script)
		cmd.Env = append(os.Environ(), "A="+acpshim, "P="+peer, "D="+records)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != test.status || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: exit status %d, stderr %s", test.name, code, &stderr)
		}
	}
	if h := readParts(t, filepath.Join(records, "few")); h.End == nil || h.End.Agent.Lines != 1 {
		t.Errorf("with few descriptors the record ends with %+v", h.End)
	}
	// Wherever an agent can be started, a record does not keep it from that.
	gaveWay := false
	for n := 11; n < 20; n++ {
		run := func(flags string) (status int, stderr string) {
			cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d; exec $A %s -- $P exit:3", n, flags))
			cmd.Env = append(os.Environ(), "A="+acpshim, "P="+peer)
			var said bytes.Buffer
			cmd.Stderr = &said
			cmd.Run()
			return cmd.ProcessState.ExitCode(), said.String()
		}
		plain, _ := run("")
		recorded, stderr := run("--record --set record.folder=" + filepath.Join(records, fmt.Sprint(n)))
		if plain == 3 && recorded != 3 {
			t.Errorf("with %d descriptors an agent that is recorded is not started: %s", n, stderr)
		}
		gaveWay = gaveWay || recorded == 3 && strings.Contains(stderr, "the agent's standard error is not recorded")
	}
	if !gaveWay {
		t.Error("nothing gave way")
	}
}

func TestThreeShimsInARowWorkAsOne(t *testing.T) {
	t.Parallel()
	s := startCommand(t, "acpshim", "--", "acpshim", "--", "acpshim", "--", "peer", "on:TERM=told", "flood:1000x100", `recv:odd \xff`, "await:TERM", "half:end", "exit:7")
	floods(t, s.out, 1000, 100)
	s.send("odd \xff\n")
	time.Sleep(50 * time.Millisecond)
	s.signal(syscall.SIGTERM)
	if got := s.rest(); string(got) != "told\nend" {
		t.Errorf("got %q", got)
	}
	s.exits(7)
}

func TestAnAnswerIsWaitedForAfterTheClientsEnd(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "recv", "eof", "sleep:900ms", `send:{"jsonrpc":"2.0","id":1,"result":{}}`, "stall")
	s.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n")
	s.in.Close()
	if got := s.rest(); string(got) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
		t.Errorf("got %q", got)
	}
	s.exits(143)
}

func TestWithoutAGraceTheClientMayWaitForEver(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.toml")
	if err := os.WriteFile(file, []byte("shutdown.input_grace = \"0s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startShim(t, []string{"--config", file}, "eof", "sleep:1500ms", "send:late", "exit:3")
	s.in.Close()
	s.read("late\n")
	s.exits(3)
}

func TestTheAgentHasAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	s := startShim(t, nil, "group")
	s.read("own group\n")
	s.exits(0)
}

// The agent is blocked by a client that takes its time: that is no silence.
func TestASlowClientIsNoSilentAgent(t *testing.T) {
	t.Parallel()
	s := startShim(t, short(t), "send:a", "flood:3000x1000", "exit:5")
	s.read("a\n")
	time.Sleep(time.Second) // until its flood has begun, it is silent
	s.in.Close()
	time.Sleep(1200 * time.Millisecond) // longer than all graces
	floods(t, s.out, 3000, 1000)
	s.exits(5)
}

func TestLeftProcessesGetOneSIGTERM(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "terms")
	s := startCommand(t, append(append([]string{"acpshim"}, short(t)...), "--", "sh", "-c",
		`(trap "echo term >>$0" TERM; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.05; done) >/dev/null 2>&1 & sleep 0.1; exit 3`, file)...)
	s.exits(3)
	if b, _ := os.ReadFile(file); string(b) != "term\n" {
		t.Errorf("it was told %q", b)
	}
}

func TestAWrapperThatObeysDoesNotCutTheGrace(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[shutdown]\nterm_grace = \"3s\"\ndrain = \"100ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, "acpshim", "--config", config, "--", "sh", "-c", "peer on:TERM=told send:ready await:TERM sleep:600ms send:saved; :")
	s.read("ready\n")
	s.signal(syscall.SIGTERM)
	if got := s.rest(); string(got) != "told\nsaved\n" {
		t.Errorf("got %q", got)
	}
	s.exits(143)
}

// A client that has closed one stream and lets go of the other is gone.
func TestAClientThatLeavesBitByBitIsMissed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("[shutdown]\ninput_grace = \"0s\"\nterm_grace = \"100ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, script := range [][]string{{"ignore:TERM", "send:a", "stall"}, {"closein", "ignore:TERM", "send:a", "stall"}} {
		s := startShim(t, []string{"--config", file}, script...)
		s.read("a\n")
		io.WriteString(s.in, "x\n")
		s.in.Close()
		s.out.Close()
		s.exits(137)
	}
}

// Junk that is moved to a standard error that nobody reads holds no message. What is too
// much of it is counted.
func TestJunkThatNobodyReads(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flood string
		lost  string
	}{
		"a few pipes full": {"2000x100", `"lines":1[0-9]{3},`},
		"a lot":            {"30000x100", `"lines":2[0-9]{4},`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nobody, stderr, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer nobody.Close()
			log := filepath.Join(t.TempDir(), "log")
			message := `{"jsonrpc":"2.0","method":"x/y"}` + "\n"
			s := startWith(t, func(c *exec.Cmd) { c.Stderr = stderr }, "acpshim", "--set", `junk="stderr"`, "--log-file", log, "--",
				"peer", "flood:"+test.flood, "send:"+strings.TrimSpace(message), "eof")
			stderr.Close()
			s.read(message)
			s.in.Close()
			s.exits(0)
			got, err := os.ReadFile(log)
			if want := regexp.MustCompile(test.lost + `.*"message":"dropped lines of junk, because nobody reads standard error"`); err != nil || !want.Match(got) {
				t.Errorf("the log has %s, %v", got, err)
			}
		})
	}
}

// Junk that somebody reads is there, all of it and in order.
func TestJunkThatIsRead(t *testing.T) {
	t.Parallel()
	s := startCommand(t, "acpshim", "--set", `junk="stderr"`, "--log-level", "off", "--", "peer", "flood:5000x100", "half:the last")
	s.in.Close()
	s.exits(0)
	var want bytes.Buffer
	for i := range 5000 {
		want.Write(peerLine(i, 100, "\n"))
	}
	if got := s.stderr.String(); got != want.String()+"the last" {
		t.Errorf("%d bytes came, want %d", len(got), want.Len())
	}
}
