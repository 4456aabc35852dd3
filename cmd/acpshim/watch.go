package main

import (
	"errors"
	"os"

	"acpshim/internal/history/query"
	"acpshim/internal/history/watch"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	var f finder
	c := &cobra.Command{
		Use: "watch [FILTER...]",
		Long: `Watch runs live on the terminal: the runs of this machine, the live ones first;
the messages of one as they come, with a clock on what is pending; a message
with its changes and their reasons; the plan that the client has next to the
one that the agent sent. Start the agent with --record; nothing else has to run
before. The key ? lists the keys.`,
	}
	takeFilter(c, &f, func(q query.Query) (err error) {
		if !isatty.IsTerminal(os.Stdout.Fd()) || !isatty.IsTerminal(os.Stdin.Fd()) {
			return &exit{exitUsage, errors.New("log watch: standard input and output have to be a terminal"),
				`"acpshim log show -f" prints the rows as they come`}
		}
		o := watch.Options{Query: q, Colour: os.Getenv("NO_COLOR") == ""}
		if f.run != "" {
			if o.Files, err = f.find(); err != nil {
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
