package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"acpshim/translate"
	"acpshim/translate/entry"
)

// Options.ReadFile returns ErrLater if Adapter.FileRead will get the text later. ErrBusy wraps it,
// and says that the file is being written, so that the last text is outdated.
var (
	ErrLater = errors.New("the text comes later")
	ErrBusy  = fmt.Errorf("the file is being written: %w", ErrLater)
)

// A File is a live file plan, which the caller has to read.
type File struct {
	Session, URI string
	Roots        []string // the folders that may have the file
	Later        bool     // its text comes later
}

// Files returns the live file plans, for another goroutine: see [dispatch.Port.Do]. It reads the
// files and passes the texts to FileRead.
func (a *Adapter) Files() (files []File) {
	a.Do(func() { files = a.liveFiles() })
	return files
}

// liveFiles returns the plans of files that may change: those of sessions with a pending prompt,
// and those whose text comes later.
func (a *Adapter) liveFiles() []File {
	if a.filePlans == 0 {
		return nil
	}
	var files []File
	for _, s := range a.allSessions() {
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

// FileRead updates a file plan with the text of its file. It appends the lines for the client to
// dst, if the plan has changed. After an error the last text stays. Call it only while the agent's
// direction handles no line, and write the lines before the next one: see
// dispatch.Dispatcher.Make.
func (a *Adapter) FileRead(dst []byte, f File, text string, err error) []byte {
	defer a.reportFiles()
	s := a.applyRead(readResult{f, text, err}, true)
	switch {
	case s == nil:
		return dst
	case a.showAs() != AsPlan:
		// It is shown before the next question or at the end of the turn.
	case a.canGet(s):
		dst = a.showPlan(dst, s, s.envelope())
	default:
		a.holdChange(s)
	}
	if !a.c.Prompting(s.ID) {
		dst = a.releaseDocuments(dst, s, atFlush) // the turn has already ended
	}
	return dst
}

// A FileText is a text with which a file plan was updated.
type FileText struct {
	URI, Text string
	Noticed   bool // the file changed; otherwise it was read because the plan was due
	Busy      bool // there is no text yet
}

// A readResult is the result of reading a file plan.
type readResult struct {
	File
	text string
	err  error
}

// applyReads applies the results of reading before a request or response. Changed plans are held,
// and the caller releases them next.
func (a *Adapter) applyReads(results []readResult) {
	for _, r := range results {
		if s := a.applyRead(r, false); s != nil && a.showAs() == AsPlan {
			a.holdChange(s)
		}
	}
}

// applyRead applies the result of reading a file, and returns its session. It returns nil if the
// file is not live any more. IsStable is that of applyFile.
func (a *Adapter) applyRead(r readResult, isStable bool) (live *session) {
	s := a.find(r.Session)
	if s == nil {
		return nil
	}
	for _, f := range s.now.set.Files() {
		if f.URI != r.URI || !a.c.Prompting(s.ID) && !f.Later {
			continue
		}
		live = s
		in := slices.DeleteFunc(s.allPlans(), func(p *plans) bool { return p.set.File(f.ID, f.URI) == nil })
		a.applyFile(s, in, translate.Update{Kind: translate.File, ID: f.ID, URI: f.URI, Text: r.text, IsRead: true}, r.err, isStable)
	}
	return live
}

// applyFile applies the result of reading a file plan to in, which are plans of the session.
// IsStable says that the file has not changed for a while. Otherwise an empty file may have been
// truncated before a write, so the last text stays.
func (a *Adapter) applyFile(s *session, in []*plans, u translate.Update, err error, isStable bool) {
	errorReported, readReported := a.opts.Events.Unreadable == nil, a.opts.Events.FileRead == nil
	report := func(f FileText) {
		if !readReported {
			a.opts.Events.FileRead(f)
			readReported = true
		}
	}
	for _, p := range in {
		f := a.file(p, u)
		was := *f
		switch {
		case errors.Is(err, ErrLater):
			f.Later = !f.Read || errors.Is(err, ErrBusy)
			if f.Later {
				report(FileText{URI: u.URI, Busy: true})
			}
		case err != nil:
			if !f.Failed && !errorReported {
				a.opts.Events.Unreadable(s.ID, err)
				errorReported = true
			}
			f.Failed, f.Later = true, false
			if !f.Read {
				u.Text, u.Entries = "", []entry.Entry{translate.UnreadableFile(u.URI)}
				a.apply(p, u)
			}
		case u.Text != "" || !f.Read || isStable:
			f.Read, f.Failed, f.Later = u.Text != "", false, false
			a.apply(p, u)
			report(FileText{URI: u.URI, Text: u.Text, Noticed: isStable})
		}
		a.filesChanged = a.filesChanged || *f != was
	}
	a.plansChanged(s)
}

// file returns the state of a file plan, and adds it if it is not live.
func (a *Adapter) file(p *plans, u translate.Update) *translate.FilePlan {
	if p.set.File(u.ID, u.URI) == nil {
		a.apply(p, translate.Update{Kind: translate.File, ID: u.ID, URI: u.URI})
		a.filesChanged = true
	}
	return p.set.File(u.ID, u.URI)
}

func (s *session) awaitsFile() bool {
	return slices.ContainsFunc(s.current().set.Files(), func(f *translate.FilePlan) bool { return f.Later })
}

// readFile returns the text of a file plan from the session's folders.
func (a *Adapter) readFile(session, uri string) (text string, err error) {
	roots := a.c.RootsOf(a.c.Session(session))
	a.Await(func() { text, err = a.opts.ReadFile(uri, roots) })
	return text, err
}

// maxReading is how long a request or response waits for reading files. FileRead gets the others
// later.
const maxReading = 50 * time.Millisecond

// readFiles reads the live file plans of a session, or of all sessions if the id is "". Before a
// request, it reads only those whose text comes later.
func (a *Adapter) readFiles(id string, at moment) (results []readResult) {
	files := slices.DeleteFunc(a.liveFiles(), func(f File) bool {
		return id != "" && id != f.Session || at == atQuestion && !f.Later
	})
	if len(files) == 0 {
		return nil
	}
	a.Await(func() { results = a.readAll(files) })
	return results
}

// readAll reads files, while no adapter waits for it.
func (a *Adapter) readAll(files []File) (results []readResult) {
	if a.opts.AwaitWrites != nil {
		a.opts.AwaitWrites(files)
	}
	begun, late := time.Now(), false
	for _, file := range files {
		if late = late || time.Since(begun) > maxReading; late {
			results = append(results, readResult{file, "", ErrBusy})
			continue
		}
		text, err := a.opts.ReadFile(file.URI, file.Roots)
		if errors.Is(err, ErrLater) && !errors.Is(err, ErrBusy) {
			continue
		}
		results = append(results, readResult{file, text, err})
		late = errors.Is(err, context.DeadlineExceeded)
	}
	return results
}

// reportFiles calls FilesChanged if that is due.
func (a *Adapter) reportFiles() {
	if a.filesChanged && a.opts.FilesChanged != nil {
		a.opts.FilesChanged()
	}
	a.filesChanged = false
}
