package planfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Target is a file to watch: what a Reader is asked to read.
type Target struct {
	URI   string
	Roots []string
}

// WatcherOptions describe a Watcher. Changed is required.
type WatcherOptions struct {
	Reader Reader // says which files may be looked at

	// Changed is told of a file by the name it was given in Watch: at first of
	// each, then of those that changed or may have. It is called from Run's
	// goroutine, which looks at nothing meanwhile.
	Changed func(name string)

	// Deaf is told, once, why folders cannot be listened to. It may be nil.
	Deaf func(error)

	// Listen makes what listens to folders; nil is [fsnotify.NewWatcher], except
	// on systems where that opens every file in a folder.
	Listen func() (*fsnotify.Watcher, error)
}

// A Watcher tells when files change. It listens to their folders, and looks at
// the files twice a second all the same: folders may not be there yet, on
// another machine, or too many to listen to. A change is told once the file has
// stayed as it is for a moment, an empty one for longer, and at most five times
// a second.
type Watcher struct {
	opts  WatcherOptions
	stamp func(uri string, roots []string) stamp

	mu      sync.Mutex // protects targets
	targets map[string]Target
	set     chan struct{} // has a value if targets was set and not yet taken
}

// NewWatcher returns a Watcher of no files.
func NewWatcher(o WatcherOptions) *Watcher {
	if o.Listen == nil {
		o.Listen = newListener
	}
	return &Watcher{opts: o, stamp: o.Reader.stamp, set: make(chan struct{}, 1)}
}

const (
	pollEvery   = 500 * time.Millisecond
	tellEvery   = 200 * time.Millisecond
	settleEmpty = time.Second // a file is often truncated before it is written
)

// Watch replaces the files that are watched, by names of the caller's. It may be
// called from any goroutine, before Run too, and never blocks.
func (w *Watcher) Watch(targets map[string]Target) {
	w.mu.Lock()
	w.targets = targets
	w.mu.Unlock()
	select {
	case w.set <- struct{}{}:
	default:
	}
}

// Run watches until the context is done. It is called once.
func (w *Watcher) Run(ctx context.Context) {
	r := watching{Watcher: w, files: map[string]*watched{}, listened: map[string]bool{}}
	defer r.close()
	for {
		var events chan fsnotify.Event
		var failures chan error
		if r.listener != nil {
			events, failures = r.listener.Events, r.listener.Errors
		}
		var timer <-chan time.Time
		if next := r.next(); !next.IsZero() {
			timer = time.After(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-w.set:
			r.take()
		case e := <-events:
			r.heard(e)
		case <-failures:
			for _, f := range r.files { // events were lost
				f.touch()
			}
		case <-timer:
			r.look()
		}
	}
}

// watching is the state of a Run.
type watching struct {
	*Watcher
	files    map[string]*watched
	listener *fsnotify.Watcher // nil if there is none, or not yet
	listened map[string]bool   // folders
	deaf     bool              // there will be no listener
	told     bool              // Deaf was
}

// watched is what is known of a file.
type watched struct {
	Target
	path  string    // "" if it is in no root by its name
	seen  stamp     // at the last look
	since time.Time // from when on it was seen so, and nothing was heard of it
	due   bool      // it is to be told of when it has settled
	told  time.Time // when it was
	next  time.Time // when to look at it
}

// touch notes that something happened to the file.
func (f *watched) touch() {
	f.due, f.since = true, time.Now()
	if soon := f.since.Add(settle); !f.next.Before(soon) {
		f.next = soon
	}
}

func (r *watching) take() {
	r.mu.Lock()
	targets := r.targets
	r.mu.Unlock()
	for name := range r.files {
		if _, ok := targets[name]; !ok {
			delete(r.files, name)
		}
	}
	for name, t := range targets {
		if f := r.files[name]; f != nil {
			f.Target = t
			continue
		}
		f := &watched{Target: t, due: true}
		if r.opts.Reader.Allows(t.URI, t.Roots) == nil {
			f.path, _ = Path(t.URI)
		}
		r.files[name] = f
	}
	r.look()
	r.listen()
}

// listen makes the listener hear of the folders that files are in.
func (r *watching) listen() {
	if r.deaf || r.listener == nil && len(r.files) == 0 {
		return
	}
	if r.listener == nil {
		l, err := r.opts.Listen()
		if err != nil {
			r.deaf = true
			r.report(err)
			return
		}
		r.listener = l
	}
	wanted := map[string]bool{}
	for _, f := range r.files {
		if f.path != "" {
			wanted[filepath.Dir(f.path)] = true
		}
	}
	for dir := range r.listened {
		if !wanted[dir] {
			r.listener.Remove(dir)
			delete(r.listened, dir)
		}
	}
	for dir := range wanted {
		if r.listened[dir] {
			continue
		}
		if err := r.listener.Add(dir); err == nil {
			r.listened[dir] = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			r.report(fmt.Errorf("%q: %w", dir, err))
		}
	}
}

func (r *watching) report(err error) {
	if r.opts.Deaf != nil && !r.told {
		r.told = true
		r.opts.Deaf(err)
	}
}

func newListener() (*fsnotify.Watcher, error) {
	switch runtime.GOOS {
	case "linux", "windows", "solaris", "illumos", "android":
		return fsnotify.NewWatcher()
	}
	return nil, errors.New("kqueue opens every file in a folder")
}

// heard notes what an event is about.
func (r *watching) heard(e fsnotify.Event) {
	name := filepath.Clean(e.Name)
	gone := r.listened[name] && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename))
	if gone {
		delete(r.listened, name) // the folder itself: another of its name may come
	}
	for _, f := range r.files {
		if f.path == name || gone && filepath.Dir(f.path) == name {
			f.touch()
		}
	}
}

// next is when the next look is due; zero if there is nothing to look at.
func (r *watching) next() (next time.Time) {
	for _, f := range r.files {
		if next.IsZero() || f.next.Before(next) {
			next = f.next
		}
	}
	return next
}

// look looks at the files for which it is time, and tells of those that changed
// and have settled.
func (r *watching) look() {
	polled := false
	for name, f := range r.files {
		now := time.Now()
		if f.next.After(now) {
			continue
		}
		s := r.stamp(f.URI, f.Roots)
		if s != f.seen || f.since.IsZero() {
			f.seen, f.since, f.due = s, now, true
		}
		still := f.since.Add(settle)
		if s.size == 0 && s != (stamp{}) {
			still = f.since.Add(settleEmpty)
		}
		if rest := f.told.Add(tellEvery); rest.After(still) {
			still = rest
		}
		switch {
		case !f.due:
			f.next = now.Add(pollEvery)
			polled = true
		case still.After(now):
			f.next = still
			if again := now.Add(pollEvery); again.Before(still) {
				f.next = again
			}
		default:
			f.due, f.told, f.next = false, now, now.Add(pollEvery)
			r.opts.Changed(name)
		}
	}
	if polled {
		r.listen() // a folder may have come
	}
}

func (r *watching) close() {
	if r.listener != nil {
		r.listener.Close()
	}
}
