package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"acpshim/internal/dev/release"
)

// A source is what packages have besides the binary.
type source struct {
	readme, license, changes, config release.File
	pages, completions               []release.File
}

// readSource reads it from the current folder.
func readSource() (s source, err error) {
	for name, to := range map[string]*release.File{
		"README.md": &s.readme, "LICENSE": &s.license, "CHANGELOG.md": &s.changes, "config.toml": &s.config,
	} {
		to.Name = name
		if to.Data, err = os.ReadFile(name); err != nil {
			return s, err
		}
	}
	if s.pages, err = readFolder("docs/man", "man"); err == nil {
		s.completions, err = readFolder("docs/completions", "completions")
	}
	return s, err
}

// readFolder reads the files of a folder. Packages have them in a folder that is called as.
func readFolder(folder, as string) ([]release.File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []release.File
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, release.File{Name: path.Join(as, e.Name()), Data: data})
	}
	return files, nil
}

// thirdParty reads the licences of what is in a binary: of its modules, from Go's module cache, and
// of Go. A module without one is an error.
func thirdParty(b release.Build) (release.File, error) {
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return release.File{}, err
	}
	notices, err := licences(b.Go, root)
	if err != nil {
		return release.File{}, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for _, d := range b.Deps {
		args = append(args, d.Path)
	}
	modules, err := goCommand(args...)
	if err != nil {
		return release.File{}, err
	}
	for line := range strings.SplitSeq(modules, "\n") {
		name, folder, _ := strings.Cut(line, "\t")
		found, err := licences(name, folder)
		if err != nil {
			return release.File{}, err
		}
		notices = append(notices, found...)
	}
	return release.File{Name: release.NoticesName, Data: release.Notices(notices)}, nil
}

// licences reads the licences and notices in a folder.
func licences(of, folder string) ([]release.Notice, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("licence of %s: %w", of, err)
	}
	isLicence := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.\w+)?$`)
	var found []release.Notice
	for _, e := range entries {
		if e.IsDir() || !isLicence.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("licence of %s: %w", of, err)
		}
		found = append(found, release.Notice{Of: of + ", " + e.Name(), Text: text})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s", of, folder)
	}
	return found, nil
}

// goCommand is what a command of go prints.
func goCommand(args ...string) (string, error) {
	c := exec.Command("go", args...)
	var problem bytes.Buffer
	c.Stderr = &problem
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}
