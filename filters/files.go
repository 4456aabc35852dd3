package filters

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"acpshim/translate"
)

// ErrLater is what reading a file returns if its text comes by FileRead, and ErrBusy,
// which is an ErrLater, if the file is being written: what was read of it is old.
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

// file is what is known of a file plan.
type file struct {
	read   bool // a text of it that is not empty is on the board
	failed bool // that it cannot be read was reported
	later  bool // a text of it is still to come: its first, or one that was being written
}

// Files returns the file plans that are live: those of sessions with a prompt
// that is not answered, and those of which a text is still to come. What is
// read of them goes to FileRead. It may be called from any goroutine.
func (c *Conversation) Files() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.filed == 0 {
		return nil
	}
	var files []File
	for _, s := range c.kept.sessions.Values() {
		if len(s.files) == 0 || !c.ready(s) {
			continue
		}
		first, roots := len(files), c.rootsOf(s)
		for _, p := range s.board.Files() {
			later := s.files[p].later
			if i := slices.IndexFunc(files[first:], func(f File) bool { return f.URI == p.URI }); i >= 0 {
				files[first+i].Later = files[first+i].Later || later
			} else if later || c.prompting(s.id) {
				files = append(files, File{s.id, p.URI, roots, later})
			}
		}
	}
	return files
}

// prompting reports whether the session has a prompt that is not answered. One
// that names its session too late to be seen may be any session's.
func (c *Conversation) prompting(session string) bool {
	return c.prompts[session] > 0 || c.prompts[""] > 0
}

// FileRead takes what was read of a live file, and appends to dst the lines
// that show it, if it changes what is shown. An error leaves the last text on
// show. The caller writes the lines before anything that it lets FromAgent
// see later. It is for any goroutine that is not one of the two ends'.
func (c *Conversation) FileRead(dst []byte, f File, text string, err error) []byte {
	defer c.lock()()
	return c.fileRead(dst, reading{f, text, err}, true)
}

// A reading is what was read of a file.
type reading struct {
	File
	text string
	err  error
}

func (c *Conversation) fileRead(dst []byte, r reading, settled bool) []byte {
	s, ok := c.kept.sessions.Peek(r.Session)
	if !ok {
		return dst
	}
	prompting, live := c.prompting(s.id), false
	for _, p := range s.board.Files() {
		if p.URI == r.URI && (prompting || s.files[p].later) {
			live = true
			c.applyFile(s, translate.Update{Kind: translate.File, ID: p.ID, URI: p.URI, Text: r.text}, r.err, settled)
		}
	}
	switch {
	case !live:
		return dst
	case c.showAs() != AsPlan:
		// It is told when the reader is needed.
	case c.ready(s):
		dst = c.show(dst, s, s.envelope())
	case s.held == nil:
		c.hold(s, s.envelope())
	}
	if !prompting {
		dst = c.tell(dst, s, atEnd) // it comes too late for the end of the turn
	}
	return dst
}

// apply takes an update into the session's plans.
func (c *Conversation) apply(s *session, u translate.Update) {
	for _, p := range s.all() {
		c.applyTo(p, u)
	}
	c.applied(s)
}

func (c *Conversation) applyTo(p *plans, u translate.Update) {
	p.board.Apply(u)
	if p.board.HasOwn() || u.ClearsTodos() {
		p.todos = translate.Todos{}
	}
	c.changed = p.forgetFiles() || c.changed
}

// applied notes what follows from an update.
func (c *Conversation) applied(s *session) {
	c.weigh(s)
	c.oweWhat(s)
	if !s.isLarge() {
		c.flawed(s)
	}
}

// applyFile takes what was read of a file plan into the session's plans. A text
// that is not settled and empty where there was one is taken for that of a file
// that was truncated to be written.
func (c *Conversation) applyFile(s *session, u translate.Update, err error, settled bool) {
	told := false // that the file cannot be read
	for _, p := range s.all() {
		told = c.applyFileTo(p, s.id, u, err, settled, told)
	}
	c.applied(s)
}

func (c *Conversation) applyFileTo(s *plans, session string, u translate.Update, err error, settled, told bool) bool {
	p := translate.FilePlan{ID: u.ID, URI: u.URI}
	f, known := s.files[p]
	put := true
	switch {
	case errors.Is(err, ErrLater):
		put, f.later = !known, !f.read || errors.Is(err, ErrBusy)
		u.Text = ""
	case err != nil:
		if !f.failed && !told && c.opts.Events.Unreadable != nil {
			c.opts.Events.Unreadable(session, err)
			told = true
		}
		put, f.failed, f.later = !f.read, true, false
		u.Text, u.Entries = "", []translate.Entry{translate.Unread(u.URI)}
	case u.Text == "" && f.read && !settled:
		put = false
	default:
		f = file{read: u.Text != ""}
	}
	if s.files == nil {
		s.files = map[translate.FilePlan]file{}
	}
	c.changed = c.changed || !known || s.files[p] != f
	s.files[p] = f
	if put {
		c.applyTo(s, u)
	}
	return told
}

// awaitsFile reports whether a text of a file plan is still to come.
func (s *session) awaitsFile() bool {
	for _, f := range s.files {
		if f.later {
			return true
		}
	}
	return false
}

// read returns the text of a file plan.
func (f *FromAgent) read(session, uri string) (string, error) {
	c := f.c
	if c.opts.ReadFile == nil {
		return "", errors.New("reading files is off")
	}
	c.mu.Lock()
	roots := c.rootsOf(c.session(session))
	c.mu.Unlock()
	return c.opts.ReadFile(uri, roots)
}

// readAgain reads the file plans of the session whose prompt an answer ends.
func (f *FromAgent) readAgain(id string) []reading {
	c := f.c
	c.mu.Lock()
	r, _ := c.kept.request(id)
	c.mu.Unlock()
	if r.method != "session/prompt" {
		return nil
	}
	files := slices.DeleteFunc(c.Files(), func(file File) bool { return r.session != "" && r.session != file.Session })
	return f.readAll(files)
}

// readLater reads the file plans of a session, or of all if that is "", of which a text
// is still to come.
func (f *FromAgent) readLater(session string) []reading {
	return f.readAll(slices.DeleteFunc(f.c.Files(), func(file File) bool { return !file.Later || session != "" && session != file.Session }))
}

// readAll reads files for a reader who is to look at them now.
func (f *FromAgent) readAll(files []File) (readings []reading) {
	c := f.c
	if len(files) == 0 || c.opts.ReadFile == nil {
		return nil
	}
	if c.opts.Rest != nil {
		c.opts.Rest(files)
	}
	for _, file := range files {
		text, err := c.opts.ReadFile(file.URI, file.Roots)
		if errors.Is(err, ErrLater) && !errors.Is(err, ErrBusy) {
			continue
		}
		readings = append(readings, reading{file, text, err})
		if errors.Is(err, context.DeadlineExceeded) {
			break // the line waits
		}
	}
	return readings
}
