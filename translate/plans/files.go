package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// ErrLater is returned by Options.ReadFile if the text will be given to Adapter.FileRead. ErrBusy,
// which wraps it, says that the file is being written, so that the text shown so far is old.
var (
	ErrLater = errors.New("the text comes later")
	ErrBusy  = fmt.Errorf("the file is being written: %w", ErrLater)
)

// A File is a file plan that is to be shown as its file is now.
type File struct {
	Session, URI string
	Roots        []string // the folders that it may be in
	Later        bool     // a text of it is still to come
}

// Files returns the file plans that are live: those of sessions with a pending prompt, and those of
// which a text is still to come. What is read of them is given to FileRead. It may be called from
// any goroutine that does not hold the conversation's lock.
func (a *Adapter) Files() []File {
	a.c.Lock()
	defer a.c.Unlock()
	if a.filed == 0 {
		return nil
	}
	var files []File
	for _, s := range a.all() {
		if s.files == 0 || !a.c.Ready(s.Session) {
			continue
		}
		first, roots := len(files), a.c.RootsOf(s.Session)
		for _, p := range s.now.set.Files() {
			if i := slices.IndexFunc(files[first:], func(f File) bool { return f.URI == p.URI }); i >= 0 {
				files[first+i].Later = files[first+i].Later || p.Later
			} else if p.Later || a.c.Prompting(s.ID) {
				files = append(files, File{s.ID, p.URI, roots, p.Later})
			}
		}
	}
	return files
}

// FileRead takes in what was read of a live file, and appends to dst the lines to the client that
// show it, if it changes what is shown. After an error the last text stays. It may be called from
// any goroutine while the agent's direction handles no line, and the lines are written before that
// handles the next: see proxy.Injector.
func (a *Adapter) FileRead(dst []byte, f File, text string, err error) []byte {
	defer a.lock()()
	s := a.takeReading(reading{f, text, err}, true)
	switch {
	case s == nil:
		return dst
	case a.showAs() != AsPlan:
		// It is shown when the reader is needed.
	case a.c.Ready(s.Session) && !a.isQuiet(s):
		dst = a.show(dst, s, s.envelope())
	default:
		a.showLater(s)
	}
	if !a.c.Prompting(s.ID) {
		dst = a.showDocuments(dst, s, atFlush) // it comes too late for the end of the turn
	}
	return dst
}

// A FileText is the text of a file plan as it was taken in.
type FileText struct {
	URI, Text string
	Noticed   bool // because the file changed, not because the plan was to be shown
	Busy      bool // there is no text yet
}

// A reading is what was read of a file.
type reading struct {
	File
	text string
	err  error
}

// takeReadings takes in what was read before a request or response. What it changes waits for
// release, which the caller calls next. The lock is held.
func (a *Adapter) takeReadings(readings []reading) {
	for _, r := range readings {
		if s := a.takeReading(r, false); s != nil && a.showAs() == AsPlan {
			a.showLater(s)
		}
	}
}

// takeReading takes in what was read of a file, and returns its session; nil if the file is live no
// longer. Settled is as of takeFile. The lock is held.
func (a *Adapter) takeReading(r reading, settled bool) (live *session) {
	s := a.use(r.Session)
	if s == nil {
		return nil
	}
	for _, f := range s.now.set.Files() {
		if f.URI != r.URI || !a.c.Prompting(s.ID) && !f.Later {
			continue
		}
		live = s
		in := slices.DeleteFunc(s.all(), func(p *plans) bool { return p.set.File(f.ID, f.URI) == nil })
		a.takeFile(s, in, translate.Update{Kind: translate.File, ID: f.ID, URI: f.URI, Text: r.text, IsRead: true}, r.err, settled)
	}
	return live
}

// applyTo takes an update into some of a session's plans.
func (a *Adapter) applyTo(p *plans, u translate.Update) {
	if p.set.Apply(u) {
		a.c.Evict(fmt.Sprintf("a plan: at most %d of a session are kept", translate.MaxPlans))
	}
	if p.set.HasOwn() || u.ClearsTodos() {
		p.todos = todo.Todos{}
	}
}

