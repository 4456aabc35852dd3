package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"acpshim/internal/commands"
	"acpshim/internal/config"
	"acpshim/internal/history/query"
	"acpshim/internal/terminal"

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
		if near := commands.NearFlag(c.Flags(), cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())); near != "" {
			err = fmt.Errorf("%w (%s)", err, near)
		}
	}
	if hint := c.Annotations["hint"]; hint != "" {
		return &exit{exitUsage, err, hint}
	}
	return wrongUsage(c, err)
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

// quoted are words as people tell them apart.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = strconv.Quote(word)
	}
	return strings.Join(all, " and ")
}

// noArguments lets a command have none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongArguments(c, "want no arguments, not %s", quoted(args))
	}
	return nil
}

// noRecord is noArguments for a command that reads a record: people may try to name it without a
// flag.
func noRecord(c *cobra.Command, args []string) error {
	err := noArguments(c, args)
	if e := (*exit)(nil); errors.As(err, &e) {
		e.hint = "to name a run, write --run " + args[0]
	}
	return err
}

// atLeastOne has a command have arguments, which people know by a name.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return wrongArguments(c, "want %s...", name)
		}
		return nil
	}
}

// atMostOne lets a command have one argument, which people know by a name.
func atMostOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return wrongArguments(c, "want one %s, not %s", name, quoted(args))
		}
		return nil
	}
}
