package planfile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"acpshim/internal/dispatch"
	"acpshim/translate/plans"

	"github.com/creachadair/jrpc2"
)

// Settings say how a Live reads files.
type Settings struct {
	Reader    Reader
	AskClient bool // ask a client that offers fs/read_text_file
}

// LiveOptions are what a Live needs.
type LiveOptions struct {
	// Own are those among which the requests to the client are.
	Own *dispatch.OwnRequests

	// Inject has the lines that produce appends sent to the client, and returns
	// when they have been. It reports whether produce was called; it is not
	// when nothing can be sent any more.
	Inject func(produce func(dst []byte) []byte) bool

	// GaveUp is called, once at most, when the client is not asked any more. It may
	// be nil.
	GaveUp func()
}

// A Live is the part of a conversation that keeps file plans alive. ReadFile, AwaitWrites,
// FilesChanged and Negotiated are for the options of the
// plans.Adapter that Run is given. They may be called from any goroutine.
type Live struct {
	opts     LiveOptions
	requests *requests
	client   *jrpc2.Client
	disk     disk
	changed  chan struct{} // has a value if the live files may have changed

	mu       sync.Mutex // protects the fields below
	set      Settings
	asking   bool // the client offers to read files, and responds
	timeouts int  // in a row
	files    map[string]plans.File
	followed map[string]bool // the files that the client is being asked for
}

// NewLive returns a Live that does nothing before Run.
func NewLive(o LiveOptions) *Live {
	return &Live{opts: o, requests: newRequests(o), changed: make(chan struct{}, 1), followed: map[string]bool{}}
}

// Negotiated notes how files are read for two peers, and whether the client
// reads them. Before it no file is read but by ReadFile, in the session's folders.
func (l *Live) Negotiated(n plans.Negotiation, set Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set = set
	l.asking = set.AskClient && n.ReadsFiles && l.timeouts < maxTimeouts
}

// FilesChanged has Run look at which files are live. It does not block.
func (l *Live) FilesChanged() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// ReadFile reads a file from the disk. Its text comes later, see [plans.ErrLater], if the
// client is asked for it, it is being written, or the disk does not answer within 20 ms.
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

// AwaitWrites waits until files can be read that were written less than 50 ms ago, and not
// since. It returns within 50 ms.
func (l *Live) AwaitWrites(files []plans.File) {
	begun := time.Now()
	left := func() time.Duration { return restTime - time.Since(begun) }
	var wait time.Duration
	for _, f := range files {
		if l.asks(f.URI, f.Roots) || left() <= 0 {
			continue
		}
		s := l.stamp(f, min(readTime, left()))
		if rest := settle - time.Since(s.modified); rest <= settle { // not of the future
			wait = max(wait, rest)
		}
	}
	time.Sleep(min(wait, left()))
}

// stamp is that of a file, zero if the disk does not answer in time.
func (l *Live) stamp(f plans.File, limit time.Duration) (s stamp) {
	l.disk.inTime(folderOf(f.URI), limit, func() func() {
		now := l.reader().stamp(f.URI, f.Roots)
		return func() { s = now }
	})
	return s
}

// read is [Reader.ReadNow] that gives a file that is being written a moment, and gives up on
// a disk that does not answer within a second.
func (l *Live) read(f plans.File) (string, error) {
	return settled(maxLooks, func() (text string, s stamp, err error) {
		err = fmt.Errorf("%q: not read within %v: %w", f.URI, patientFor, context.DeadlineExceeded)
		l.disk.inTime(folderOf(f.URI), patientFor, func() func() {
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

// Run keeps the live files of a conversation as they are, until the context is
// done. Goroutines that it started end soon after it, but for one that Inject
// does not let go.
func (l *Live) Run(ctx context.Context, c *plans.Adapter) {
	w := newWatcher(
		func(f plans.File) stamp { return l.stamp(f, patientFor) },
		func(name string) { l.showFile(c, name) })
	go w.run(ctx)
	l.client = jrpc2.NewClient(l.requests, nil)
	defer l.requests.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			w.watch(l.sort(ctx, c))
		}
	}
}

// sort notes which files are live, has the client asked for those it is to be
// asked for, and returns the others.
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

// showFile reads a live file from the disk and shows it. If it is being written the
// watcher finds it again when it rests.
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
