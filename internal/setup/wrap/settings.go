package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"acpshim/internal/setup/editor"
	"acpshim/internal/system/outfile"
)

// A settings holds an editor's file of settings, as it was read.
type settings struct {
	name    string // as the editor knows it
	target  string // the file that it leads to
	mode    fs.FileMode
	info    fs.FileInfo // nil if it is missing
	text    []byte
	missing bool
	*editor.Document
}

var errChanged = errors.New("another program changed the file at the same time")

// read reads settings. A missing file counts as an empty one.
func read(name string) (*settings, error) {
	s := &settings{name: name, mode: 0o600}
	text, info, err := load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return nil, fmt.Errorf("%s is a link to a missing file", name)
		}
		s.missing, s.target = true, name
		if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			s.target = filepath.Join(dir, filepath.Base(name))
		}
	case err != nil:
		return nil, err
	default:
		s.mode, s.info, s.text = info.Mode().Perm(), info, text
		if s.target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	if s.Document, err = editor.Parse(s.text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// load reads a file of settings. It refuses large files and anything that is not a regular file: a
// pipe would block.
func load(name string) (text []byte, info fs.FileInfo, err error) {
	switch info, err = os.Stat(name); {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > editor.MaxSize:
		return nil, nil, fmt.Errorf("%s is larger than %d MiB", name, editor.MaxSize>>20)
	}
	text, err = os.ReadFile(name)
	return text, info, err
}

// check returns an error if the file must not be replaced.
func (s *settings) check() error {
	if s.mode&0o200 == 0 {
		return fmt.Errorf("%s is read-only: make it writable, or if a program such as home-manager writes it, change that program's source", s.target)
	}
	return nil
}

// backup returns the path of the copy of the original settings.
func (s *settings) backup() string { return s.target + ".acpshim-backup" }

// replace writes a text over the settings. It returns the path of the backup, or "" if there is
// none. It returns errChanged if the file changed since it was read.
func (s *settings) replace(text []byte, keeps bool) (backup string, err error) {
	if err := s.check(); err != nil {
		return "", err
	}
	if s.missing {
		err = os.MkdirAll(filepath.Dir(s.target), 0o700)
	} else if keeps {
		backup = s.backup()
		err = outfile.Replace(backup, s.mode, s.write(s.text))
	}
	if err != nil {
		return "", err
	}
	return backup, outfile.Replace(s.target, s.mode, s.write(text), s.unchanged)
}

// write writes a text to a file with the owner of the settings.
func (s *settings) write(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		if f, ok := w.(*os.File); ok && s.info != nil {
			outfile.KeepOwner(f, s.info)
		}
		_, err := w.Write(text)
		return err
	}
}

// remove removes a file of settings that is now empty.
func (s *settings) remove() error {
	if err := errors.Join(s.check(), s.unchanged()); err != nil {
		return err
	}
	return os.Remove(s.target)
}

// unchanged returns errChanged if the file changed since it was read.
func (s *settings) unchanged() error {
	now, err := os.ReadFile(s.target)
	switch {
	case s.missing && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case s.missing || err != nil || !bytes.Equal(now, s.text):
		return errChanged
	}
	return nil
}
