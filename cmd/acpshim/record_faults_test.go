//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
)

const tick = `{"jsonrpc":"2.0","method":"x/tick","params":{"n":1.0}}` + "\n"

// readParts reads the record in a folder that has one.
func readParts(t *testing.T, folder string) *history.History {
	t.Helper()
	runs, err := store.Runs(folder)
	if err != nil || len(runs) != 1 {
		t.Fatalf("records %q, %v", runs, err)
	}
	files, err := store.Open(runs[0]...)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	h, err := history.Read(record.NewReader(files))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// E9: of a run that is killed, all is there but for the last moment, and it can be
// read.
func TestTheRecordOfAKilledRun(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "records")
	s := startShim(t, []string{"--record", "--set", "record.folder=" + folder}, "echo")
	for range 20 {
		s.send(tick)
		s.read(tick)
	}
	time.Sleep(500 * time.Millisecond)
	s.send(tick)
	s.read(tick)
	s.signal(syscall.SIGKILL)
	s.cmd.Wait()
	h := readParts(t, folder)
	if n := len(h.Messages); n < 40 || n > 42 || h.End != nil || h.Broken > 1 {
		t.Errorf("%d messages, %d broken lines, the end %+v", n, h.Broken, h.End)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	out, err := exec.Command("acpshim", append([]string{"log", "show", "--format", "raw", "--run"}, files...)...).Output()
	if err != nil || !strings.HasPrefix(string(out), strings.Repeat(tick, 40)) {
		t.Errorf("%d bytes are shown, %v", len(out), err)
	}
}

// E3, T22: a folder of records that goes in the middle of a run. The traffic goes on,
// one line says so, and so does the record when it can.
func TestTheRecordGoesInTheMiddleOfARun(t *testing.T) {
	long(t)
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "records")
	s := startShim(t, []string{"--record", "--set", "record.folder=" + folder}, "echo")
	pass := func(n int) {
		t.Helper()
		for range n {
			s.send(tick)
			s.read(tick)
			time.Sleep(5 * time.Millisecond)
		}
	}
	pass(20)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	pass(400) // more than two seconds
	s.in.Close()
	s.exits(0)
	if n := strings.Count(s.stderr.String(), "not everything is recorded"); n != 1 {
		t.Errorf("it was told %d times: %s", n, s.stderr)
	}
	h := readParts(t, folder)
	if h.Start.Part != 1 || h.End == nil || h.End.Gaps != 1 || h.End.Client.Lines+h.End.Agent.Lines+h.End.Lost.Lines < 840 {
		t.Errorf("start %+v, end %+v", h.Start, h.End)
	}
}
