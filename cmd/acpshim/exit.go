package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"acpshim/internal/log/query"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/commands"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses other than the agent's own: those of env(1), timeout(1) and
// sysexits(3).
const (
	exitUsage         = 2
	exitConfig        = 78
	exitFailure       = 125 // acpshim's own failure
	exitNotExecutable = 126
	exitNotFound      = 127
)

// An exit says how the command ends: with a status and, unless the status is the agent's, with an
// error and a hint.
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

// failed returns the exit for an error of reading or writing. It returns nil and exits unchanged.
func failed(err error) error {
	if e := (*exit)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	if file, ok := err.(*fs.PathError); ok {
		err = fmt.Errorf("cannot %s %q: %w", file.Op, file.Path, file.Err)
	}
	return &exit{1, err, ""}
}

// wrongFlag returns the exit for a flag that the command does not have, or that has a wrong value.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name = "-" + letters
		}
		err = fmt.Errorf("unknown flag: %s", name)
		if near := commands.NearFlag(c.Flags(), strings.TrimLeft(name, "-")); near != "" {
			err = fmt.Errorf("%w (%s)", err, near)
		}
	case errors.As(err, &missing):
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		err = fmt.Errorf("--%s: want %s after it", missing.GetFlag().Name, value)
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, wrongValue(invalid))
	}
	return wrongUsage(c, err)
}

// wrongValue returns an error that says what a flag wants. Flags of acpshim's own types say it
// themselves.
func wrongValue(err *pflag.InvalidValueError) error {
	want := map[string]string{
		"int": "a whole number", "duration": "a time such as 30s or 5m", "bool": "true or false",
	}[err.GetFlag().Value.Type()]
	if want == "" {
		return err.Unwrap()
	}
	return fmt.Errorf("want %s, not %q", want, err.GetValue())
}

// wrongUsage returns the exit for wrong usage of a command.
func wrongUsage(c *cobra.Command, err error) error {
	return &exit{exitUsage, err, fmt.Sprintf("%q shows how it is used", c.CommandPath()+" -h")}
}

// wrongArguments is wrongUsage with an error that names the command.
func wrongArguments(c *cobra.Command, format string, args ...any) error {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return wrongUsage(c, fmt.Errorf(name+": "+format, args...))
}

// quoted lists words in quotes.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = strconv.Quote(word)
	}
	return strings.Join(all, " and ")
}

// noArguments refuses all arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongArguments(c, "want no arguments, not %s", quoted(args))
	}
	return nil
}

// noRecord is noArguments for a command that reads a record, which people may try to name without
// --run.
func noRecord(c *cobra.Command, args []string) error {
	err := noArguments(c, args)
	if e := (*exit)(nil); errors.As(err, &e) {
		e.hint = "to name a run, write --run " + args[0]
	}
	return err
}

// oneFile accepts up to one argument.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return wrongArguments(c, "want one FILE, not %s", quoted(args))
	}
	return nil
}
