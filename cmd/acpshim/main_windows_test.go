package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/windows"
)

// TestMain is that of main_test.go.
func TestMain(m *testing.M) {
	testscript.Main(tolerant{m}, map[string]func(){
		"acpshim": main,
		"peer":    func() { os.Exit(peerMain()) },
	})
}

// tolerant tests end without deleting the folder that testscript keeps commands
// in, if it cannot be deleted: wine 8 cannot do it as Go does.
type tolerant struct{ *testing.M }

func (t tolerant) Run() int {
	status := t.M.Run()
	if command, err := exec.LookPath("acpshim"); err == nil {
		os.RemoveAll(filepath.Dir(filepath.Dir(command)))
	}
	os.Exit(status)
	return status
}

// TestScriptsOnWindows runs the scripts that need no signals, and those about
// how a run ends here.
func TestScriptsOnWindows(t *testing.T) {
	own, err := filepath.Glob("testdata/windows/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files:               append(own, "testdata/script/relay.txtar", "testdata/script/demo.txtar"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("AppData", env.WorkDir)
			return patient(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  cmdExits,
			"signal": cmdSignal,
			"gone":   cmdGone,
			"runs":   cmdRuns,
		},
	})
}

// patient writes a configuration with which an agent may take its time to start:
// under wine that can be seconds.
func patient(appData string) error {
	if err := os.Mkdir(filepath.Join(appData, "acpshim"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(appData, "acpshim", "config.toml"), []byte("shutdown.input_grace = \"60s\"\n"), 0o600)
}

// cmdExits runs "exits STATUS COMMAND...": the command ends with that status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		status = e.ExitCode()
	}
	if want := args[0]; fmt.Sprint(status) != want {
		ts.Fatalf("exit status %d, want %s", status, want)
	}
}

// cmdSignal runs "signal KILL PIDFILE": ends the process and nothing else, once
// the file is there.
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if args[0] != "KILL" {
		ts.Fatalf("there is no signal %s", args[0])
	}
	p, err := os.FindProcess(pidIn(ts, args[1]))
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		ts.Fatalf("%v", err)
	}
}

// cmdGone runs "gone PIDFILE...": the processes end within ten seconds.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		if !ends(pidIn(ts, file), 10*time.Second) {
			ts.Fatalf("the process of %s is still there", file)
		}
	}
}

// cmdRuns runs "runs PIDFILE": the process has not ended.
func cmdRuns(ts *testscript.TestScript, neg bool, args []string) {
	if ends(pidIn(ts, args[0]), 0) {
		ts.Fatalf("the process of %s has ended", args[0])
	}
}

// ends reports whether a process ends within a time.
func ends(pid int, within time.Duration) bool {
	p, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return true // nobody has a handle any more
	}
	defer windows.CloseHandle(p)
	event, err := windows.WaitForSingleObject(p, uint32(within/time.Millisecond))
	return err == nil && event == windows.WAIT_OBJECT_0
}

func pidIn(ts *testscript.TestScript, file string) int {
	pid := pidOf(ts.MkAbs(file))
	if pid == 0 {
		ts.Fatalf("no process id in %s", file)
	}
	return pid
}

// pidOf waits for a process id in a file; 0 if none comes.
func pidOf(file string) (pid int) {
	for end := time.Now().Add(30 * time.Second); pid == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(file)
		fmt.Sscan(string(b), &pid)
	}
	return pid
}

// A shim is a running acpshim whose client is the test. Child is a file for the
// process id of what the agent starts.
type shim struct {
	*exec.Cmd
	in    io.WriteCloser
	out   io.Reader
	child string
}

// startShim runs acpshim with a setting before a peer whose child does nothing
// and holds its output.
func startShim(t *testing.T, setting string, script ...string) shim {
	dir, err := os.MkdirTemp("", "acpshim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	child := filepath.Join(dir, "child")
	s := shim{Cmd: exec.Command("acpshim", append([]string{"--log-level", "off", "--set", setting, "--",
		"peer", "fork:pid:" + child + ",stall", "wait:" + child}, script...)...), child: child}
	if s.in, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if s.out, err = s.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// An agent that goes on when its input has ended is ended with its job.
func TestASilentAgentIsEndedWithItsJobOnWindows(t *testing.T) {
	s := startShim(t, "shutdown.input_grace=100ms", "send:ready", "stall")
	if _, err := io.ReadFull(s.out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	child := pidOf(s.child)
	if ends(child, 0) {
		t.Error("the child has ended before")
	}
	s.in.Close()
	rest, _ := io.ReadAll(s.out)
	s.Wait()
	if status := s.ProcessState.ExitCode(); status != 143 || len(rest) > 0 {
		t.Errorf("exit status %d, then %q", status, rest)
	}
	if !ends(child, 10*time.Second) {
		t.Error("the child is still there")
	}
}

// More than all pipes hold passes both ways at once.
func TestManyLinesArriveInOrderOnWindows(t *testing.T) {
	var sent bytes.Buffer
	for i := range 20_000 {
		sent.Write(peerLine(i, 200, "\n"))
	}
	c := exec.Command("acpshim", "--", "peer", "echo")
	c.Stdin = bytes.NewReader(sent.Bytes())
	got, err := c.Output()
	if err != nil || !bytes.Equal(got, sent.Bytes()) {
		t.Errorf("got %d bytes of %d, %v", len(got), sent.Len(), err)
	}
}

// What an agent wrote before its end arrives, though a child of it holds its
// output and the client takes nothing until long after the drain.
func TestASlowClientGetsWhatADeadAgentWroteOnWindows(t *testing.T) {
	s := startShim(t, "shutdown.drain=200ms", "flood:1500x80", "send:last", "exit:9")
	pidOf(s.child)
	time.Sleep(time.Second)
	got, err := io.ReadAll(s.out)
	s.Wait()
	var want []byte
	for i := range 1500 {
		want = append(want, peerLine(i, 80, "\n")...)
	}
	want = append(want, "last\n"...)
	if status := s.ProcessState.ExitCode(); err != nil || !bytes.Equal(got, want) || status != 9 {
		t.Errorf("got %d bytes of %d, %v, exit status %d", len(got), len(want), err, status)
	}
}
