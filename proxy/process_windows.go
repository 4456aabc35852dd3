package proxy

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Signals returns the signals for [Options.Signals].
func Signals() []os.Signal { return EndSignals() }

// EndSignals returns the signals that end a program which does not handle them.
func EndSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// forward closes the agent's stdin, and reports that the signal ends programs. Windows itself
// sends the signal to all processes of the console. An agent that does not end is killed after the
// grace.
func forward(to Peer, _ os.Signal, _ bool) (ends bool) {
	to.CloseWrite()
	return true
}

// hungUp returns false, because on Windows only a write shows that the client is gone.
func hungUp(*os.File) bool { return false }

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// readNow reads the bytes in a pipe without blocking. It returns the errors of readLeft.
func readNow(pipe *os.File, b []byte) (n int, err error) {
	c, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var there uint32
	var ended bool
	if err := c.Control(func(handle uintptr) {
		ok, _, _ := peekNamedPipe.Call(handle, 0, 0, 0, uintptr(unsafe.Pointer(&there)), 0)
		ended = ok == 0
	}); err != nil {
		return 0, err
	}
	switch {
	case ended:
		return 0, io.EOF
	case there == 0:
		return 0, errHeld
	}
	return pipe.Read(b) // does not block, because nobody else reads
}
