package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"acpshim/internal/setup/editor"
)

// Load reads the registry from a file, or with "" from the copy of Zed. If there is no copy, the
// error names the places where it was expected, and the key of the configuration for a file.
func Load(file string) (Registry, error) {
	if file != "" {
		return read(file)
	}
	home, _ := os.UserHomeDir()
	places := ZedCopies(runtime.GOOS, home, os.Getenv)
	for _, place := range places {
		if r, err := read(place); !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	return Registry{}, fmt.Errorf("no registry of agents: registry.file is not set, and Zed has no copy (%s)",
		strings.Join(places, ", "))
}

// ZedCopies returns the files in which Zed may keep its copy of the registry, the likeliest first.
// System is as runtime.GOOS. Zed makes the copy when it first shows the registry.
func ZedCopies(system, home string, getenv func(string) string) (files []string) {
	add := func(folder string, rest ...string) {
		if folder != "" && (filepath.IsAbs(folder) || system == "windows") {
			files = append(files, filepath.Join(folder, filepath.Join(rest...), "external_agents", "registry", "registry.json"))
		}
	}
	switch system {
	case "darwin":
		add(home, "Library", "Application Support", "Zed")
	case "windows":
		add(getenv("LOCALAPPDATA"), "Zed")
	default:
		add(getenv("FLATPAK_XDG_DATA_HOME"), "zed")
		add(getenv("XDG_DATA_HOME"), "zed")
		add(home, ".local", "share", "zed")
		add(home, ".var", "app", editor.ZedApp, "data", "zed")
	}
	return files
}

// read reads a regular file. A pipe would block the start of an agent.
func read(file string) (Registry, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Registry{}, err
	}
	switch {
	case !info.Mode().IsRegular():
		return Registry{}, fmt.Errorf("%s is not a regular file", file)
	case info.Size() > MaxSize:
		return Registry{}, fmt.Errorf("%s is larger than %d MiB", file, MaxSize>>20)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return Registry{}, err
	}
	r, err := Parse(b)
	if err != nil {
		return Registry{}, fmt.Errorf("%s %w", file, err)
	}
	r.File = file
	return r, nil
}
