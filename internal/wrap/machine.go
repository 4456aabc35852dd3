// Package wrap has acpshim run the agents that editors start, by changing the editors'
// settings, and undoes that. What an entry was is remembered in the user's folder for state.
package wrap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"acpshim/internal/editor"
	"acpshim/internal/store"
)

// A Machine is where editors and agents are.
type Machine struct {
	System editor.System
	State  string // the folder in which is remembered what entries were
	Shim   string // the absolute path of acpshim; "" if it has none that stays
}

// This returns the machine that this process runs on.
func This() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	state, err := store.StateFolder()
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
		State:  filepath.Join(state, "acpshim"),
		Shim:   shimPath(program),
	}, nil
}

// shimPath is the path by which acpshim is to be started: the one in PATH if it leads to the same
// file, as a package manager's link stays where the program behind it moves. It is "" for a program
// in a cache, which may be gone tomorrow.
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

// isCached reports whether a program is where "go run", npx or uvx keep what they run.
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

// files returns where an editor's settings may be.
func (m Machine) files(e editor.Editor) []string {
	vaults, _, _ := load(editor.Vaults(m.System)) // none is no error
	files := e.Files(m.System, vaults)
	if boxed, ok := m.System.InFlatpak(editor.ObsidianApp); ok && e.HasVaults() {
		vaults, _, _ := load(editor.Vaults(boxed))
		files = append(files, e.Files(m.System, vaults)...)
	}
	return files
}

// file returns the settings of an editor, which are there or can be made.
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
		return "", fmt.Errorf("no settings of %s were found: name them with --file", e.Title)
	case 1:
		return there[0], nil
	}
	return "", fmt.Errorf("%s has settings in several places, name one with --file: %s", e.Title, strings.Join(there, ", "))
}

// those are the files of which what is at a path of theirs is there.
func those(files []string, at func(file string) string) (there []string) {
	for _, file := range files {
		if _, err := os.Stat(at(file)); err == nil {
			there = append(there, file)
		}
	}
	return there
}

var errNoShim = errors.New("this acpshim is where \"go run\", npx or uvx keep what they run, and may be gone tomorrow: install it, and wrap with the installed one")
