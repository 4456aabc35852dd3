package main

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownSession has a process start outside of the job of this one.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_BREAKAWAY_FROM_JOB}
}

func (p *testPeer) signals(word, _ string) error { return fmt.Errorf("%s: unknown step", word) }
