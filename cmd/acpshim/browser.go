package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// errNoBrowser is the error on a machine without a desktop.
var errNoBrowser = errors.New("found no browser: $BROWSER is not set, and there is no desktop")

// openBrowser opens the file at an absolute path in the browser that $BROWSER names, or in the
// desktop's. It waits for that program, because a browser may run in the terminal. It returns
// errNoBrowser, or the program's error.
func openBrowser(path string) error {
	here := desktop{runtime.GOOS, os.Getenv, func(name string) bool { _, err := exec.LookPath(name); return err == nil }}
	command := here.command(path)
	if command == nil {
		return errNoBrowser
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stderr, os.Stderr // the path is on standard output
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s did not open it: %w", filepath.Base(command[0]), err)
	}
	return nil
}

// A desktop knows which programs can open files.
type desktop struct {
	os     string
	getenv func(string) string
	has    func(program string) bool
}

// command returns the command that opens a file, or nil. $BROWSER has one or several commands with
// colons between them. %s stands for the path, which otherwise comes last.
func (m desktop) command(path string) []string {
	for text := range strings.SplitSeq(m.getenv("BROWSER"), string(filepath.ListSeparator)) {
		words := strings.Fields(text)
		if len(words) == 0 || !m.has(words[0]) {
			continue
		}
		if !strings.Contains(text, "%s") {
			words = append(words, "%s")
		}
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "%s", path)
		}
		return words
	}
	switch {
	case m.os == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", path}
	case m.os == "darwin":
		return []string{"open", path}
	case m.has("xdg-open") && m.getenv("DISPLAY")+m.getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open", path}
	}
	return nil
}
