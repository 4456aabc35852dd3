// Package growth is for tests: it checks how the time that work takes grows with its size. It
// counts the processor time of the thread that works, so that what else the machine does
// changes little.
package growth

import (
	"runtime"
	"testing"
	"time"
)

// Linear checks that work takes about eight times as long for eight times the size: 64 times
// would be quadratic. It is measured again before it fails. work returns what is measured.
func Linear(t *testing.T, name string, size int, work func(size int) func()) {
	t.Helper()
	NeedsTime(t)
	little, much := work(size), work(8*size)
	var few, many time.Duration
	for range 20 {
		// Of one moment: some machines are slower for seconds, and then are not.
		few, many = min(Time(little), Time(little), Time(little)), Time(much)
		if many < 16*few {
			return
		}
	}
	t.Errorf("%s: %v, and %v for eight times as much", name, few, many)
}

// NeedsTime skips a test where [Time] says nothing, and with -short.
func NeedsTime(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	if !measurable {
		t.Skip("needs the processor time of a thread, on Linux or macOS, without the race detector")
	}
}

// Time returns the processor time that work takes in the goroutine that calls it.
func Time(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun := used()
	work()
	return used() - begun
}
