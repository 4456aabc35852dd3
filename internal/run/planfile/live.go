package planfile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"acpshim/internal/chain/dispatch"
	"acpshim/translate/plans"
)

// Settings say how a Live reads files.
type Settings struct {
	Reader    Reader
	AskClient bool // ask a client that offers fs/read_text_file
}

// LiveOptions of a Live.
type LiveOptions struct {
	// Own sends the requests to the client.
	Own *dispatch.OwnRequests

	// Inject calls produce and sends the lines that it appends to the client, and returns when they
	// are sent. It returns false without a call when nothing can be sent any more.
	Inject func(produce func(dst []byte) []byte) bool

	// GaveUp is called when the client is no longer asked, at most once. It may be nil.
	GaveUp func()
}

// A Live shows the current text of file plans in a conversation. ReadFile, AwaitWrites,
// FilesChanged and Negotiated are for the options of the plans.Adapter of Run. They may be called
// from any goroutine.
type Live struct {
	opts    LiveOptions
	disk    disk
	changed chan struct{} // has a value if the live files may have changed

	mu       sync.Mutex // protects the fields below
	set      Settings
	asking   bool // the client is asked for files
	timeouts int  // in a row
	files    map[string]plans.File
	followed map[string]bool // the files that the client is being asked for
}

// NewLive returns a Live. It shows nothing before Run.
func NewLive(o LiveOptions) *Live {
	return &Live{opts: o, changed: make(chan struct{}, 1), followed: map[string]bool{}}
}

// Negotiated sets how files are read for two peers. Before it, only ReadFile reads files, in the
// folders of the session.
func (l *Live) Negotiated(n plans.Negotiation, set Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set = set
	l.asking = set.AskClient && n.ReadsFiles && l.timeouts < maxTimeouts
}

// FilesChanged makes Run check which files are live. It does not block.
func (l *Live) FilesChanged() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// ReadFile reads a file from the disk. It returns [plans.ErrLater] if the client is asked for the
// file, and [plans.ErrBusy] if it is being written or the disk does not respond within 20 ms. Then
// Run shows the text later.
func (l *Live) ReadFile(uri string, roots []string) (string, error) {
	if l.asks(uri, roots) {
		return "", plans.ErrLater
	}
	text, err := "", plans.ErrBusy
	l.disk.inTime(folderOf(uri), readTime, func() func() {
		t, e := l.reader().ReadNow(uri, roots)
		return func() { text, err = t, e }
	})
	return text, err
}

// AwaitWrites waits until files that were just written have settled, at most 50 ms.
func (l *Live) AwaitWrites(files []plans.File) {
	begun := time.Now()
	left := func() time.Duration { return settleTime - time.Since(begun) }
	var wait time.Duration
	for _, f := range files {
		if l.asks(f.URI, f.Roots) || left() <= 0 {
			continue
		}
		s := l.stamp(f, min(readTime, left()))
		if rest := settle - time.Since(s.modified); rest <= settle { // otherwise the time is in the future
			wait = max(wait, rest)
		}
	}
	time.Sleep(min(wait, left()))
}

// stamp returns the stamp of a file, or zero if the disk does not respond in time.
func (l *Live) stamp(f plans.File, limit time.Duration) (s stamp) {
	l.disk.inTime(folderOf(f.URI), limit, func() func() {
		now := l.reader().stamp(f.URI, f.Roots)
		return func() { s = now }
	})
	return s
}

// read is [Reader.ReadNow] with retries for a file that is being written, and a timeout of a
// second.
func (l *Live) read(f plans.File) (string, error) {
	return settled(maxLooks, func() (text string, s stamp, err error) {
		err = fmt.Errorf("%q: not read within %v: %w", f.URI, patientTime, context.DeadlineExceeded)
		l.disk.inTime(folderOf(f.URI), patientTime, func() func() {
			t, now, e := l.reader().look(f.URI, f.Roots)
			return func() { text, s, err = t, now, e }
		})
		return text, s, err
	})
}

func (l *Live) reader() Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set.Reader
}

// asks reports whether the client is to be asked for a file.
func (l *Live) asks(uri string, roots []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asking && l.set.Reader.Allows(uri, roots) == nil
}

// Run shows the live files of a conversation until the context is done. Goroutines that it started
// end soon after it, unless Inject blocks them.
func (l *Live) Run(ctx context.Context, c *plans.Adapter) {
	w := newWatcher(
		func(f plans.File) stamp { return l.stamp(f, patientTime) },
		func(name string) { l.showFile(c, name) })
	go w.run(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			w.watch(l.sort(ctx, c))
		}
	}
}

// sort updates the live files. It starts to ask the client for new ones, and returns those that are
// read from the disk.
func (l *Live) sort(ctx context.Context, c *plans.Adapter) (onDisk map[string]plans.File) {
	live := c.Files()
	onDisk = map[string]plans.File{}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = map[string]plans.File{}
	for _, f := range live {
		name := f.Session + "\x00" + f.URI
		l.files[name] = f
		switch {
		case !l.asking || l.set.Reader.Allows(f.URI, f.Roots) != nil:
			onDisk[name] = f
		case !l.followed[name]:
			l.followed[name] = true
			go l.follow(ctx, c, name)
		}
	}
	return onDisk
}

// showFile reads a live file from the disk and shows it. If it is being written, the watcher
// reports it again when it has settled.
func (l *Live) showFile(c *plans.Adapter, name string) {
	l.mu.Lock()
	f, ok := l.files[name]
	l.mu.Unlock()
	if !ok {
		return
	}
	if text, err := l.read(f); !errors.Is(err, plans.ErrBusy) {
		l.show(c, f, text, err)
	}
}

func (l *Live) show(c *plans.Adapter, f plans.File, text string, err error) {
	l.opts.Inject(func(dst []byte) []byte { return c.FileRead(dst, f, text, err) })
}
