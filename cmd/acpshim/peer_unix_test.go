//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// ownSession has a process start in a session of its own.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func (p *testPeer) signals(word, arg string) error {
	if word == "group" {
		if syscall.Getpgrp() == os.Getpid() {
			return writeString(os.Stdout, "own group\n")
		}
		return writeString(os.Stdout, "not its own group\n")
	}
	name, reply, _ := strings.Cut(arg, "=")
	sig := signalNamed(name)
	if sig == 0 && word != "stop" {
		return fmt.Errorf("unknown step, or signal %q", name)
	}
	switch word {
	case "ignore":
		signal.Ignore(sig)
	case "on":
		ch, came := make(chan os.Signal, 8), make(chan struct{}, 8)
		signal.Notify(ch, sig)
		p.came[sig] = came
		go func() {
			for range ch {
				writeString(os.Stdout, unescaped(reply)+"\n")
				came <- struct{}{}
			}
		}()
	case "await":
		<-p.came[sig]
	case "parent":
		return syscall.Kill(os.Getppid(), sig)
	case "stop":
		return syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "kill":
		// Go programs do not die of every signal by themselves; a shell does.
		return syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", sig)}, os.Environ())
	}
	return nil
}

// signalNamed returns the signal of a name without SIG, or 0.
func signalNamed(name string) syscall.Signal {
	return map[string]syscall.Signal{
		"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM,
		"KILL": syscall.SIGKILL, "SEGV": syscall.SIGSEGV, "ABRT": syscall.SIGABRT, "PIPE": syscall.SIGPIPE,
		"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "WINCH": syscall.SIGWINCH,
		"TSTP": syscall.SIGTSTP, "CONT": syscall.SIGCONT, "STOP": syscall.SIGSTOP,
	}[name]
}
