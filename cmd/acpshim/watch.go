package main

import (
	"cmp"
	"errors"
	"os"

	"acpshim/internal/history/query"
	"acpshim/internal/history/watch"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	var f finder
	var run string
	c := &cobra.Command{
		Use: "watch [-r RUN] [FILTER...]",
		Long: `Watch runs live on the terminal: the runs of this machine, the live ones first; the messages
of one as they come, with a clock on what is pending; a message with its changes and
their reasons; the plan that the client has next to the one that the agent sent.
Start the agent with --record; nothing else has to run before. The key ? lists the keys.`,
	}
	c.Flags().VarP(&once{&run, "a run"}, "run", "r", "open `RUN`: a file, the beginning of a name, or last~1")
	completeWith(c, "run", f.recordNames)
	takeFilter(c, &f, func(name string, q query.Query) (err error) {
		if !isatty.IsTerminal(os.Stdout.Fd()) || !isatty.IsTerminal(os.Stdin.Fd()) {
			return &exit{exitUsage, errors.New("log watch: standard input and output have to be a terminal"),
				`"acpshim log show -f" prints the rows as they come`}
		}
		o := watch.Options{Query: q, Colour: os.Getenv("NO_COLOR") == ""}
		if run = cmp.Or(run, name); run != "" {
			if o.Files, err = f.find(run); err != nil {
				return err
			}
		}
		if o.Folder, err = f.folder(); err != nil && o.Files == nil {
			return failed(err)
		}
		return failed(watch.Watch(o))
	})
	return c
}
