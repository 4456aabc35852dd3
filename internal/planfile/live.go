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
	"github.com/fsnotify/fsnotify"
)

// Settings say how a Live reads files.
type Settings struct {
	Reader    Reader
	AskClient bool // ask a client that offers fs/read_text_file
}

// LiveOptions are what a Live needs. Inject is required.
type LiveOptions struct {
	// Inject has the lines that produce appends sent to the client, and returns
	// when they have been. It reports whether produce was called; it is not
	// when nothing can be sent any more.
	Inject func(produce func(dst []byte) []byte) bool

	Listen func() (*fsnotify.Watcher, error) // see WatcherOptions

	// Deaf is told why changes are found by looking only, GaveUp that the client
	// is not asked any more. Each comes once at most and may be nil.
	Deaf   func(error)
	GaveUp func()
}

// A Live is the part of a conversation that keeps file plans alive. ReadFile, Rest,
// FilesChanged, Requests and Negotiated are for the options of the
// plans.Adapter that Run is given.
type Live struct {
	opts     LiveOptions
	requests *requests
	client   *jrpc2.Client
	changed  chan struct{} // has a value if the live files may have changed

	mu        sync.Mutex // protects the fields below
	set       Settings
	asking    bool // the client offers to read files, and answers
	timeouts  int  // in a row
	files     map[string]plans.File
	following map[string]bool // of the files, those that the client is being asked for, or that are being read at first
	reading   map[string]bool // what waits for a disk, by URI or "" for Rest, and whether it has waited for long
}

const (
	askEvery    = time.Second
	askTimeout  = 2 * time.Second
	maxTimeouts = 3

	// How long the agent's lines wait for a file, for files that are being written,
	// and for anything while a disk does not answer; and how much may wait for disks.
	readTime   = 20 * time.Millisecond
	restTime   = 50 * time.Millisecond
	deadTime   = time.Millisecond
	maxReading = 16
)

// New returns a Live that does nothing before Run.
func NewLive(o LiveOptions) *Live {
	return &Live{opts: o, requests: newRequests(o.Inject), changed: make(chan struct{}, 1), following: map[string]bool{}, reading: map[string]bool{}}
}

// Requests are the requests that the client is sent.
func (l *Live) Requests() dispatch.OwnRequests {
	return dispatch.OwnRequests{Prefix: l.requests.prefix, Sent: l.requests.sent.Load, Answered: l.requests.answered}
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

// ReadFile reads a file from the disk. Its text comes later, see plans.ErrLater, if the
// client is asked for it, it is being written, or the disk does not answer at once.
func (l *Live) ReadFile(uri string, roots []string) (string, error) {
	if l.asks(uri, roots) {
		return "", plans.ErrLater
	}
	var text string
	var err error
	if !l.inTime(uri, readTime, func() func() {
		t, e := l.reader().ReadNow(uri, roots)
		return func() { text, err = t, e }
	}) || errors.Is(err, ErrBusy) {
		return "", plans.ErrBusy
	}
	return text, err
}

// Rest waits for files that are being written, for less than 50 ms.
func (l *Live) Rest(files []plans.File) {
	var targets []Target
	for _, f := range files {
		if !l.asks(f.URI, f.Roots) {
			targets = append(targets, Target{URI: f.URI, Roots: f.Roots})
		}
	}
	l.inTime("", restTime, func() func() {
		l.reader().Rest(targets)
		return func() {}
	})
}

// inTime calls what may wait for a disk, and then what it returns if it is in time. It
// does not while the last call of that name, or too many, still wait.
func (l *Live) inTime(name string, limit time.Duration, do func() func()) bool {
	limit, ok := l.begin(name, limit)
	if !ok {
		return false
	}
	done := make(chan func(), 1)
	go func() {
		then := do()
		l.mu.Lock()
		delete(l.reading, name)
		l.mu.Unlock()
		done <- then
	}()
	select {
	case then := <-done:
		then()
		return true
	case <-time.After(limit):
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waits := l.reading[name]; waits {
		l.reading[name] = true
	}
	return false
}

// begin returns how long a call of that name may take.
func (l *Live) begin(name string, limit time.Duration) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waits := l.reading[name]; waits || len(l.reading) >= maxReading {
		return 0, false
	}
	for _, late := range l.reading {
		if late {
			limit = deadTime
		}
	}
	l.reading[name] = false
	return limit, true
}

func (l *Live) reader() Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set.Reader
}

func (l *Live) asks(uri string, roots []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asking && l.set.Reader.Allows(uri, roots) == nil
}

