package peer

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart has a process start outside of the job of this one.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_BREAKAWAY_FROM_JOB}
}

func (p *peer) signals(word, _ string) error { return fmt.Errorf("%s: unknown step", word) }
