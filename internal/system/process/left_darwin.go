package process

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that nobody has reaped: SZOMB in sys/proc.h.
const zombie = 5

// Left returns the processes of the group that are not zombies; ok is false if that cannot be
// known.
func (g *Group) Left() (left []Process, ok bool) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", int(g.id))
	if err != nil {
		return nil, false
	}
	for _, p := range all {
		if p.Proc.P_stat != zombie {
			name, _, _ := bytes.Cut(p.Proc.P_comm[:], []byte{0})
			left = append(left, Process{ID: int(p.Proc.P_pid), Name: string(name)})
		}
	}
	return left, true
}
