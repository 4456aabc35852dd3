//go:build unix

package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/adapters/terminals"
	"acpshim/internal/run/runner"
)

// A commandRun is a command and its events.
type commandRun struct {
	terminals.Process
	grown  chan struct{} // has a value after more output
	failed chan error    // the result of the start
	ended  chan terminals.Exit
}

func start(r *runner.Runner, c terminals.Command) *commandRun {
	x := &commandRun{grown: make(chan struct{}, 1), failed: make(chan error, 1), ended: make(chan terminals.Exit, 1)}
	r.Start(c, terminals.Events{
		Started: func(p terminals.Process, err error) {
			x.Process = p
			x.failed <- err
		},
		Grown: func() {
			select {
			case x.grown <- struct{}{}:
			default:
			}
		},
		Ended: func(e terminals.Exit) { x.ended <- e },
	})
	return x
}

// shell starts a script in a folder, which is "$dir" in the script.
func shell(t *testing.T, r *runner.Runner, dir, script string) *commandRun {
	t.Helper()
	x := start(r, terminals.Command{Name: "sh", Args: []string{"-c", script}, Env: []string{"dir=" + dir}, Dir: dir, Keep: 1000})
	if err := await(t, x.failed); err != nil {
		t.Fatal(err)
	}
	return x
}

func await[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing happens")
	}
	return v
}

// prints waits until a command has printed a text.
func (x *commandRun) prints(t *testing.T, want string) {
	t.Helper()
	for {
		if text, _ := x.Output(1000); strings.Contains(text, want) {
			return
		}
		await(t, x.grown)
	}
}

// isGone waits until the process whose id is in a file has ended.
func isGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if strings.Contains(string(stat), ") Z ") { // a zombie
			return
		}
	}
	t.Errorf("%d is there", pid)
}

func newRunner(t *testing.T) *runner.Runner {
	r := runner.New(runner.Options{Grace: 200 * time.Millisecond, Drain: 200 * time.Millisecond})
	t.Cleanup(r.Close)
	return r
}

func TestACommandIsRun(t *testing.T) {
	dir := t.TempDir()
	x := shell(t, newRunner(t), dir, `pwd; echo "$dir" >&2; cat; kill -9 $$`)
	if e := await(t, x.ended); e != (terminals.Exit{Signal: "SIGKILL"}) {
		t.Errorf("it ended with %v", e)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := x.Output(1000); got != real+"\n"+dir+"\n" {
		t.Errorf("it printed %q", got)
	}
	x.End() // it has ended
	x = shell(t, newRunner(t), dir, "exit 7")
	if e := await(t, x.ended); e != (terminals.Exit{Code: 7}) {
		t.Errorf("it ended with %v", e)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, want string
	}{
		{"no-such-program", dir, `command "no-such-program": executable file not found in $PATH`},
		{"./none", dir, `command "./none": fork/exec ./none: no such file or directory`},
		{file, dir, "permission denied"},
		{"true", "here", `cwd "here": want an absolute path`},
		{"true", dir + "/none", "no such file or directory"},
		{"true", file, "is not a folder"},
	} {
		var began error
		r := runner.New(runner.Options{Began: func(_ terminals.Command, err error) { began = err }})
		x := start(r, terminals.Command{Name: c.name, Dir: c.dir})
		err := await(t, x.failed)
		if err == nil || !strings.Contains(err.Error(), c.want) || began != err {
			t.Errorf("%s in %s: got %v, want %s; Began got %v", c.name, c.dir, err, c.want, began)
		}
	}
}

// All processes of a command end with it, however it ends.
func TestCommandsEndAsAGroup(t *testing.T) {
	const child = `sh -c 'trap "" TERM; echo $$ >"$dir/child"; echo ready; while :; do sleep 0.05; done' & `
	for name, c := range map[string]struct {
		script string
		end    func(*runner.Runner, *commandRun)
		want   terminals.Exit
	}{
		"killed":                           {child + "wait", func(_ *runner.Runner, x *commandRun) { x.End() }, terminals.Exit{Signal: "SIGTERM"}},
		"ignores SIGTERM":                  {`trap "" TERM; ` + child + "while :; do sleep 0.05; done", func(_ *runner.Runner, x *commandRun) { x.End() }, terminals.Exit{Signal: "SIGKILL"}},
		"exits":                            {child + `while [ ! -e "$dir/go" ]; do sleep 0.05; done`, nil, terminals.Exit{}},
		"the run ends":                     {child + "wait", func(r *runner.Runner, _ *commandRun) { r.Close() }, terminals.Exit{Signal: "SIGTERM"}},
		"the run ends, it ignores SIGTERM": {`trap "" TERM; ` + child + "while :; do sleep 0.05; done", func(r *runner.Runner, _ *commandRun) { r.Close() }, terminals.Exit{Signal: "SIGKILL"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := newRunner(t)
			x := shell(t, r, dir, c.script)
			x.prints(t, "ready")
			if c.end != nil {
				c.end(r, x)
			} else if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if e := await(t, x.ended); e != c.want {
				t.Errorf("it ended with %v, want %v", e, c.want)
			}
			isGone(t, filepath.Join(dir, "child"))
		})
	}
}

// A process that leaves the group is not ended. It holds the output, but the command ends anyway.
func TestADaemonIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	x := shell(t, newRunner(t), dir, `(setsid sh -c 'echo $$ >"$dir/daemon"; while [ ! -e "$dir/go" ]; do sleep 0.05; done' &) ; until [ -s "$dir/daemon" ]; do sleep 0.05; done; echo done`)
	if e := await(t, x.ended); e != (terminals.Exit{}) {
		t.Errorf("it ended with %v", e)
	}
	if got, _ := x.Output(1000); got != "done\n" {
		t.Errorf("it printed %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	isGone(t, filepath.Join(dir, "daemon"))
}

func TestNothingIsStartedAtTheEnd(t *testing.T) {
	r := newRunner(t)
	r.Close()
	x := start(r, terminals.Command{Name: "true", Dir: t.TempDir()})
	if err := await(t, x.failed); err == nil || err.Error() != "the run has ended" {
		t.Errorf("got %v", err)
	}
}

// A hundred megabytes are read, and their end is kept.
func TestMuchOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	x := shell(t, newRunner(t), t.TempDir(), `yes 0123456789 | head -c 100000000; echo; echo end`)
	await(t, x.ended)
	if got, truncated := x.Output(20); got != "89\n0123456789\n0\nend\n" || !truncated {
		t.Errorf("got %q, %v", got, truncated)
	}
}
