//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
