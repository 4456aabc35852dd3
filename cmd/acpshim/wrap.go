package main

import (
	"errors"
	"fmt"

	"acpshim/internal/wrap"

	"github.com/spf13/cobra"
)

func newWrap() *cobra.Command {
	var o wrap.Options
	c := wrapping("wrap EDITOR NAME [flags] [-- COMMAND [ARG...]]", wrap.Help(), &o, wrap.Machine.Wrap)
	c.Flags().BoolVar(&o.List, "list", false, "list all editors, their agents, and which are wrapped")
	c.Flags().BoolVar(&o.Record, "record", false, "also record all messages, for \"acpshim log\"")
	return c
}

func newUnwrap() *cobra.Command {
	return wrapping("unwrap EDITOR NAME [flags]", wrap.UnwrapHelp, new(wrap.Options), wrap.Machine.Unwrap)
}

// wrapping is a command that changes an entry of an editor.
func wrapping(use, long string, o *wrap.Options, change func(wrap.Machine, wrap.Options) (wrap.Result, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Long: long, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if at := c.ArgsLenAtDash(); at >= 0 {
			o.Command, args = args[at:], args[:at]
		}
		switch {
		case o.List && len(args)+len(o.Command) == 0:
		case len(args) == 2 && !o.List && (o.Command == nil || len(o.Command) > 0 && c.Name() == "wrap"):
			o.Editor, o.Entry = args[0], args[1]
		default:
			if args = append(args, o.Command...); len(args) == 0 {
				return wrongArguments(c, "want EDITOR NAME")
			}
			return wrongArguments(c, "want EDITOR NAME, not %s", quoted(args))
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
		for _, text := range result.Said() {
			note(text)
		}
		fmt.Fprintf(stdout(), "%s", result.Text)
		return failed(err)
	}
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return drawable(wrap.Complete(args)), noFiles
	}
	addOnce(c.Flags(), &o.File, "file", "a file", "the settings are in `FILE`")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "only print what would change")
	return c
}
