package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acpshim/internal/adapters/files"
)

// Bounds on pending requests.
const (
	maxFolders = 8        // with requests
	maxWaiting = 64       // requests for a folder
	maxBytes   = 32 << 20 // of all texts to write
)

var (
	errBusy  = errors.New("too many requests for files are pending")
	errWhole = errors.New("the session's folder is a whole disk: open the session in a folder")
	errEnded = errors.New("the run has ended")
)

// A Disk is a [files.Disk] on this machine. One goroutine for each folder executes its requests in
// order, so that a dead mount blocks only its own folder. The zero value is ready for use, by any
// number of goroutines.
type Disk struct {
	mu      sync.Mutex
	folders map[string][]func() // pending requests; the first one is running
	bytes   int
	ended   bool
	working sync.WaitGroup
}

// Start implements files.Disk. It does not block.
func (d *Disk) Start(r files.Request, done func(text string, err error)) error {
	root := folderOf(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting, works := d.folders[root]
	switch {
	case d.ended:
		return errEnded
	case len(waiting) >= maxWaiting, !works && len(d.folders) >= maxFolders, d.bytes > 0 && d.bytes+len(r.Text) > maxBytes:
		return errBusy
	}
	if d.folders == nil {
		d.folders = map[string][]func(){}
	}
	d.bytes += len(r.Text)
	d.folders[root] = append(waiting, func() {
		text, err := do(r)
		done(text, err)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.bytes -= len(r.Text)
	})
	if !works {
		d.working.Go(func() { d.work(root) })
	}
	return nil
}

// work executes the requests for a folder.
func (d *Disk) work(root string) {
	for next := d.next(root, false); next != nil; next = d.next(root, true) {
		next()
	}
}

// next returns the first request for a folder. With done, it first removes the one before.
func (d *Disk) next(root string, done bool) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if done {
		d.folders[root] = d.folders[root][1:]
	}
	if len(d.folders[root]) == 0 {
		delete(d.folders, root)
		return nil
	}
	return d.folders[root][0]
}

// Close waits until pending requests are done, at most for limit. Start fails from now on.
func (d *Disk) Close(limit time.Duration) {
	d.mu.Lock()
	d.ended = true
	d.mu.Unlock()
	all := make(chan struct{})
	go func() {
		d.working.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(limit):
	}
}

// folderOf returns the folder of a request that has the path, or else the first one.
func folderOf(r files.Request) string {
	for _, root := range r.Folders {
		if Holds([]string{root}, r.Path) {
			return root
		}
	}
	return strings.Join(r.Folders[:min(1, len(r.Folders))], "")
}

// do executes a request.
func do(r files.Request) (text string, err error) {
	roots := slices.DeleteFunc(slices.Clone(r.Folders), isWhole)
	if len(roots) == 0 {
		return "", errWhole
	}
	err = Within(roots, r.Path, func(dir *os.Root, name string) error {
		if r.IsWrite {
			return write(dir, name, r.Text)
		}
		text, err = read(dir, name, r)
		return err
	})
	if err == ErrOutside || leadsOut(err) {
		err = files.ErrOutside
	}
	return text, err
}

// isWhole reports whether a folder is the root of a disk or a share, which would be no limit.
func isWhole(root string) bool {
	real := resolved(root)
	return filepath.Dir(real) == real
}

// leadsOut reports whether os.Root failed because a link leads out.
func leadsOut(err error) bool { return err != nil && err.Error() == "path escapes from parent" }
