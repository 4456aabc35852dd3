//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	chaosTime = flag.Duration("chaos", time.Second, "how long TestChaos goes on")
	chaosSeed = flag.Uint64("chaosseed", 0, "the first seed of TestChaos; 0 picks one")
)

// TestChaos runs sessions in which everything that may happen does, at random,
// and checks the README's promises after each. The seed of one that fails is
// told; "go test ./cmd/acpshim -run Chaos -chaosseed SEED" repeats it, and
// "-chaos 1h" goes on for an hour.
func TestChaos(t *testing.T) {
	manySeeds(t, *chaosTime, func(t *testing.T, seed uint64) {
		c := &chaos{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir()}
		c.run()
	})
}

// manySeeds runs a session for one seed after another, until one fails or the time is over.
func manySeeds(t *testing.T, most time.Duration, session func(t *testing.T, seed uint64)) {
	long(t)
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("first seed %d", seed)
	runs := 0
	for end := time.Now().Add(most); time.Now().Before(end) && !t.Failed(); seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { session(t, seed) })
		runs++
	}
	t.Logf("%d sessions", runs)
}

// chaos is one session.
type chaos struct {
	*testing.T
	*rand.Rand
	dir string

	wrote  bytes.Buffer // what the agent writes if nothing stops it
	script []string
	ending string // its last step
	deaf   bool   // it ignores SIGTERM
}

func (c *chaos) maybe(percent int) bool       { return c.IntN(100) < percent }
func (c *chaos) path(name string) string      { return filepath.Join(c.dir, name) }
func (c *chaos) pause(most time.Duration)     { time.Sleep(time.Duration(c.Int64N(int64(most)))) }
func (c *chaos) step(format string, a ...any) { c.script = append(c.script, fmt.Sprintf(format, a...)) }

// write makes up what the agent does.
func (c *chaos) write() {
	if c.deaf = c.maybe(20); c.deaf {
		c.step("ignore:TERM")
		c.step("ignore:INT")
		c.step("ignore:HUP")
	}
	c.step("pid:%s", c.path("agent"))
	c.step("ledger:%s", c.path("ledger"))
	c.step("keep:%s", c.path("kept"))
	if c.maybe(15) {
		c.step("fork:pid:%s,stall", c.path("child"))
	}
	for range c.IntN(12) {
		switch c.IntN(6) {
		case 0:
			n, size := 1+c.IntN(300), 20+c.IntN(2000)
			c.step("flood:%dx%d", n, size)
			for i := range n {
				c.wrote.Write(peerLine(i, size, "\n"))
			}
		case 1:
			size := 1 + c.IntN(300_000)
			c.step("flood:1x%d", size)
			c.wrote.Write(peerLine(0, size, "\n"))
		case 2:
			text := strings.Repeat("half ", c.IntN(20))
			c.step("half:%s", text)
			c.wrote.WriteString(text)
		case 3:
			c.step("sleep:%dms", c.IntN(30))
		case 4:
			c.step("err:%s", strings.Repeat("noise ", c.IntN(100)))
		case 5:
			line := `{"jsonrpc":"2.0","id":` + fmt.Sprint(c.IntN(5)) + `,"result":{"protocolVersion":1,"sessionId":"s"}}`
			c.step("send:%s", line)
			c.wrote.WriteString(line + "\n")
		}
	}
	c.ending = []string{"exit:0", "exit:7", "kept", "kept", "stall", "kill:SEGV"}[c.IntN(6)]
	c.step("%s", c.ending)
	c.step("exit:3")
}

