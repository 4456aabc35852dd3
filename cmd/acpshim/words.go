package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"acpshim/internal/config"
	"acpshim/internal/history/query"
	"acpshim/internal/terminal"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Everything that reaches a person goes through this file, to standard error:
// standard output is the protocol's. Sentences begin in lower case and have no
// period; a hint is a question or something to do.

// Exit statuses other than the agent's own: those of env(1), timeout(1) and
// sysexits(3).
const (
	exitUsage         = 2
	exitConfig        = 78
	exitFailure       = 125 // acpshim's own failure
	exitNotExecutable = 126
	exitNotFound      = 127
)

// stdout and stderr are for people: what is foreign in a text is shown so that a
// terminal does not obey it. What is for programs is not written there.
func stdout() io.Writer { return terminal.NewWriter(os.Stdout) }
func stderr() io.Writer { return terminal.NewWriter(os.Stderr) }

// asItIs is standard output for bytes that have to stay as they are, unless a person
// looks at them.
func asItIs() io.Writer {
	if isatty.IsTerminal(os.Stdout.Fd()) {
		return stdout()
	}
	return os.Stdout
}

// maxInput is the largest document, message or conversation that is read, in bytes.
const maxInput = 64 << 20

// readInput reads a file, or standard input. The error is an exit.
func readInput(name string, isStdin bool) ([]byte, error) {
	in := os.Stdin
	if !isStdin {
		f, err := os.Open(name)
		if err != nil {
			return nil, failed(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err == nil && len(text) > maxInput {
		err = fmt.Errorf("is larger than %d MiB", maxInput>>20)
	}
	if err != nil {
		return nil, failed(fmt.Errorf("reading %q: %w", name, err))
	}
	return text, nil
}

// note says something besides on standard error; "" is nothing.
func note(text string) {
	if text != "" {
		fmt.Fprintf(stderr(), "acpshim: %s\n", terminal.Line(text))
	}
}

// noteNothing says that a filter was too narrow.
func noteNothing(q query.Query) {
	if !q.Empty() {
		note("nothing in the record matches " + terminal.Plain(q.String(), 100))
	}
}

// writeJSON writes a value for programs, on one line in which nothing is hidden.
func writeJSON(w io.Writer, value any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(value); err != nil {
		return err
	}
	_, err := w.Write(terminal.JSON(b.Bytes()))
	return err
}

// An exit is how the command ends: a status, and unless it is the agent's, an
// error and what may help.
type exit struct {
	status int
	err    error
	hint   string
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

// report writes an error for people and returns the exit status for it.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{status: exitUsage, err: err, hint: `"acpshim -h" shows how it is used`}
	}
	if e.err != nil {
		text := e.err.Error()
		if !hasLines(e.err) {
			text = terminal.Line(text) // the name of a file may have a line end
		}
		fmt.Fprintf(w, "acpshim: error: %s\n", text)
	}
	if e.hint != "" {
		fmt.Fprintf(w, "acpshim: hint: %s\n", terminal.Line(e.hint))
	}
	return e.status
}

// hasLines reports whether the text of an error has several lines.
func hasLines(err error) bool {
	var problems config.Problems
	var filter *query.Error
	var several interface{ Unwrap() []error }
	return errors.As(err, &problems) || errors.As(err, &filter) || errors.As(err, &several)
}

// failed is the exit for an error of reading or writing, unless it is one already; nil for none.
func failed(err error) error {
	if e := (*exit)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	return &exit{1, err, ""}
}

// wrongFlag is the exit for flags that a command does not have, or that have no such value.
func wrongFlag(c *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		// Of -update it is the letters.
		if near := nearFlag(c, cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())); near != "" {
			err = fmt.Errorf("%w (did you mean --%s?)", err, near)
		}
	}
	if hint := c.Annotations["hint"]; hint != "" {
		return &exit{exitUsage, err, hint}
	}
	return wrongUsage(c, err)
}

// nearFlag is the flag of a command that a word begins or misspells, or "".
func nearFlag(c *cobra.Command, word string) string {
	var names []string
	begun := ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if begun == "" && len(word) > 1 && strings.HasPrefix(f.Name, word) {
			begun = f.Name
		}
	})
	return cmp.Or(begun, config.Nearest(word, names))
}

// wrongUsage is the exit for a command that is not used as it can be.
func wrongUsage(c *cobra.Command, err error) error {
	return &exit{exitUsage, err, fmt.Sprintf("%q shows how it is used", c.CommandPath()+" -h")}
}

// wrongArguments is wrongUsage where an error has to name the command.
func wrongArguments(c *cobra.Command, format string, args ...any) error {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return wrongUsage(c, fmt.Errorf(name+": "+format, args...))
}

// noArguments lets a command have none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongArguments(c, "want no arguments, not %q", args)
	}
	return nil
}

// atMostOne lets a command have one argument, which people know by a name.
func atMostOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return wrongArguments(c, "want one %s, not %q", name, args)
		}
		return nil
	}
}

// cannotStart explains why an agent did not start.
func cannotStart(command []string, err error) *exit {
	name := command[0]
	switch {
	case strings.ContainsRune(name, os.PathSeparator) && isFolder(name):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: is a folder", name), "which program in it is the agent?"}
	case errors.Is(err, exec.ErrNotFound):
		hint := "editors often have another PATH than your shell: give the absolute path"
		if sub := nearSubcommand(name); sub != "" {
			hint = fmt.Sprintf("did you mean \"acpshim %s\"?", sub)
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: not found in PATH", name), hint}
	case errors.Is(err, fs.ErrNotExist):
		if path, lookErr := exec.LookPath(name); lookErr == nil {
			return &exit{exitNotFound, fmt.Errorf("agent %q: its interpreter was not found", name),
				fmt.Sprintf("%s names, in its first line or as its loader, a program that is not on this machine", path)}
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: not found", name), "is the path right?"}
	case errors.Is(err, exec.ErrDot):
		return &exit{exitNotFound, fmt.Errorf("agent %q: found in the current folder only", name),
			fmt.Sprintf("to run it from there, write ./%s", name)}
	case errors.Is(err, fs.ErrPermission):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: may not be executed", name),
			fmt.Sprintf("is it a program? then \"chmod +x %s\"", name)}
	case errors.Is(err, syscall.ENOTDIR):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: part of the path is no folder", name), "is the path right?"}
	case errors.Is(err, syscall.ENOEXEC):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: is no program this machine can run", name),
			"a script needs a first line such as #!/bin/sh"}
	}
	return &exit{exitFailure, fmt.Errorf("agent %q: %w", name, err), ""}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// badConfig lists what is wrong with the configuration, and says what follows.
// What is wrong on the command line is wrong usage.
func badConfig(err error, follows string) error {
	var problems config.Problems
	var e *exit
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &problems):
		return &exit{exitConfig, fmt.Errorf("the configuration is wrong%s\n%w", follows, problems), ""}
	}
	return &exit{exitConfig, fmt.Errorf("the configuration cannot be read%s: %w", follows, err), ""}
}

// nearSubcommand is the subcommand that a word is a misspelling of, or "".
func nearSubcommand(word string) string {
	if strings.ContainsRune(word, os.PathSeparator) {
		return ""
	}
	var names []string
	for _, c := range newRoot().Commands() {
		names = append(names, c.Name())
	}
	return config.Nearest(word, names)
}