// Run keeps the live files of a conversation as they are, until the context is
// done. Goroutines that it started end soon after it, but for one that Inject
// does not let go.
func (l *Live) Run(ctx context.Context, c *plans.Adapter) {
	w := NewWatcher(WatcherOptions{
		Changed: func(name string) { l.readDisk(c, name) },
		Deaf:    l.opts.Deaf,
		Listen:  l.opts.Listen,
	})
	go w.Run(ctx)
	l.client = jrpc2.NewClient(l.requests, nil)
	defer l.requests.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			w.Watch(l.sort(ctx, c))
		}
	}
}

// sort notes which files are live, has the client asked for those it is to be
// asked for, and returns the others.
func (l *Live) sort(ctx context.Context, c *plans.Adapter) map[string]Target {
	files, onDisk := map[string]plans.File{}, map[string]Target{}
	more := l.reader().Roots
	for _, f := range c.Files() {
		name := f.Session + "\x00" + f.URI
		files[name] = f
		if !l.asks(f.URI, f.Roots) {
			onDisk[name] = Target{URI: f.URI, Roots: append(f.Roots, more...)}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = files
	for name, f := range files {
		_, isOnDisk := onDisk[name]
		switch {
		case l.following[name] || isOnDisk && !f.Later:
			continue
		case isOnDisk:
			go l.readFirst(c, name)
		default:
			go l.follow(ctx, c, name)
		}
		l.following[name] = true
	}
	return onDisk
}

// readFirst reads a file of which a text is still to come. It does not wait for the
// watcher, who may be held by the disk of another.
func (l *Live) readFirst(c *plans.Adapter, name string) {
	l.readDisk(c, name)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.following, name)
}

func (l *Live) readDisk(c *plans.Adapter, name string) {
	l.mu.Lock()
	f, ok := l.files[name]
	l.mu.Unlock()
	if !ok {
		return
	}
	text, err := l.reader().Read(f.URI, f.Roots)
	if !errors.Is(err, ErrBusy) { // else it is told of again when it rests
		l.show(c, f, text, err)
	}
}

func (l *Live) show(c *plans.Adapter, f plans.File, text string, err error) {
	l.opts.Inject(func(dst []byte) []byte { return c.FileRead(dst, f, text, err) })
}

// follow asks the client for a file again and again, while it is live.
func (l *Live) follow(ctx context.Context, c *plans.Adapter, name string) {
	empty := false // the last text was
	for {
		f, ok := l.followed(name)
		if !ok {
			return
		}
		text, err := l.ask(ctx, f)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			// One that was emptied is about to be written, unless it stays so.
			if text != "" || empty {
				l.show(c, f, text, nil)
			}
			empty = text == ""
		case f.Later:
			text, diskErr := l.reader().Read(f.URI, f.Roots)
			switch {
			case errors.Is(diskErr, ErrBusy):
				// It may be at rest when the client is asked again.
			case diskErr != nil:
				l.show(c, f, "", fmt.Errorf("%w; %w", diskErr, err))
			default:
				l.show(c, f, text, nil)
			}
		default:
			l.show(c, f, "", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
}

// followed returns the file if the client is still to be asked for it.
func (l *Live) followed(name string) (plans.File, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.files[name]
	if ok = ok && l.asking; !ok {
		delete(l.following, name)
	}
	return f, ok
}

// ask returns the client's text of a file. It asks when the client has taken
// what it was sent before: that one is slow is no answer that is missing.
func (l *Live) ask(ctx context.Context, f plans.File) (string, error) {
	path, err := Path(f.URI)
	if err != nil {
		return "", err
	}
	if !l.opts.Inject(func(dst []byte) []byte { return dst }) {
		return "", context.Canceled
	}
	inTime, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var answer struct{ Content *string }
	err = l.client.CallResult(inTime, "fs/read_text_file", map[string]string{"sessionId": f.Session, "path": path}, &answer)
	switch {
	case errors.Is(err, errSlow):
		return "", fmt.Errorf("%q: %w", path, err)
	case err != nil && inTime.Err() != nil:
		l.unanswered()
		return "", fmt.Errorf("%q: the client did not answer within %v", path, askTimeout)
	}
	l.mu.Lock()
	l.timeouts = 0
	l.mu.Unlock()
	switch {
	case err != nil:
		return "", fmt.Errorf("%q: the client: %w", path, err)
	case answer.Content == nil:
		return "", fmt.Errorf("%q: the client answered without content", path)
	case len(*answer.Content) > MaxSize:
		return "", fmt.Errorf("%q: is larger than %d KiB", path, MaxSize>>10)
	}
	return *answer.Content, nil
}

// unanswered counts a request that got no answer in time. A client that lets
// several pass is not asked again: the disk is read.
func (l *Live) unanswered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timeouts++; l.timeouts == maxTimeouts {
		l.asking = false
		l.FilesChanged()
		if l.opts.GaveUp != nil {
			l.opts.GaveUp()
		}
	}
}
