package main

import (
	"errors"
	"fmt"
	"strings"

	"acpshim/internal/setup/wrap"

	"github.com/spf13/cobra"
)

func newWrap() *cobra.Command {
	var o wrap.Options
	var to format
	c := wrapping("wrap --list [EDITOR] | EDITOR NAME [-- COMMAND [ARG...]]", wrap.Help(), "acpshim wrap zed codex-acp -- codex-acp", &o, func(m wrap.Machine, o wrap.Options) (r wrap.Result, err error) {
		if to.isText() {
			r, err := m.Wrap(o)
			if c, configErr := (flags{}).load(); o.NoRecord && err == nil && configErr == nil && c.Record.Enabled {
				r.Notes = append(r.Notes, "your configuration still records every run (record.enabled)")
			}
			return r, err
		}
		if !o.List {
			return r, &exit{exitUsage, errors.New("wrap: --format and --json need --list"), ""}
		}
		rows, err := m.List(o.Editor)
		for _, row := range rows {
			err = errors.Join(err, writeJSON(stdout(), row))
		}
		return r, err
	})
	c.Flags().BoolVar(&o.List, "list", false, "list agents, of EDITOR or of all, and which are wrapped")
	to.add(c, "text", "json")
	c.Flags().BoolVar(&o.Record, "record", false, "record all messages, also those of a wrapped entry")
	c.Flags().BoolVar(&o.NoRecord, "no-record", false, "stop recording messages")
	c.MarkFlagsMutuallyExclusive("record", "no-record")
	return c
}

func newUnwrap() *cobra.Command {
	return wrapping("unwrap [flags] EDITOR NAME", wrap.UnwrapHelp, "acpshim unwrap zed codex-acp", new(wrap.Options), wrap.Machine.Unwrap)
}

// wrapping returns a command that changes an entry of an editor.
func wrapping(use, long, example string, o *wrap.Options, change func(wrap.Machine, wrap.Options) (wrap.Result, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Long: long, Example: example, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if at := c.ArgsLenAtDash(); at >= 0 {
			o.Command, args = args[at:], args[:at]
		}
		switch {
		case o.List && len(args) < 2 && o.Command == nil:
			o.Editor = strings.Join(args, "")
		case len(args) == 2 && !o.List && (o.Command == nil || len(o.Command) > 0 && c.Name() == "wrap"):
			o.Editor, o.Entry = args[0], args[1]
		case len(args) > 2 && o.Command == nil && c.Name() == "wrap":
			return &exit{exitUsage, fmt.Errorf("wrap: want -- before the command %q", args[2]),
				fmt.Sprintf(`run "acpshim wrap %s %s -- %s"`, args[0], args[1], strings.Join(args[2:], " "))}
		default:
			not := ""
			if args = append(args, o.Command...); len(args) > 0 {
				not = ", not " + quoted(args)
			}
			return &exit{exitUsage, fmt.Errorf("%s: want EDITOR NAME%s", c.Name(), not), `"acpshim wrap --list" lists the agents of your editors; "acpshim wrap -h" lists the editors`}
		}
		o.Lookup = lookup
		m, err := wrap.This()
		if err != nil {
			return failed(err)
		}
		result, err := change(m, *o)
		if unknown := (*wrap.Unknown)(nil); errors.As(err, &unknown) {
			return &exit{unknown.Status(), err, unknown.Hint()}
		}
		if missing := (*wrap.NotFound)(nil); errors.As(err, &missing) {
			return &exit{1, err, missing.Hint()}
		}
		for _, text := range result.Lines() {
			note(text)
		}
		fmt.Fprintf(stdout(), "%s", result.Text)
		return failed(err)
	}
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return drawable(wrap.Complete(args)), noFiles
	}
	addOnce(c, &o.File, "file", "a file", "change the settings in `FILE`")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "only print what would change")
	return c
}
