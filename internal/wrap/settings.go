package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"acpshim/internal/editor"
	"acpshim/internal/outfile"
)

// A settings is a file of an editor's settings, as it was read.
type settings struct {
	name    string // as the editor knows it
	target  string // the file that it leads to
	mode    fs.FileMode
	text    []byte
	missing bool
	*editor.Document
}

var errChanged = errors.New("was changed by another program at the same time")

// read reads settings. A file that is not there is one without text.
func read(name string) (*settings, error) {
	s := &settings{name: name, mode: 0o600}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return nil, fmt.Errorf("%s is a link to a file that is not there", name)
		}
		s.missing, s.target = true, name
		if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			s.target = filepath.Join(dir, filepath.Base(name))
		}
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	default:
		s.mode = info.Mode().Perm()
		if s.target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
		if s.text, err = os.ReadFile(s.target); err != nil {
			return nil, err
		}
	}
	if s.Document, err = editor.Parse(s.text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// check returns why the file must not be replaced.
func (s *settings) check() error {
	if s.mode&0o200 == 0 {
		return fmt.Errorf("%s is read-only: if a program made it, such as home-manager, change it where that has it from, else make it writable", s.target)
	}
	return nil
}

// replace puts a text in the place of the settings, and returns the file that has what they were,
// or "" if they were not there. The error is an errChanged if they are not any more what was read.
func (s *settings) replace(text []byte) (backup string, err error) {
	if err := s.check(); err != nil {
		return "", err
	}
	if s.missing {
		err = os.MkdirAll(filepath.Dir(s.target), 0o700)
	} else {
		backup = s.target + ".acpshim-backup"
		err = outfile.Replace(backup, s.mode, outfile.Text(s.text))
	}
	if err != nil {
		return "", err
	}
	return backup, outfile.Replace(s.target, s.mode, func(w io.Writer) error {
		return errors.Join(outfile.Text(text)(w), s.unchanged())
	})
}

// remove removes settings that have no text any more.
func (s *settings) remove() error {
	if err := errors.Join(s.check(), s.unchanged()); err != nil {
		return err
	}
	return os.Remove(s.target)
}

// unchanged returns errChanged if the file is not what was read.
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
