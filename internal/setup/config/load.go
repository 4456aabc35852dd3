package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Sources are what overrides the shipped configuration, in this order: the user's own file, File,
// and each of the Assignments.
type Sources struct {
	NoUser      bool         // ignore the user's own file
	File        string       // from --config; may be a pipe, or "" for none
	Assignments []Assignment // from flags
}

// An Assignment is the text KEY=VALUE that a flag gives.
type Assignment struct{ Flag, Text string }

// WrongFlags is the error of [Sources.Load] if only the command line has mistakes.
type WrongFlags struct{ Problems }

// Load returns the configuration that the sources make. It returns a [WrongFlags], a [Problems]
// with the mistakes of all sources, or the error of a file that cannot be read.
func (s Sources) Load() (Config, error) {
	c := Default()
	var inFiles, inFlags Problems
	add := func(name string, allowed fs.FileMode) error {
		source, err := readFile(name, allowed)
		if err != nil {
			return err
		}
		c, err = Parse(c, name, string(source))
		inFiles = append(inFiles, problemsOf(err)...)
		return nil
	}
	if name, err := UserFile(); err == nil && !s.NoUser { // an error means that there is no home folder
		if err := add(name, regularOnly); err != nil && !isMissing(err) {
			return c, err
		}
	}
	if s.File != "" {
		if err := add(s.File, orPipe); err != nil {
			return c, err
		}
	}
	for _, a := range s.Assignments {
		var err error
		c, err = Assign(c, a.Flag, a.Text)
		inFlags = append(inFlags, problemsOf(err)...)
	}
	switch {
	case inFiles != nil:
		return c, slices.Concat(c.Warnings(), inFiles, inFlags)
	case inFlags != nil:
		return c, WrongFlags{inFlags}
	}
	if missing := c.readInstructions(); missing != nil {
		return c, slices.Concat(c.Warnings(), missing)
	}
	return c, nil
}

func problemsOf(err error) (problems Problems) {
	errors.As(err, &problems)
	return problems
}

// UserFile returns the path of the user's own configuration, which need not exist.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if xdg := os.Getenv("XDG_CONFIG_HOME"); err != nil && xdg != "" && !filepath.IsAbs(xdg) {
		dir, err = os.UserHomeDir() // the XDG specification says to ignore a relative path
		dir = filepath.Join(dir, ".config")
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q is relative to the working directory, which is an agent's project: is $HOME right?", dir)
	}
	return filepath.Join(dir, "acpshim", "config.toml"), err
}

// Files returns the files that Load reads.
func (s Sources) Files() (names []string) {
	if name, err := UserFile(); err == nil && FileState(name) == exists {
		names = append(names, name)
	}
	if s.File != "" {
		names = append(names, s.File)
	}
	return names
}

// ReadsStdin reports whether Load reads standard input.
func (s Sources) ReadsStdin() bool {
	named, err := os.Stat(s.File)
	if err != nil || named.Mode().IsRegular() {
		return false
	}
	stdin, err := os.Stdin.Stat()
	return err == nil && os.SameFile(named, stdin)
}

const exists = "exists"

// FileState returns "exists", "does not exist" or "cannot be read".
func FileState(name string) string {
	switch _, err := os.Stat(name); {
	case err == nil:
		return exists
	case isMissing(err):
		return "does not exist"
	}
	return "cannot be read"
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
