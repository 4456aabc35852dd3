package planfile

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/translate/plans"
)

// readSettled reads a file as a Live does on a disk that responds.
func readSettled(r Reader, uri string, roots []string) (string, error) {
	return settled(maxLooks, func() (string, stamp, error) { return r.look(uri, roots) })
}

// watchFake watches a file for some time and returns the times of the reports.
func watchFake(t *testing.T, length time.Duration, at func(time.Duration) stamp) (reports []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWatcher(
			func(plans.File) stamp { return at(time.Since(start)) },
			func(name string) { reports = append(reports, time.Since(start)) })
		w.watch(map[string]plans.File{"f": {URI: "file:///f"}})
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		w.run(ctx)
	})
	return reports
}

func writes(n int) stamp { return stamp{size: int64(n), modified: time.Unix(int64(n), 0)} }

func TestWatcherReportsChangesWithinASecond(t *testing.T) {
	for change := 100 * time.Millisecond; change < 2*time.Second; change += 37 * time.Millisecond {
		reports := watchFake(t, 5*time.Second, func(now time.Duration) stamp {
			if now < change {
				return writes(1)
			}
			return writes(2)
		})
		if len(reports) != 2 || reports[0] > 60*time.Millisecond || reports[1] < change+settle-time.Millisecond || reports[1] > change+time.Second {
			t.Errorf("changed at %v, reported at %v", change, reports)
		}
	}
}

func TestWatcherWaitsForAFileToSettle(t *testing.T) {
	never := stamp{}
	for name, test := range map[string]struct {
		at   func(time.Duration) stamp
		want []time.Duration // in milliseconds
	}{
		"a file that does not change is reported once": {func(time.Duration) stamp { return writes(1) }, []time.Duration{50}},
		"one that is not there, too":                   {func(time.Duration) stamp { return never }, []time.Duration{50}},
		"one that is written for two seconds": {func(now time.Duration) stamp {
			if now < time.Second || now > 3*time.Second {
				return writes(1 + int(now/(4*time.Second)) + int(now/(2*time.Second)))
			}
			return writes(1000 + int(now/time.Millisecond))
		}, []time.Duration{50, 3100, 4150}},
		"one that is truncated for half a second": {func(now time.Duration) stamp {
			switch {
			case now < time.Second:
				return writes(1)
			case now < 1500*time.Millisecond:
				return stamp{modified: time.Unix(9, 0)}
			}
			return writes(2)
		}, []time.Duration{50, 1600}},
		"one that is emptied": {func(now time.Duration) stamp {
			if now < time.Second {
				return writes(1)
			}
			return stamp{modified: time.Unix(9, 0)}
		}, []time.Duration{50, 2050}},
		"one that goes and comes again as it was": {func(now time.Duration) stamp {
			if now > time.Second && now < 3*time.Second {
				return never
			}
			return writes(1)
		}, []time.Duration{50, 1100, 3150}},
	} {
		t.Run(name, func(t *testing.T) {
			reports := watchFake(t, 6*time.Second, test.at)
			for i := range reports {
				reports[i] /= time.Millisecond
			}
			if !slices.Equal(reports, test.want) {
				t.Errorf("reported at %d, want %d", reports, test.want)
			}
		})
	}
}

// A file that changes all the time is polled and reported at the normal rate.
func TestWatcherHasALimitedRate(t *testing.T) {
	looks := 0
	reports := watchFake(t, time.Second, func(now time.Duration) stamp { // it changes all the time
		looks++
		return writes(int(now / time.Microsecond))
	})
	if looks > 25 || len(reports) != 0 {
		t.Errorf("looked %d times, reported %d times while it was being written", looks, len(reports))
	}
	reports = watchFake(t, 6*time.Second, func(now time.Duration) stamp { // each 60 ms, each of which settles
		return writes(int(now / (60 * time.Millisecond)))
	})
	if len(reports) < 10 || len(reports) > 31 {
		t.Errorf("reported %d times in six seconds, want at most five a second", len(reports))
	}
}

// A file whose text is still to come is reported again, also if it has not changed.
func TestWatcherReportsLaterFilesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports atomic.Int32
		w := newWatcher(func(plans.File) stamp { return writes(1) }, func(string) { reports.Add(1) })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		for _, test := range []struct {
			later bool
			want  int32
		}{{false, 1}, {false, 1}, {true, 2}, {true, 3}, {false, 3}} {
			w.watch(map[string]plans.File{"f": {URI: "file:///f", Later: test.later}})
			time.Sleep(time.Second)
			if reports.Load() != test.want {
				t.Errorf("reported %d times, want %d", reports.Load(), test.want)
			}
		}
	})
}
