package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acpshim/translate/files"
)

// Bounds on requests that are not done yet.
const (
	maxFolders = 8        // that are read and written at a time
	maxWaiting = 64       // for each of them
	maxBytes   = 32 << 20 // of texts to write, for all
)

var (
	errBusy  = errors.New("too many requests for files are pending")
	errWhole = errors.New("the session's folder is a whole disk: open the session in a folder")
	errEnded = errors.New("the run has ended")
)

// A Disk is a [files.Disk] on this machine. What a session asks of a folder is done in that order,
// by one goroutine for each folder, so that a dead mount keeps no more than that one. The zero Disk
// is ready for use, by any number of goroutines.
type Disk struct {
	mu      sync.Mutex
	folders map[string][]func() // what is to be done in each; the first one goes on
	bytes   int
	ended   bool
	working sync.WaitGroup
}

// Start implements files.Disk. It waits for nothing.
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

// work does what is to be done in a folder.
func (d *Disk) work(root string) {
	for next := d.next(root, false); next != nil; next = d.next(root, true) {
		next()
	}
}

// next returns what is to be done in a folder, behind the first one if that is done.
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

// Close waits for what is under way, for no longer than limit. Nothing begins afterwards.
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

// folderOf is the folder of a request that holds its file, going by its name, or else the first.
func folderOf(r files.Request) string {
	for _, root := range r.Folders {
		if Holds([]string{root}, r.Path) {
			return root
		}
	}
	return strings.Join(r.Folders[:min(1, len(r.Folders))], "")
}

// do does what a request asks for.
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

// isWhole reports whether a folder is the root of a disk or a share: it is no bound.
func isWhole(root string) bool {
	real := resolved(root)
	return filepath.Dir(real) == real
}

// leadsOut reports whether an error of os.Root is that of a link that leads out.
func leadsOut(err error) bool { return err != nil && err.Error() == "path escapes from parent" }
