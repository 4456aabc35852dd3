//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/check/agents/agenttest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the real command, and the peer that tests it, programs that
// tests can start.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // processes built with -race sleep a second at their end
	testscript.Main(parallel{m}, map[string]func(){
		"acpshim":      main,
		"agent":        agenttest.Main,
		"go-sdk-agent": goSDKAgentMain,
		"peer":         func() { os.Exit(peerMain()) },
	})
}

// Parallel tests wait for something most of the time: for a second in which nothing may
// happen, for a grace. So many of them run at once, whatever the number of processors. Those
// that keep a processor busy are not parallel, or take turns by busy.
type parallel struct{ m *testing.M }

func (p parallel) Run() int {
	// Under nohup, this process ignores SIGHUP, and so would those that it starts. With a handler
	// they do not, and this process still goes on.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "8")
	}
	return p.m.Run()
}

// turns are what busy hands out.
var turns = make(chan struct{}, 2)

// busy waits for the turn of a test that keeps a processor busy; done ends it.
func busy() (done func()) {
	turns <- struct{}{}
	return func() { <-turns }
}

// long skips a test that takes long where tests are to be short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
}

// starts skips a test that starts the program where tests are to be short.
func starts(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the program: not with -short")
	}
}

func TestScripts(t *testing.T) {
	starts(t)
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Defer(busy())
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("ANSWER", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"new","version":"2"}}}`)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  cmdExits,
			"signal": cmdSignal,
			"gone":   cmdGone,
		},
	})
}

// cmdExits runs "exits STATUS COMMAND...": the command ends with that status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if e, ok := err.(*exec.ExitError); ok {
		status = e.ExitCode()
		if ws := e.Sys().(syscall.WaitStatus); ws.Signaled() {
			status = -int(ws.Signal())
		}
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; fmt.Sprint(status) != want {
		ts.Fatalf("exit status %d, want %s", status, want)
	}
}

// cmdSignal runs "signal NAME PIDFILE": sends the process a signal, once the
// file is there.
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if err := syscall.Kill(pidIn(ts, args[1]), signalNamed(args[0])); err != nil {
		ts.Fatalf("%v", err)
	}
}

// cmdGone runs "gone PIDFILE...": the processes end within two seconds.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		pid := pidIn(ts, file)
		for end := time.Now().Add(2 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				ts.Fatalf("process %d of %s is still there", pid, file)
			}
		}
	}
}

func pidIn(ts *testscript.TestScript, file string) (pid int) {
	for end := time.Now().Add(10 * time.Second); pid == 0; time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(ts.MkAbs(file))
		fmt.Sscan(string(b), &pid)
		if time.Now().After(end) {
			ts.Fatalf("no process id in %s", file)
		}
	}
	return pid
}

// alive reports whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, ok := strings.Cut(string(stat), ") ")
	return !ok || !strings.HasPrefix(after, "Z")
}
