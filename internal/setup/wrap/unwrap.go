package wrap

import (
	"bytes"
	"cmp"
	"fmt"

	"acpshim/internal/setup/editor"
)

// unwrapping decides how to unwrap an entry.
func (m Machine) unwrapping(e editor.Editor, o Options, s *settings) (step, error) {
	entry, err1 := s.Entry(e, o.Entry)
	other, err2 := s.Entry(e, o.Entry+twin)
	if err := cmp.Or(err1, err2); err != nil {
		return step{}, fmt.Errorf("%s: %w", s.name, err)
	}
	if other != nil && other.Wrapped() && (entry == nil || !entry.Wrapped()) {
		entry = other
	}
	switch {
	case entry == nil:
		return step{}, m.unknown(e, o, s, "")
	case !entry.Wrapped():
		return step{Result: Result{Did: fmt.Sprintf("%s: %q is not wrapped", s.name, entry.Name)}}, nil
	}
	was, err := m.recall(s, e, entry.Name)
	if err != nil {
		return step{}, err
	}
	if was == nil {
		was = &memory{File: s.target, Editor: e.Name, Entry: entry.Name}
	}
	do := step{memory: was, forget: true}
	if change, ok := s.Undo(e, entry.Name, was.Change); ok {
		do.change = &change
		do.Did = fmt.Sprintf("%s: restored %q", s.name, entry.Name)
		if was.Added {
			do.Did = fmt.Sprintf("%s: removed %q, which wrap had added", s.name, entry.Name)
		}
		return do, nil
	}
	return do, do.takeOff(s, entry)
}

// takeOff unwraps an entry that somebody changed after it was wrapped.
func (do *step) takeOff(s *settings, entry *editor.Entry) error {
	if do.memory.Added && bytes.Contains([]byte(do.memory.Change.New), s.Text(entry)) {
		change := s.Remove(entry)
		do.change, do.Did = &change, fmt.Sprintf("%s: removed %q, which wrap had added; the file has changed since", s.name, entry.Name)
		return nil
	}
	change, err := s.Document.Unwrap(entry)
	if err != nil {
		return fmt.Errorf("%s: entry %q: %w", s.name, entry.Name, err)
	}
	do.change = &change
	do.Did = fmt.Sprintf("%s: removed acpshim from %q; the rest of the original entry is not known", s.name, entry.Name)
	if do.memory.Added {
		do.Did = fmt.Sprintf("%s: removed acpshim from %q, which wrap had added; the entry stays, because it has changed since", s.name, entry.Name)
	}
	return nil
}
