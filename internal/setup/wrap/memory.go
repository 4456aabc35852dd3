package wrap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"acpshim/internal/setup/editor"
	"acpshim/internal/system/outfile"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// A memory holds how an entry was wrapped. Only its user may read it, because an env may hold keys.
type memory struct {
	File, Editor, Entry string
	Added               bool // the entry was not there
	Created             bool // the file was not there
	Change              editor.Change
}

func (m memory) is(other memory) bool {
	return m.File == other.File && m.Editor == other.Editor && m.Entry == other.Entry
}

func (m Machine) memories() string { return filepath.Join(m.State, "wrapped.json") }

// lock keeps other processes from wrapping until unlock is called.
func (m Machine) lock() (unlock func(), err error) {
	if err := os.MkdirAll(m.State, 0o700); err != nil {
		return nil, fmt.Errorf("remembering the original entry: %w", err)
	}
	return lockedfile.MutexAt(filepath.Join(m.State, "wrapped.lock")).Lock()
}

// all returns all memories.
func (m Machine) all() ([]memory, error) {
	text, err := os.ReadFile(m.memories())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []memory
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s, which holds the original entries (to continue without them, remove it): %w", m.memories(), err)
	}
	return all, nil
}

// recall returns the memory of an entry, or nil.
func (m Machine) recall(s *settings, e editor.Editor, entry string) (*memory, error) {
	all, err := m.all()
	i := slices.IndexFunc(all, memory{File: s.target, Editor: e.Name, Entry: entry}.is)
	if err != nil || i < 0 {
		return nil, err
	}
	return &all[i], nil
}

// hasBackup reports whether the backup holds the settings as they were before acpshim. That is so
// while one of their entries is remembered.
func (m Machine) hasBackup(s *settings) (bool, error) {
	all, err := m.all()
	if _, missing := os.Stat(s.backup()); err != nil || missing != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(it memory) bool {
		e, err := find(it.Editor)
		if err != nil || it.File != s.target {
			return false
		}
		entry, err := s.Entry(e, it.Entry)
		return err == nil && entry != nil && entry.Wrapped()
	}), nil
}

// remember saves a memory and replaces an older one of the same entry.
func (m Machine) remember(it memory) error { return m.replace(it, it) }

// forget removes the memory of an entry.
func (m Machine) forget(it memory) error { return m.replace(it) }

func (m Machine) replace(it memory, by ...memory) error {
	all, err := m.all()
	if err != nil {
		return err
	}
	all = append(slices.DeleteFunc(all, it.is), by...)
	return outfile.Replace(m.memories(), 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(all) })
}
