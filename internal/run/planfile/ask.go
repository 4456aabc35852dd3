package planfile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"acpshim/translate/plans"
)

const (
	askEvery    = time.Second
	askTimeout  = 2 * time.Second
	maxTimeouts = 3 // in a row, after which the client is no longer asked
)

// follow asks the client for a file again and again while the file is live.
func (l *Live) follow(ctx context.Context, c *plans.Adapter, name string) {
	wasEmpty := false
	for {
		f, ok := l.follows(name)
		if !ok {
			return
		}
		text, err := l.ask(ctx, f)
		if ctx.Err() != nil {
			return
		}
		if err != nil && f.Later {
			text, err = l.readInPlace(f, err)
		}
		switch {
		case errors.Is(err, plans.ErrBusy):
			// The file may have settled when the client is asked again.
		case err != nil || text != "" || wasEmpty:
			l.show(c, f, text, err)
		}
		if err == nil { // an empty file is shown at the second look, because writers often truncate first
			wasEmpty = text == ""
		}
		select {
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
}

// follows returns a file if the client is still to be asked for it.
func (l *Live) follows(name string) (plans.File, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.files[name]
	if ok = ok && l.asking; !ok {
		delete(l.followed, name)
	}
	return f, ok
}

// readInPlace reads a file from the disk after the client failed to return it.
func (l *Live) readInPlace(f plans.File, reason error) (string, error) {
	text, err := l.read(f)
	if err != nil {
		err = fmt.Errorf("%w; %w", err, reason)
	}
	return text, err
}

// ask asks the client for the text of a file. It first waits until the client has read earlier
// lines, so that a slow client does not count as one that does not respond.
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
	text, err := l.request(inTime, f.Session, path)
	switch {
	case err != nil && inTime.Err() != nil && !errors.Is(err, errSlow):
		l.timedOut()
		return "", fmt.Errorf("%q: the client did not respond within %v", path, askTimeout)
	case !errors.Is(err, errSlow):
		l.mu.Lock()
		l.timeouts = 0
		l.mu.Unlock()
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	return text, nil
}

// timedOut counts a timeout of the client. After several in a row files are read from the disk.
func (l *Live) timedOut() {
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
