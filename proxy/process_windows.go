package proxy

import (
	"os"
	"syscall"
	"time"
)

// Signals are the signals to hand to [Options.Signals].
func Signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// forward reports whether a signal ends a program. Windows has no way to pass
// one on: the agent is killed when the grace is over.
func (p *process) forward(os.Signal, bool) (ends bool) { return true }

// signalGroup kills the agent; there are no groups, and nothing gentler.
func (p *process) signalGroup(syscall.Signal) { p.cmd.Process.Kill() }

func ownGroup() *syscall.SysProcAttr { return nil }

// await returns when the agent has exited, and reaps it.
func (p *process) await() { p.cmd.Wait() }

func (p *process) reap(time.Duration) Status {
	return Status{Code: p.cmd.ProcessState.ExitCode()}
}

func hungUp(*os.File) bool { return false }

func widen(*os.File) {}

func groupRuns(int) bool { return false }

// readNow: pipes cannot be read without waiting here.
func readNow(uintptr, []byte) int { return -1 }
