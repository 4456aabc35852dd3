package main

import "os"

// runs reports whether there is a process with that id. It may be another one than
// the record's, which has ended.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}
