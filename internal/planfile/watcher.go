package planfile

import (
	"context"
	"sync"
	"time"

	"acpshim/translate/plans"
)

// A watcher reports when files change, by looking at them. A change is reported once the
// file has stayed as it is for a moment, an empty one for longer, and at most five times a
// second. The system is not asked to report changes: it would not for files on another
// machine and folders that are not there yet, and takes a descriptor a file on some.
type watcher struct {
	stamp func(plans.File) stamp // zero if it cannot be seen; may take a while

	// changed is called with the name that a file was given in watch: at first for each,
	// then for those that changed. It is called from run's goroutine, which looks at
	// nothing meanwhile.
	changed func(name string)

	mu   sync.Mutex // protects live
	live map[string]plans.File
	set  chan struct{} // has a value if live was set and not yet taken
}

const (
	lookEvery   = 125 * time.Millisecond
	reportEvery = 200 * time.Millisecond
	settleEmpty = time.Second // a file is often truncated before it is written
)

// A watched is what is known of a file.
type watched struct {
	plans.File
	seen     stamp     // at the last look
	since    time.Time // from when on it was seen so
	due      bool      // it is to be reported when it has settled
	reported time.Time // when it was
	next     time.Time // when to look at it
}

func newWatcher(stamp func(plans.File) stamp, changed func(name string)) *watcher {
	return &watcher{stamp: stamp, changed: changed, set: make(chan struct{}, 1)}
}

// watch replaces the files that are watched, by names of the caller's. Those of which a
// text is still to come are reported again. It may be called from any goroutine, before
// run too, and never blocks.
func (w *watcher) watch(files map[string]plans.File) {
	w.mu.Lock()
	w.live = files
	w.mu.Unlock()
	select {
	case w.set <- struct{}{}:
	default:
	}
}

// run watches until the context is done. It is called once.
func (w *watcher) run(ctx context.Context) {
	files := map[string]*watched{}
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

// take makes files those that watch was given last.
func (w *watcher) take(files map[string]*watched) {
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
			f = &watched{due: true}
			files[name] = f
		}
		f.File = file
		if file.Later {
			f.due, f.next = true, time.Time{}
		}
	}
}

// nextLook is when the next look is due.
func nextLook(files map[string]*watched) (next time.Time) {
	for _, f := range files {
		if next.IsZero() || f.next.Before(next) {
			next = f.next
		}
	}
	return next
}

// look looks at the files for which it is time, and reports those that changed and have
// settled.
func (w *watcher) look(files map[string]*watched) {
	for name, f := range files {
		now := time.Now()
		if f.next.After(now) {
			continue
		}
		if s := w.stamp(f.File); s != f.seen || f.since.IsZero() {
			f.seen, f.since, f.due = s, now, true
		}
		f.next = now.Add(lookEvery)
		still := f.stillAt()
		switch {
		case !f.due:
		case !still.After(now):
			f.due, f.reported = false, now
			w.changed(name)
		case still.Before(f.next):
			f.next = still
		}
	}
}

// stillAt is when the file is to be reported if it stays as it is.
func (f *watched) stillAt() time.Time {
	still := f.since.Add(settle)
	if f.seen.size == 0 && f.seen != (stamp{}) {
		still = f.since.Add(settleEmpty)
	}
	if rest := f.reported.Add(reportEvery); rest.After(still) {
		return rest
	}
	return still
}
