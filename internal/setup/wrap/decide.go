package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"

	"acpshim/internal/setup/editor"
)

// wrapping decides how to wrap an entry.
func (m Machine) wrapping(e editor.Editor, o Options, s *settings) (step, error) {
	entry, err := s.Entry(e, o.Entry)
	if err == nil && entry != nil && entry.Command == nil && entry.Problem == "" {
		var other *editor.Entry
		if other, err = s.Entry(e, o.Entry+twin); err == nil && other == nil {
			return m.adding(e, o, s, entry)
		}
		entry, o.Entry = other, o.Entry+twin
	}
	switch {
	case err != nil:
		return step{}, fmt.Errorf("%s: %w", s.name, err)
	case entry == nil:
		return m.adding(e, o, s, nil)
	case entry.Problem != "" && (m.isGone(entry) || (o.Record || o.NoRecord) && entry.CanRecord()):
		o.Command = nil
		return m.rewrapping(e, o, s, entry)
	case entry.Problem != "":
		return step{}, fmt.Errorf("%s: entry %q: %s", s.name, entry.Name, entry.Problem)
	case o.Command != nil && !runs(e, entry, o.Command):
		return step{}, fmt.Errorf("%s: the entry %q exists and has another command: leave out the command, or choose another name", s.name, entry.Name)
	case entry.Wrapped():
		return m.rewrapping(e, o, s, entry)
	}
	p, err := resolve(e, entry.Command[0], entry.Path, false)
	if err != nil {
		return step{}, err
	}
	change, err := s.Wrap(e, entry, m.shim(o, p), p.path)
	if err != nil {
		return step{}, fmt.Errorf("%s: %w", s.name, err)
	}
	return step{
		Result: Result{Did: fmt.Sprintf("%s: %q now starts through acpshim", s.name, entry.Name), Notes: p.notes},
		change: &change,
		memory: &memory{File: s.target, Editor: e.Name, Entry: entry.Name, Change: change},
	}, nil
}

// rewrapping decides how to update a wrapped entry, which holds acpshim's path and perhaps a PATH.
// It wraps the original entry again. If the original is not known, or if somebody changed the entry
// since, only --record and the path of an acpshim that does not exist change.
func (m Machine) rewrapping(e editor.Editor, o Options, s *settings, entry *editor.Entry) (step, error) {
	record, gone := (entry.Recording || o.Record) && !o.NoRecord, m.isGone(entry)
	was, err := m.recall(s, e, entry.Name)
	if err != nil {
		return step{}, err
	}
	var do step
	switch {
	case record != entry.Recording || gone:
		do = m.mending(e, s, entry, was, record)
	default:
		do = m.again(e, o, s, entry, was)
	}
	program := entry.Shim()
	switch {
	case do.change == nil && record && o.Record:
		do.Did = fmt.Sprintf("%s: acpshim already records the messages of %q", s.name, entry.Name)
	case do.change == nil && o.NoRecord:
		do.Did = fmt.Sprintf("%s: acpshim does not record the messages of %q", s.name, entry.Name)
	case do.change == nil:
		do.Did = fmt.Sprintf("%s: %q is already wrapped: %s", s.name, entry.Name, editor.Line(entry.Command))
	case gone:
		do.Did = fmt.Sprintf("%s: %q started %s, which does not exist, and now starts %s", s.name, entry.Name, program, m.Shim)
	case record && !entry.Recording:
		do.Did = fmt.Sprintf("%s: acpshim now records the messages of %q", s.name, entry.Name)
	case !record && entry.Recording:
		do.Did = fmt.Sprintf("%s: acpshim no longer records the messages of %q", s.name, entry.Name)
	default:
		do.Did = fmt.Sprintf("%s: %q was already wrapped and is now up to date", s.name, entry.Name)
	}
	return do, nil
}

// again wraps the original entry again. The step has no change if there is nothing to update.
func (m Machine) again(e editor.Editor, o Options, s *settings, entry *editor.Entry, was *memory) step {
	if was == nil || was.Added {
		return step{}
	}
	undo, ok := s.Undo(e, entry.Name, was.Change)
	if !ok {
		return step{}
	}
	before, err := editor.Parse(undo.Apply(s.text))
	if err != nil {
		return step{}
	}
	old, err := before.Entry(e, entry.Name)
	if err != nil || old == nil || len(old.Command) == 0 {
		return step{}
	}
	p, err := resolve(e, old.Command[0], old.Path, false)
	if err != nil || !isWhole(p.path, old.Path) {
		return step{} // the path in the entry may come from another PATH
	}
	o.Record = entry.Recording
	anew, err := before.Wrap(e, old, m.shim(o, p), p.path)
	if err != nil {
		return step{}
	}
	text := anew.Apply(undo.Apply(s.text))
	if bytes.Equal(text, s.text) {
		return step{}
	}
	was.Change = anew
	return step{Result: Result{Notes: p.notes}, change: &editor.Change{Old: s.text, New: text}, memory: was}
}

