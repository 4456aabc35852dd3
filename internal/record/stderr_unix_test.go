//go:build unix

package record

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// Another process that holds the agent's stderr is not waited for, but what it
// wrote is moved.
func TestStderrHeldByAnother(t *testing.T) {
	r := begin(t, Options{})
	var shown bytes.Buffer
	agent, drain := stderrOf(t, r, &shown)
	held := dup(t, agent)
	defer held.Close()
	io.WriteString(held, "first\n")
	began := time.Now()
	drain(0)
	if d := time.Since(began); d > 5*time.Second || shown.String() != "first\n" {
		t.Errorf("%q was shown after %v", shown.String(), d)
	}
	if got := of(readAll(t, r), "stderr"); len(got) != 1 {
		t.Errorf("%d records", len(got))
	}
}

// dup returns another hold on a file, as a child has.
func dup(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "held")
}