func (c *chaos) run() {
	c.write()
	config := c.path("config")
	if err := os.WriteFile(config, fmt.Appendf(nil, "junk = %q\n[shutdown]\ninput_grace = \"%dms\"\nterm_grace = \"%dms\"\ndrain = \"100ms\"\n", "pass", raceTimes(500), raceTimes(500)), 0o600); err != nil {
		c.Fatal(err)
	}
	temp := c.path("tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		c.Fatal(err)
	}
	s := startCommand(c.T, append([]string{"env", "TMPDIR=" + temp, "acpshim", "--config", config, "--log-level", "off", "--", "peer"}, c.script...)...)

	sent := c.send(s)
	got, closed := c.receive(s)
	signalled := c.disturb(s)
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		c.Fatalf("it does not end; script %q", c.script)
	}
	received := <-got
	s.in.Close()
	wasSent := <-sent

	// No loss, no reorder, no change: what came is how the agent's output
	// begins, and all that it wrote.
	if !bytes.HasPrefix(c.wrote.Bytes(), received) {
		c.Errorf("what came is not what was sent; script %q", c.script)
	}
	var ledger int
	b, _ := os.ReadFile(c.path("ledger"))
	fmt.Sscan(string(b), &ledger)
	if len(received) < ledger && !*closed {
		c.Errorf("%d bytes came, %d were written; script %q", len(received), ledger, c.script)
	}
	kept, _ := os.ReadFile(c.path("kept"))
	if !bytes.HasPrefix(wasSent, kept) {
		c.Errorf("what reached the agent is not what was sent; script %q", c.script)
	}
	c.checkStatus(s.cmd.ProcessState, *signalled, *closed, len(kept) == len(wasSent))
	// No orphans, no files.
	for _, name := range []string{"agent", "child"} {
		var pid int
		b, _ := os.ReadFile(c.path(name))
		if fmt.Sscan(string(b), &pid); pid > 0 {
			eventually(c.T, "the "+name+" is gone", func() bool { return !alive(pid) })
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		c.Errorf("files are left: %v", left)
	}
}

// send is a client that writes at random and then ends its input.
func (c *chaos) send(s *shim) <-chan []byte {
	r := rand.New(rand.NewPCG(c.Uint64(), 2))
	sent := make(chan []byte, 1)
	go func() {
		var all []byte
		for range r.IntN(10) {
			line := peerLine(r.IntN(100), 1+r.IntN(50_000), []string{"\n", "\r\n", ""}[r.IntN(3)])
			n, err := s.in.Write(line)
			if all = append(all, line[:n]...); err != nil {
				break
			}
			time.Sleep(time.Duration(r.IntN(15)) * time.Millisecond)
		}
		s.in.Close()
		sent <- all
	}()
	return sent
}

// receive is a client that reads at random, and may stop to.
func (c *chaos) receive(s *shim) (<-chan []byte, *bool) {
	r := rand.New(rand.NewPCG(c.Uint64(), 3))
	closed := new(bool)
	*closed = r.IntN(100) < 15
	got := make(chan []byte, 1)
	go func() {
		var all []byte
		for i := 0; ; i++ {
			b := make([]byte, 1+r.IntN(100_000))
			n, err := s.out.Read(b)
			if all = append(all, b[:n]...); err != nil {
				if err != io.EOF {
					all = append(all, err.Error()...)
				}
				break
			}
			if *closed && i == 3 {
				break
			}
			if r.IntN(10) == 0 {
				time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
			}
		}
		s.out.Close()
		got <- all
	}()
	return got, closed
}

// disturb does to acpshim what may be done to a process. An agent that would
// not end by itself is ended.
func (c *chaos) disturb(s *shim) *bool {
	signalled := c.ending == "stall" || c.maybe(25)
	if c.maybe(20) {
		c.pause(50 * time.Millisecond)
		s.cmd.Process.Signal(syscall.SIGSTOP)
		c.pause(50 * time.Millisecond)
		s.cmd.Process.Signal(syscall.SIGCONT)
	}
	if signalled {
		sig := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}[c.IntN(3)]
		c.pause(150 * time.Millisecond)
		s.cmd.Process.Signal(sig)
	}
	return &signalled
}

// checkStatus: the status is the agent's.
func (c *chaos) checkStatus(state *os.ProcessState, signalled, closed, heardAll bool) {
	want := []int{map[string]int{"exit:0": 0, "exit:7": 7, "kept": 3, "kill:SEGV": 139, "stall": 143}[c.ending]}
	if signalled {
		want = append(want, 129, 130, 143, 137)
	}
	if closed {
		want = append(want, 99, 143, 137, 141) // EPIPE in the agent, or the ladder
	}
	code := state.ExitCode()
	if ws := state.Sys().(syscall.WaitStatus); ws.Signaled() && signalled {
		return // before acpshim had started to look after signals
	}
	if !slices.Contains(want, code) {
		c.Errorf("exit status %d (%v), want one of %v; script %q", code, state, want, c.script)
	}
	if c.ending == "kept" && code == 3 && !heardAll && !signalled && !closed {
		c.Errorf("the agent ended well and has not got all; script %q", c.script)
	}
}
