//go:build unix

package view

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acpshim/internal/log/query"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	"golang.org/x/sys/unix"
)

// A record is followed while it grows by parts and pieces of lines, to its end or to where the run
// was killed.
func TestTailFollows(t *testing.T) {
	t.Parallel()
	t.Run("to its end", func(t *testing.T) { tailFollows(t, `{"kind":"end","seq":34}`+"\n") })
	t.Run("cut off", func(t *testing.T) { tailFollows(t, "") })
}

func tailFollows(t *testing.T, end string) {
	t.Parallel()
	line := func(seq int) string {
		return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"m/%d"}}`+"\n", seq, seq)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "20260304T100000.000Z-x-1-0a1b2c3d")
	var part *os.File
	begin := func(suffix string) {
		t.Helper()
		var err error
		if part, err = os.Create(name + suffix); err == nil {
			err = unix.Flock(int(part.Fd()), unix.LOCK_EX) // as a run does
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		t.Helper()
		if _, err := part.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	begin(".jsonl")
	for i := range 30 {
		write(line(i + 1))
	}
	q, err := query.Parse("-method:m/25")
	if err != nil {
		t.Fatal(err)
	}
	seen, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		out := &terminal.Output{Writer: bufio.NewWriter(pipe)}
		_, err := (&Tail{Out: out, Rows: 20, Follow: true, Query: q, Note: func(string) {}}).Record([]string{name + ".jsonl"})
		done <- out.Close(err)
		pipe.Close()
	}()
	lines := bufio.NewScanner(seen)
	wants := func(method string) {
		t.Helper()
		if !lines.Scan() || !strings.HasSuffix(lines.Text(), " "+method) {
			t.Fatalf("got %q, want %s", lines.Text(), method)
		}
	}
	for i := 10; i <= 30; i++ { // the last 20 but for the one that is left out
		if i != 25 {
			wants(fmt.Sprint("m/", i))
		}
	}
	write(line(31)[:20])
	time.Sleep(4 * store.Poll) // it does not end while the run goes on
	write(line(31)[20:])
	wants("m/31")
	write(line(32) + `{"kind":"mess`) // cut off
	part.Close()
	begin(".1.jsonl")
	write(line(33))
	wants("m/32")
	wants("m/33")
	if end != "" {
		write(end)
		if !lines.Scan() || !strings.Contains(lines.Text(), " end  ") {
			t.Errorf("%q is shown instead of the end", lines.Text())
		}
	}
	part.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("%q is shown", lines.Text())
	}
}

// Without a record the following runs are followed one after the other, each as a whole.
func TestTailFollowsTheRunsThatCome(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "records")
	seen, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	notes := make(chan string, 10)
	done := make(chan error, 1)
	go func() {
		out := &terminal.Output{Writer: bufio.NewWriter(pipe)}
		done <- (&Tail{Out: out, Rows: 1, Note: func(text string) {
			if text != "" {
				notes <- text
			}
		}}).Runs(dir)
	}()
	wants := func(want string) {
		t.Helper()
		if got := <-notes; got != want {
			t.Fatalf("told %q, want %q", got, want)
		}
	}
	waits := "waiting for the next run with --record, in " + dir
	lines := bufio.NewScanner(seen)
	for i := range 2 {
		wants(waits)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("20260304T10000%d.000Z-x-1-0a1b2c3d", i)
		text := `{"kind":"message","seq":1,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"a"}}
{"kind":"message","seq":2,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"b"}}
{"kind":"end","seq":3}
`
		whole := filepath.Join(dir, "whole")
		if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(whole, filepath.Join(dir, name+".jsonl")); err != nil {
			t.Fatal(err)
		}
		wants("following " + name)
		for _, part := range []string{" a", " b", " end  "} {
			if !lines.Scan() || !strings.Contains(lines.Text(), part) {
				t.Fatalf("got %q, want %s", lines.Text(), part)
			}
		}
	}
	wants(waits)
	seen.Close() // nobody reads any more
	if err := os.WriteFile(filepath.Join(dir, "20260304T110000.000Z-x-1-0a1b2c3d.jsonl"), []byte(`{"kind":"stderr","seq":1,"text":"x"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("it goes on for nobody")
	}
}
