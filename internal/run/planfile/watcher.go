package planfile

import (
	"context"
	"sync"
	"time"

	"acpshim/translate/plans"
)

// A watcher polls files and reports changes. It reports a change when the file has settled, which
// takes longer for an empty file, and at most five times a second. Events of the system would miss
// files on other machines and in folders that do not exist yet, and some systems need a descriptor
// for each file.
type watcher struct {
	stamp func(plans.File) stamp // zero if the file cannot be read; may block

	// changed is called with the name of a file: first for each file, and then for each change. It
	// is called from the goroutine of run, which does not poll meanwhile.
	changed func(name string)

	mu   sync.Mutex // protects live
	live map[string]plans.File
	set  chan struct{} // has a value after live was set
}

const (
	lookEvery   = 125 * time.Millisecond
	reportEvery = 200 * time.Millisecond
	settleEmpty = time.Second // a file is often truncated before it is written
)

// A watchedFile is the state of a file.
type watchedFile struct {
	plans.File
	seen     stamp     // at the last look
	since    time.Time // when it was first seen
	isDue    bool      // the file is to be reported when it has settled
	reported time.Time // the last time
	next     time.Time // the time of the next look
}

func newWatcher(stamp func(plans.File) stamp, changed func(name string)) *watcher {
	return &watcher{stamp: stamp, changed: changed, set: make(chan struct{}, 1)}
}

// watch replaces the watched files, by names of the caller. Files whose text is still to come are
// reported again. It may be called from any goroutine, also before run, and does not block.
func (w *watcher) watch(files map[string]plans.File) {
	w.mu.Lock()
	w.live = files
	w.mu.Unlock()
	select {
	case w.set <- struct{}{}:
	default:
	}
}

// run polls until the context is done. Call it once.
func (w *watcher) run(ctx context.Context) {
	files := map[string]*watchedFile{}
	for {
		var timer <-chan time.Time
		if len(files) > 0 {
			timer = time.After(time.Until(nextLook(files)))
		}
		select {
		case <-ctx.Done():
			return
		case <-w.set:
			w.take(files)
		case <-timer:
		}
		w.look(files)
	}
}

// take updates files with those of the last call of watch.
func (w *watcher) take(files map[string]*watchedFile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range files {
		if _, ok := w.live[name]; !ok {
			delete(files, name)
		}
	}
	for name, file := range w.live {
		f := files[name]
		if f == nil {
			f = &watchedFile{isDue: true}
			files[name] = f
		}
		f.File = file
		if file.Later {
			f.isDue, f.next = true, time.Time{}
		}
	}
}

// nextLook returns the time of the next look.
func nextLook(files map[string]*watchedFile) (next time.Time) {
	for _, f := range files {
		if next.IsZero() || f.next.Before(next) {
			next = f.next
		}
	}
	return next
}

// look looks at the files whose time has come, and reports those that have changed and settled.
func (w *watcher) look(files map[string]*watchedFile) {
	for name, f := range files {
		now := time.Now()
		if f.next.After(now) {
			continue
		}
		if s := w.stamp(f.File); s != f.seen || f.since.IsZero() {
			f.seen, f.since, f.isDue = s, now, true
		}
		f.next = now.Add(lookEvery)
		settled := f.settledAt()
		switch {
		case !f.isDue:
		case !settled.After(now):
			f.isDue, f.reported = false, now
			w.changed(name)
		case settled.Before(f.next):
			f.next = settled
		}
	}
}

// settledAt returns when to report the file if it does not change.
func (f *watchedFile) settledAt() time.Time {
	settled := f.since.Add(settle)
	if f.seen.size == 0 && f.seen != (stamp{}) {
		settled = f.since.Add(settleEmpty)
	}
	if rest := f.reported.Add(reportEvery); rest.After(settled) {
		return rest
	}
	return settled
}
