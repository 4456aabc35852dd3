package planfile

import (
	"path/filepath"
	"sync"
	"time"
)

// Timeouts of a disk.
const (
	readTime    = 20 * time.Millisecond // of the agent's lines for a file
	settleTime  = 50 * time.Millisecond // of the agent's lines for files that are being written
	deadTime    = time.Millisecond      // of the agent's lines while a disk does not respond
	patientTime = time.Second           // of goroutines for which nobody waits
)

// maxReading is the number of folders that may be read at a time.
const maxReading = 16

// A disk reads files with timeouts. It reads each folder in at most one goroutine, so that a dead
// mount blocks only its own folder. The zero value is ready for use, by any number of goroutines.
type disk struct {
	mu    sync.Mutex
	calls map[string]*diskCall // running ones, by folder
}

type diskCall struct {
	done chan struct{} // closed when it has ended
	late bool          // a caller timed out
}

// inTime calls do, which may block on the disk of a folder, and reports whether it returned in
// time. Only then it calls the function that do returned, so that a late do changes nothing. If
// another call for the folder is running, inTime waits for it first, or returns false if it is
// late.
func (d *disk) inTime(folder string, limit time.Duration, do func() func()) bool {
	var over <-chan time.Time
	for {
		c, mine := d.begin(folder, &limit)
		if c == nil {
			return false
		}
		if over == nil {
			over = time.After(limit)
		}
		then := make(chan func(), 1)
		if mine {
			go func() {
				then <- do()
				d.end(folder, c)
			}()
		}
		select {
		case <-c.done:
			if mine {
				(<-then)()
				return true
			}
		case <-over:
			d.mu.Lock()
			defer d.mu.Unlock()
			c.late = true
			return false
		}
	}
}

// begin returns the call for a folder. Mine says that it is new. It returns nil if a late call is
// running, or too many are. While any call is late, begin shortens short limits.
func (d *disk) begin(folder string, limit *time.Duration) (c *diskCall, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.calls {
		if other.late && *limit < patientTime {
			*limit = deadTime
		}
	}
	if c := d.calls[folder]; c != nil {
		if c.late {
			return nil, false
		}
		return c, false
	}
	if len(d.calls) >= maxReading {
		return nil, false
	}
	if d.calls == nil {
		d.calls = map[string]*diskCall{}
	}
	c = &diskCall{done: make(chan struct{})}
	d.calls[folder] = c
	return c, true
}

// end wakes the callers that wait for a call.
func (d *disk) end(folder string, c *diskCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, folder)
	close(c.done)
}

// folderOf returns the folder of a file, or "" if the URI is not that of a file.
func folderOf(uri string) string {
	path, err := Path(uri)
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
}
