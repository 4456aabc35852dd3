//go:build unix

package main

import "syscall"

// runs reports whether there is a process of ours with that id. It may be another
// one than the record's, which has ended.
func runs(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
