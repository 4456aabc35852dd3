//go:build (linux || darwin) && !race

package growth

import (
	"time"

	"golang.org/x/sys/unix"
)

const measurable = true

// used returns the processor time that this thread has had.
func used() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		panic(err)
	}
	return time.Duration(at.Nano())
}
