package proxy

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Signals are the signals to hand to [Options.Signals].
func Signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// forward reports whether a signal ends a program. Windows sends it to all that
// have our console; what has none sees its stdin end. Who does not end is
// killed when the grace is over.
func forward(to Peer, _ os.Signal, _ bool) (ends bool) {
	to.CloseWrite()
	return true
}

// hungUp is false: a client that is gone is noticed by writing to it.
func hungUp(*os.File) bool { return false }

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// readNow reads what is in a pipe. It returns the errors of readLeft.
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
	return pipe.Read(b) // does not wait: nobody else reads
}
