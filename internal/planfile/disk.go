package planfile

import (
	"path/filepath"
	"sync"
	"time"
)

// How long somebody waits for a disk: the agent's lines for one file, for files that are
// being written, and for any while a disk does not answer; and a goroutine that nobody
// waits for.
const (
	readTime   = 20 * time.Millisecond
	restTime   = 50 * time.Millisecond
	deadTime   = time.Millisecond
	patientFor = time.Second
)

// maxReading is how many folders may be waited for at a time.
const maxReading = 16

// A disk is asked for files by one goroutine for each folder, so that a dead mount keeps
// no more than that one, and nobody waits for it longer than he likes to. The zero disk is
// ready for use, by any number of goroutines.
type disk struct {
	mu    sync.Mutex
	calls map[string]*diskCall // those that go on, by folder
}

type diskCall struct {
	done chan struct{} // closed when it has ended
	late bool          // somebody has waited in vain
}

// inTime calls do, which may wait for the disk that a folder is on, and then what it
// returns, if it is in time: so that a late do changes nothing. It waits for the call for
// that folder that goes on, unless that one is late, and reports whether do was in time.
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

// begin returns the call for a folder, which is mine if none goes on; nil if there is
// nothing to wait for. Somebody who does not wait long waits less while a call is late.
func (d *disk) begin(folder string, limit *time.Duration) (c *diskCall, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.calls {
		if other.late && *limit < patientFor {
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

// end lets those go on who wait for the call.
func (d *disk) end(folder string, c *diskCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, folder)
	close(c.done)
}

// folderOf is the folder of a file, "" for what is no URI of one.
func folderOf(uri string) string {
	path, err := Path(uri)
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
}
