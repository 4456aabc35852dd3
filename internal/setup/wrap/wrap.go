package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"acpshim/internal/setup/editor"

	"github.com/rogpeppe/go-internal/diff"
)

// twin is the suffix of the name of an entry that starts another entry's agent through acpshim.
const twin = " (acpshim)"

// Options say which entry to wrap, and how. Only Editor and Entry are required, or List.
type Options struct {
	Editor, Entry string
	Command       []string // of a new entry, or of one whose agent the editor fetches
	File          string   // instead of the editor's own settings
	Record        bool     // record all messages
	NoRecord      bool     // no longer record them
	DryRun        bool     // write nothing
	List          bool     // only list the entries of Editor, or of all if it is ""
	// Lookup returns the command of an agent from a registry, for an entry that is new or has no
	// command. It may be nil.
	Lookup func(id string) (command []string, ok bool)
}

// A Result describes what was done, for people.
type Result struct {
	Did   string   // what was done, in a sentence; may be ""
	Text  []byte   // a diff of what would be done, or a snippet of code
	Notes []string // what to know besides
}

// Lines returns the lines to print.
func (r Result) Lines() []string {
	if r.Did == "" {
		return r.Notes
	}
	return append([]string{r.Did}, r.Notes...)
}

// A step describes a change of settings. Without a change it only has a result.
type step struct {
	Result
	change *editor.Change
	memory *memory // to remember, or with forget to delete; may be nil
	forget bool
}

// Wrap makes an entry start acpshim. It updates an entry that is already wrapped, unless somebody
// changed it since. It returns an [Unknown] for an unknown name.
func (m Machine) Wrap(o Options) (Result, error) {
	if o.List {
		if o.File != "" || o.Record || o.NoRecord || o.DryRun {
			return Result{}, errors.New("--list cannot be combined with other flags")
		}
		return m.list(o.Editor)
	}
	e, err := find(o.Editor)
	switch {
	case err != nil:
		return Result{}, err
	case m.Shim == "":
		return Result{}, errNoShim
	}
	if e.InCode() {
		return m.snippet(e, o)
	}
	return m.change(e, o, m.wrapping)
}

// Unwrap undoes Wrap: it restores an entry byte for byte or, if somebody changed it since, removes
// acpshim from its command. It removes an entry that Wrap added, unless somebody changed it since.
// It leaves an entry that is not wrapped.
func (m Machine) Unwrap(o Options) (Result, error) {
	e, err := find(o.Editor)
	if err != nil {
		return Result{}, err
	}
	if e.InCode() {
		return Result{}, fmt.Errorf("%s is configured in code: remove there what wrap printed", e.Title)
	}
	return m.change(e, o, m.unwrapping)
}

// snippet returns the result for an editor that is configured in code.
func (m Machine) snippet(e editor.Editor, o Options) (Result, error) {
	command, notes, err := o.command(o.Entry)
	if err != nil {
		return Result{}, err
	}
	if command == nil {
		return Result{}, fmt.Errorf("%s has no settings that acpshim reads, so the command of %q is not known: run %q",
			e.Title, o.Entry, addition(e, o.Entry))
	}
	p, err := o.resolve(e, command[0], "")
	if err != nil {
		return Result{}, err
	}
	words := append(m.shim(o, p).Words(), append([]string{p.path}, command[1:]...)...)
	return Result{Text: []byte(e.Snippet(o.Entry, words)), Notes: append(p.notes, notes...)}, nil
}

func (m Machine) shim(o Options, p program) editor.Shim {
	return editor.Shim{Program: m.Shim, Record: o.Record, Path: p.search}
}

// command returns the given command with absolute files, or the registry's command, or nil.
// JetBrains puts acp.registry. before ids.
func (o Options) command(id string) (command, notes []string, err error) {
	command, notes = AbsoluteFiles(o.Command)
	if command == nil && o.Lookup != nil {
		if found, ok := o.Lookup(strings.TrimPrefix(id, "acp.registry.")); ok {
			command = found
		}
	}
	for _, word := range append(command, o.Entry) {
		if !utf8.ValidString(word) {
			return nil, nil, fmt.Errorf("%q is not valid UTF-8, which settings need", word)
		}
	}
	return command, notes, nil
}

// change reads settings, decides and writes. It starts again if another program wrote in between.
func (m Machine) change(e editor.Editor, o Options, decide func(editor.Editor, Options, *settings) (step, error)) (Result, error) {
	file, err := m.file(e, o.File)
	if err != nil {
		return Result{}, err
	}
	if !o.DryRun {
		unlock, err := m.lock()
		if err != nil {
			return Result{}, err
		}
		defer unlock()
	}
	for range 10 {
		var s *settings
		if s, err = read(file); err != nil {
			return Result{}, err
		}
		var do step
		if do, err = decide(e, o, s); err != nil {
			return Result{}, err
		}
		if do.change == nil {
			return do.Result, nil
		}
		if o.DryRun {
			return do.dry(s), s.check()
		}
		var backup string
		if backup, err = m.write(do, s); err == nil {
			if backup != "" && !do.forget {
				do.Notes = append(do.Notes, "the original file is in "+backup)
			}
			if do.forget {
				do.noteBackup(s)
			} else {
				do.Notes = append(do.Notes, "start the agent again in "+e.Title+", so that it runs through acpshim")
			}
			if e.Advice != "" {
				do.Notes = append(do.Notes, e.Advice)
			}
			return do.Result, nil
		}
		if !errors.Is(err, errChanged) {
			break
		}
	}
	return Result{}, err
}

// noteBackup notes where the backup is, if there is one.
func (do *step) noteBackup(s *settings) {
	if _, err := os.Stat(s.backup()); err == nil {
		do.Notes = append(do.Notes, "the backup "+s.backup()+" is kept")
	}
}

// dry returns the result of a dry run.
func (do step) dry(s *settings) Result {
	lines := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
	do.Text = diff.Diff(s.name, lines(s.text), s.name, lines(do.change.Apply(s.text)))
	_, do.Text, _ = bytes.Cut(do.Text, []byte("\n")) // the line with "diff"
	do.Did = "dry run, nothing was written: " + do.Did
	return do.Result
}

// write makes the change and returns the path of the backup, or "". It saves the memory before the
// change, and deletes it after the change is undone: a memory without its change does no harm.
//
// The backup stays while an entry is wrapped. The first change after that writes a new one.
func (m Machine) write(do step, s *settings) (backup string, err error) {
	hasBackup, err := m.hasBackup(s)
	if err != nil {
		return "", err
	}
	if do.memory != nil && !do.forget {
		if err := m.remember(*do.memory); err != nil {
			return "", err
		}
	}
	text := do.change.Apply(s.text)
	if do.forget && do.memory.Created && len(text) == 0 {
		err = s.remove()
	} else {
		backup, err = s.replace(text, !hasBackup)
	}
	if err == nil && do.forget {
		err = m.forget(*do.memory)
	}
	return backup, err
}
