// Package layers reads the configuration that counts from where it is kept: over the default the
// user's own file, over that one that the command line names, and over all single keys.
package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"acpshim"
	"acpshim/internal/config"
)

// Layers are what stands over the default.
type Layers struct {
	NoUser      bool         // the user's own file does not count
	File        string       // that the command line names, a pipe, too; "" is none
	Assignments []Assignment // each over those before it
}

// An Assignment is KEY=VALUE on the command line, behind a flag.
type Assignment struct{ Flag, Text string }

// WrongFlags are mistakes on the command line alone.
type WrongFlags struct{ config.Problems }

// Load returns the configuration that the layers make. The error is a [WrongFlags], a
// [config.Problems] if a file has mistakes, which has those of all layers, or one of reading.
func (l Layers) Load() (config.Config, error) {
	c := config.Default(acpshim.DefaultConfig)
	var inFiles, inFlags config.Problems
	over := func(name string, also fs.FileMode) error {
		source, err := read(name, also)
		if err != nil {
			return err
		}
		c, err = config.Parse(c, name, string(source))
		inFiles = append(inFiles, problemsOf(err)...)
		return nil
	}
	if name, err := UserFile(); err == nil && !l.NoUser { // else there is no home
		if err := over(name, regularOnly); err != nil && !isMissing(err) {
			return c, err
		}
	}
	if l.File != "" {
		if err := over(l.File, orPipe); err != nil {
			return c, err
		}
	}
	for _, a := range l.Assignments {
		var err error
		c, err = config.Assign(c, a.Flag, a.Text)
		inFlags = append(inFlags, problemsOf(err)...)
	}
	switch {
	case inFiles != nil:
		return c, slices.Concat(c.Warnings(), inFiles, inFlags)
	case inFlags != nil:
		return c, WrongFlags{inFlags}
	}
	return c, nil
}

func problemsOf(err error) (problems config.Problems) {
	errors.As(err, &problems)
	return problems
}

// UserFile returns the path of the user's own file.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if xdg := os.Getenv("XDG_CONFIG_HOME"); err != nil && xdg != "" && !filepath.IsAbs(xdg) {
		dir, err = os.UserHomeDir() // a relative one is to be ignored, says the XDG specification
		dir = filepath.Join(dir, ".config")
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q is relative to the working directory, which is an agent's project: is $HOME right?", dir)
	}
	return filepath.Join(dir, "acpshim", "config.toml"), err
}

// Files returns the files that Load reads.
func (l Layers) Files() (names []string) {
	if name, err := UserFile(); err == nil && WhetherThere(name) == exists {
		names = append(names, name)
	}
	if l.File != "" {
		names = append(names, l.File)
	}
	return names
}

// ReadsStdin reports whether Load reads what is on standard input.
func (l Layers) ReadsStdin() bool {
	named, err := os.Stat(l.File)
	if err != nil || named.Mode().IsRegular() {
		return false
	}
	stdin, err := os.Stdin.Stat()
	return err == nil && os.SameFile(named, stdin)
}

const exists = "exists"

// WhetherThere says whether there is a file of that name.
func WhetherThere(name string) string {
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