// applied notes what follows from an update.
func (a *Adapter) applied(s *session) {
	a.notePending(s)
	if !s.isLarge() {
		a.flawed(s)
	}
	a.weigh(s)
}

// takeFile applies what was read of a file plan to in, some of the session's plans. Settled says
// that the file has not changed for a while. If it may have, and is empty where it had text, it was
// truncated to be written anew, and its plan stays as it is.
func (a *Adapter) takeFile(s *session, in []*plans, u translate.Update, err error, settled bool) {
	reported, told := a.opts.Events.Unreadable == nil, a.opts.Events.FileRead == nil
	tell := func(f FileText) {
		if !told {
			a.opts.Events.FileRead(f)
			told = true
		}
	}
	for _, p := range in {
		f := a.file(p, u)
		was := *f
		switch {
		case errors.Is(err, ErrLater):
			f.Later = !f.Read || errors.Is(err, ErrBusy)
			if f.Later {
				tell(FileText{URI: u.URI, Busy: true})
			}
		case err != nil:
			if !f.Failed && !reported {
				a.opts.Events.Unreadable(s.ID, err)
				reported = true
			}
			f.Failed, f.Later = true, false
			if !f.Read {
				u.Text, u.Entries = "", []entry.Entry{translate.UnreadableFile(u.URI)}
				a.applyTo(p, u)
			}
		case u.Text != "" || !f.Read || settled:
			f.Read, f.Failed, f.Later = u.Text != "", false, false
			a.applyTo(p, u)
			tell(FileText{URI: u.URI, Text: u.Text, Noticed: settled})
		}
		a.changed = a.changed || *f != was
	}
	a.applied(s)
}

// file returns what is known of a file plan, which is added if it is not live.
func (a *Adapter) file(p *plans, u translate.Update) *translate.FilePlan {
	if p.set.File(u.ID, u.URI) == nil {
		a.applyTo(p, translate.Update{Kind: translate.File, ID: u.ID, URI: u.URI})
		a.changed = true
	}
	return p.set.File(u.ID, u.URI)
}

// awaitsFile reports whether a text of a file plan is still to come.
func (s *session) awaitsFile() bool {
	return slices.ContainsFunc(s.current().set.Files(), func(f *translate.FilePlan) bool { return f.Later })
}

// read returns the text of a file plan, in the session's folders. The lock is not held.
func (a *Adapter) read(session, uri string) (string, error) {
	unlock := a.lock()
	roots := a.c.RootsOf(a.c.Session(session))
	unlock()
	return a.opts.ReadFile(uri, roots)
}

// maxReading is how long a request or response waits for files to be read. Those that are not read
// by then are given to FileRead later.
const maxReading = 50 * time.Millisecond

// readFiles reads the file plans of a session, of all if its id is "", that are shown before the
// response that is handled; before a request only those of which a text is still to come.
func (a *Adapter) readFiles(id string, at moment) (readings []reading) {
	files := slices.DeleteFunc(a.Files(), func(f File) bool {
		return id != "" && id != f.Session || at == atQuestion && !f.Later
	})
	if len(files) == 0 {
		return nil
	}
	if a.opts.AwaitWrites != nil {
		a.opts.AwaitWrites(files)
	}
	begun, late := time.Now(), false
	for _, file := range files {
		if late = late || time.Since(begun) > maxReading; late {
			readings = append(readings, reading{file, "", ErrBusy}) // the line waits
			continue
		}
		text, err := a.opts.ReadFile(file.URI, file.Roots)
		if errors.Is(err, ErrLater) && !errors.Is(err, ErrBusy) {
			continue
		}
		readings = append(readings, reading{file, text, err})
		late = errors.Is(err, context.DeadlineExceeded)
	}
	return readings
}
