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

// readSettled reads a file as a Live does on a disk that answers.
func readSettled(r Reader, uri string, roots []string) (string, error) {
	return settled(maxLooks, func() (string, stamp, error) { return r.look(uri, roots) })
}

// watchFake watches a file for a while and returns when it was told of.
func watchFake(t *testing.T, length time.Duration, at func(time.Duration) stamp) (told []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWatcher(
			func(plans.File) stamp { return at(time.Since(start)) },
			func(name string) { told = append(told, time.Since(start)) })
		w.watch(map[string]plans.File{"f": {URI: "file:///f"}})
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		w.run(ctx)
	})
	return told
}

func writes(n int) stamp { return stamp{size: int64(n), modified: time.Unix(int64(n), 0)} }

func TestWatcherTellsOfChangesWithinASecond(t *testing.T) {
	for change := 100 * time.Millisecond; change < 2*time.Second; change += 37 * time.Millisecond {
		told := watchFake(t, 5*time.Second, func(now time.Duration) stamp {
			if now < change {
				return writes(1)
			}
			return writes(2)
		})
		if len(told) != 2 || told[0] > 60*time.Millisecond || told[1] < change+settle-time.Millisecond || told[1] > change+time.Second {
			t.Errorf("changed at %v, told at %v", change, told)
		}
	}
}

func TestWatcherWaitsForAFileToSettle(t *testing.T) {
	never := stamp{}
	for name, test := range map[string]struct {
		at   func(time.Duration) stamp
		want []time.Duration // in milliseconds
	}{
		"one that does not change is told of once": {func(time.Duration) stamp { return writes(1) }, []time.Duration{50}},
		"one that is not there, too":               {func(time.Duration) stamp { return never }, []time.Duration{50}},
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
			told := watchFake(t, 6*time.Second, test.at)
			for i := range told {
				told[i] /= time.Millisecond
			}
			if !slices.Equal(told, test.want) {
				t.Errorf("told at %d, want %d", told, test.want)
			}
		})
	}
}

// However often a file changes, it is looked at and told of only so often.
func TestWatcherIsNotHurried(t *testing.T) {
	looks := 0
	told := watchFake(t, time.Second, func(now time.Duration) stamp { // it changes all the time
		looks++
		return writes(int(now / time.Microsecond))
	})
	if looks > 25 || len(told) != 0 {
		t.Errorf("looked %d times, told %d times while it was being written", looks, len(told))
	}
	told = watchFake(t, 6*time.Second, func(now time.Duration) stamp { // each 60 ms, each of which settles
		return writes(int(now / (60 * time.Millisecond)))
	})
	if len(told) < 10 || len(told) > 31 {
		t.Errorf("told %d times in six seconds, want at most five a second", len(told))
	}
}

// A file of which a text is still to come is told of again, also if it has not changed.
func TestWatcherTellsOfWhatIsStillToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int32
		w := newWatcher(func(plans.File) stamp { return writes(1) }, func(string) { told.Add(1) })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		for _, test := range []struct {
			later bool
			want  int32
		}{{false, 1}, {false, 1}, {true, 2}, {true, 3}, {false, 3}} {
			w.watch(map[string]plans.File{"f": {URI: "file:///f", Later: test.later}})
			time.Sleep(time.Second)
			if told.Load() != test.want {
				t.Errorf("told %d times, want %d", told.Load(), test.want)
			}
		}
	})
}
