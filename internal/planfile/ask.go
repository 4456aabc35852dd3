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
	maxTimeouts = 3 // requests in a row after which the client is not asked any more
)

// follow asks the client for a file again and again, while it is live.
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
			// It may be at rest when the client is asked again.
		case err != nil || text != "" || wasEmpty:
			l.show(c, f, text, err)
		}
		if err == nil { // one that was emptied is about to be written, unless it stays so
			wasEmpty = text == ""
		}
		select {
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
}

// follows returns the file if the client is still to be asked for it.
func (l *Live) follows(name string) (plans.File, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.files[name]
	if ok = ok && l.asking; !ok {
		delete(l.followed, name)
	}
	return f, ok
}

// readInPlace reads a file from the disk that the client did not give, for a reason.
func (l *Live) readInPlace(f plans.File, reason error) (string, error) {
	text, err := l.read(f)
	if err != nil {
		err = fmt.Errorf("%w; %w", err, reason)
	}
	return text, err
}

// ask returns the client's text of a file. It asks when the client has taken
// what it was sent before: a slow client has not left a request without a response.
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
	var result struct{ Content *string }
	err = l.client.CallResult(inTime, "fs/read_text_file", map[string]string{"sessionId": f.Session, "path": path}, &result)
	switch {
	case errors.Is(err, errSlow):
		return "", fmt.Errorf("%q: %w", path, err)
	case err != nil && inTime.Err() != nil:
		l.timedOut()
		return "", fmt.Errorf("%q: the client did not respond within %v", path, askTimeout)
	}
	l.mu.Lock()
	l.timeouts = 0
	l.mu.Unlock()
	switch {
	case err != nil:
		return "", fmt.Errorf("%q: the client: %w", path, err)
	case result.Content == nil:
		return "", fmt.Errorf("%q: the client's response has no content", path)
	case len(*result.Content) > MaxSize:
		return "", fmt.Errorf("%q: is larger than %d KiB", path, MaxSize>>10)
	}
	return *result.Content, nil
}

// timedOut counts a request that got no response in time. A client that lets several pass
// is not asked again: the disk is read.
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
