package planfile

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchFake polls a file for a while and returns when it was told of.
func watchFake(t *testing.T, length time.Duration, at func(time.Duration) stamp) (told []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		deaf := 0
		w := NewWatcher(WatcherOptions{
			Changed: func(name string) { told = append(told, time.Since(start)) },
			Deaf:    func(error) { deaf++ },
			Listen:  func() (*fsnotify.Watcher, error) { return nil, errors.New("no more instances") },
		})
		w.stamp = func(string, []string) stamp { return at(time.Since(start)) }
		w.Watch(map[string]Target{"f": {URI: "file:///f"}})
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		w.Run(ctx)
		if deaf != 1 {
			t.Errorf("told %d times that nothing can be heard", deaf)
		}
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

// Whatever is heard, a file is looked at and told of only so often.
func TestWatcherIsNotHurried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, told := 0, 0
		w := NewWatcher(WatcherOptions{Changed: func(string) { told++ }})
		w.stamp = func(string, []string) stamp { looks++; return writes(1) }
		dir := filepath.FromSlash("/d")
		r := watching{Watcher: w, files: map[string]*watched{"f": {due: true, path: filepath.Join(dir, "f")}}, listened: map[string]bool{dir: true}, deaf: true}
		step := func(d time.Duration, events bool) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
				if events {
					r.heard(fsnotify.Event{Name: "/d/f", Op: fsnotify.Write})
				}
				if !r.next().After(time.Now()) {
					r.look()
				}
			}
		}
		step(time.Second, true) // 10,000 changes
		if looks > 25 || told != 0 {
			t.Errorf("looked %d times, told %d times while it was being written", looks, told)
		}
		told = 0
		for range 100 { // a change each 60 ms, each of which settles
			r.heard(fsnotify.Event{Name: "/d/f", Op: fsnotify.Rename})
			step(60*time.Millisecond, false)
		}
		if told < 10 || told > 31 {
			t.Errorf("told %d times in six seconds, want at most five a second", told)
		}
		told = 0
		r.heard(fsnotify.Event{Name: "/d/other", Op: fsnotify.Write})
		step(time.Second, false)
		if told > 1 { // what was left of the last change
			t.Errorf("told %d times of another file", told)
		}
		r.heard(fsnotify.Event{Name: "/d", Op: fsnotify.Remove})
		if step(time.Second, false); told == 0 || r.listened[dir] {
			t.Errorf("told %d times that the folder has gone, listened: %v", told, r.listened)
		}
	})
}
