//go:build unix

package record

import (
	"os"
	"syscall"
	"testing"
)

// dup returns another hold on a file, as a child has.
func dup(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "held")
}