// runs reports whether an entry starts its agent with this command.
func runs(e editor.Editor, entry *editor.Entry, command []string) bool {
	is := entry.Command
	if entry.Wrapped() {
		is = entry.Agent
	}
	p, err := resolve(e, command[0], entry.Path, true)
	if err != nil || len(is) == 0 || is[0] != p.path && is[0] != command[0] {
		return false
	}
	absolute, _ := AbsoluteFiles(command)
	return slices.Equal(is[1:], command[1:]) || slices.Equal(is[1:], absolute[1:])
}

// isGone reports whether the acpshim that an entry starts does not exist, as far as this machine
// can tell.
func (m Machine) isGone(entry *editor.Entry) bool {
	_, err := lookUp(entry.Shim(), entry.Path, false)
	return entry.Shim() != "" && entry.Shim() != m.Shim && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist))
}

// mending decides how to change the words of acpshim in a wrapped entry. The memory of the original
// entry stays, unless somebody changed the entry since.
func (m Machine) mending(e editor.Editor, s *settings, entry *editor.Entry, was *memory, record bool) step {
	program := entry.Shim()
	if m.isGone(entry) {
		program = m.Shim
	}
	change := s.Rewrap(entry, program, record)
	do := step{change: &change}
	if was == nil {
		return do
	}
	if _, ok := s.Undo(e, entry.Name, was.Change); ok {
		at := was.Change.Entry
		was.Change.New = slices.Concat(was.Change.New[:at], change.New, was.Change.New[at+len(change.Old):])
		do.memory = was
	}
	return do
}

// adding decides how to add an entry: a new one, or the twin of one whose agent the editor
// installs.
func (m Machine) adding(e editor.Editor, o Options, s *settings, of *editor.Entry) (step, error) {
	command, notes, err := o.command(o.Entry)
	switch {
	case err != nil:
		return step{}, err
	case o.Entry == "":
		return step{}, fmt.Errorf("%s: the entry needs a name", s.name)
	case command == nil && of != nil:
		return step{}, fmt.Errorf("%s: the editor installs the agent of %q, so acpshim does not know its command: add it after --", s.name, of.Name)
	case command == nil:
		return step{}, m.unknown(e, o, s, addition(e, o.Entry))
	}
	path := ""
	if of != nil {
		path = of.Path
	}
	p, err := o.resolve(e, command[0], path)
	if err != nil {
		return step{}, err
	}
	command = append([]string{p.path}, command[1:]...)
	do := step{Result: Result{Notes: append(p.notes, notes...)}}
	var change editor.Change
	if of == nil {
		change, err = s.Add(e, m.System, o.Entry, m.shim(o, p), command)
		do.Did = fmt.Sprintf("%s: added the entry %q", s.name, o.Entry)
	} else {
		o.Entry += twin
		change, err = s.Twin(e, of, o.Entry, m.shim(o, p), command)
		do.Did = fmt.Sprintf("%s: the editor installs the agent of %q, so that entry stays; choose the new entry %q in the editor",
			s.name, of.Name, o.Entry)
	}
	if err != nil {
		return step{}, fmt.Errorf("%s: %w", s.name, err)
	}
	do.change = &change
	do.memory = &memory{File: s.target, Editor: e.Name, Entry: o.Entry, Added: true, Created: s.missing, Change: change}
	return do, nil
}

// addition returns the command line that adds an entry.
func addition(e editor.Editor, name string) string {
	return fmt.Sprintf("acpshim wrap %s %s -- COMMAND", e.Name, editor.Line([]string{name}))
}

// unknown returns the error for an entry that does not exist. Add is the command line that adds it,
// or "".
func (m Machine) unknown(e editor.Editor, o Options, s *settings, add string) error {
	unknown := &Unknown{What: "entry", Name: o.Entry, Where: s.name, Add: add}
	entries, err := s.Entries(e)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	for _, entry := range entries {
		unknown.Names = append(unknown.Names, entry.Name)
	}
	return unknown
}
