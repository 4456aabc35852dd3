// Package wrap changes the settings of editors so that their agents start through acpshim, and
// undoes that. It remembers the original entries in the user's folder for state.
package wrap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"acpshim/internal/setup/editor"
	"acpshim/internal/system/state"
)

// A Machine is a computer with editors and agents.
type Machine struct {
	System editor.System
	State  string // the folder in which is remembered what entries were
	Shim   string // the absolute path of acpshim; "" if it has none that stays
}

// This returns the machine of this process.
func This() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	base, err := state.Folder()
	if err != nil {
		return Machine{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return Machine{}, err
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = "" // a relative one is to be ignored, says the XDG specification
	}
	return Machine{
		System: editor.System{OS: runtime.GOOS, Home: home, Config: config, AppData: os.Getenv("APPDATA")},
		State:  filepath.Join(base, "acpshim"),
		Shim:   shimPath(program),
	}, nil
}

// shimPath returns the path for starting acpshim. It prefers a path in PATH that leads to the same
// file, because a package manager's link stays when the program moves. It returns "" for a program
// in a cache, which may be deleted at any time.
func shimPath(program string) string {
	if found, err := exec.LookPath("acpshim"); err == nil && sameFile(found, program) {
		if found, err = filepath.Abs(found); err == nil {
			program = found
		}
	}
	if isCached(program) {
		return ""
	}
	return program
}

// isCached reports whether a program is in the cache of "go run", npx or uvx.
func isCached(program string) bool {
	path := strings.ReplaceAll(program, `\`, "/")
	for _, part := range []string{"/go-build", "/_npx/", "/uv/archive-v", "/uv/builds-v", "/uv/environments-v", "/uv/cache/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// files returns the possible paths of an editor's settings.
func (m Machine) files(e editor.Editor) []string {
	vaults, _, _ := load(editor.Vaults(m.System)) // the file may be missing
	files := e.Files(m.System, vaults)
	if boxed, ok := m.System.InFlatpak(editor.ObsidianApp); ok && e.HasVaults() {
		vaults, _, _ := load(editor.Vaults(boxed))
		files = append(files, e.Files(m.System, vaults)...)
	}
	return files
}

// file returns the path of an editor's settings, which exist or can be created.
func (m Machine) file(e editor.Editor, named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	files := m.files(e)
	there := those(files, func(file string) string { return file })
	if len(there) == 0 && !e.HasVaults() { // they are made where the editor has a folder
		there = those(files, filepath.Dir)
		there = append(there, files...)[:1]
	}
	switch len(there) {
	case 0:
		return "", fmt.Errorf("found no settings of %s: name the file with --file", e.Title)
	case 1:
		return there[0], nil
	}
	return "", fmt.Errorf("%s has several files of settings: name one with --file: %s", e.Title, strings.Join(there, ", "))
}

// those returns the files for which a path of theirs exists.
func those(files []string, at func(file string) string) (there []string) {
	for _, file := range files {
		if _, err := os.Stat(at(file)); err == nil {
			there = append(there, file)
		}
	}
	return there
}

var errNoShim = errors.New("this acpshim runs from a cache of \"go run\", npx or uvx, which may be deleted: install acpshim and use the installed one")
