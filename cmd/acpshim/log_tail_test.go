package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acpshim/history/query"
)

// A record is followed while it grows, over its parts and a piece of a line at a
// time, to its end.
func TestTailFollows(t *testing.T) {
	line := func(seq int) string {
		return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"m/%d"}}`+"\n", seq, seq)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "20260304T100000.000Z-x-1-0a1b2c3d")
	write := func(suffix, text string) {
		t.Helper()
		f, err := os.OpenFile(name+suffix, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 30 {
		write(".jsonl", line(i+1))
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
		out := &output{Writer: bufio.NewWriter(pipe)}
		done <- out.Close(tail(out, name+".jsonl", true, q))
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
	write(".jsonl", line(31)[:20])
	time.Sleep(2 * poll)
	write(".jsonl", line(31)[20:])
	wants("m/31")
	write(".jsonl", line(32)+`{"kind":"mess`) // cut off
	write(".1.jsonl", line(33))
	wants("m/32")
	wants("m/33")
	write(".1.jsonl", `{"kind":"end","seq":34}`+"\n")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("%q is shown", lines.Text())
	}
}
