package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"acpshim/internal/terminal"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// An output is where a command that reads records writes: standard output, through
// a pager if a person looks at it.
type output struct {
	*bufio.Writer
	terminal bool
	style    terminal.Style
	pager    *exec.Cmd // or nil
	pipe     io.Closer
}

// newOutput returns the output of this process. Close has to be called.
func newOutput(paged bool) *output {
	out := &output{Writer: bufio.NewWriterSize(os.Stdout, 64<<10), terminal: isatty.IsTerminal(os.Stdout.Fd())}
	if !out.terminal {
		return out
	}
	out.style.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		out.style.Width = width
	}
	if command := pagerCommand(); paged && command != nil {
		c := exec.Command(command[0], command[1:]...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Env = os.Environ()
		if os.Getenv("LESS") == "" {
			c.Env = append(c.Env, "LESS=FRSX") // S: long lines are scrolled, not wrapped
		}
		if pipe, err := c.StdinPipe(); err == nil && c.Start() == nil {
			out.Writer, out.pager, out.pipe = bufio.NewWriterSize(pipe, 64<<10), c, pipe
			out.style.Width = 0
		}
	}
	return out
}

// pagerCommand is $PAGER, else less if it is there; nil for none.
func pagerCommand() []string {
	if pager, ok := os.LookupEnv("PAGER"); ok {
		if words := strings.Fields(pager); len(words) > 0 && words[0] != "cat" {
			return words
		}
		return nil
	}
	if _, err := exec.LookPath("less"); err != nil {
		return nil
	}
	return []string{"less"}
}

// Close writes what is left and waits for the pager. That nobody reads any more is
// no error: err is what was met before, or nil.
func (out *output) Close(err error) error {
	flushed := out.Flush()
	if out.pager != nil {
		out.pipe.Close()
		out.pager.Wait()
		flushed = nil
	}
	if err == nil {
		err = flushed
	}
	var e *exit
	switch {
	case errors.Is(err, syscall.EPIPE):
		return nil
	case err == nil || errors.As(err, &e):
		return err
	}
	return &exit{1, err, ""}
}
