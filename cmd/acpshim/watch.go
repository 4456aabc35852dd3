package main

import (
	"errors"
	"os"

	"acpshim/internal/log/query"
	"acpshim/internal/log/watch"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	var f finder
	c := &cobra.Command{
		Use:     "watch [flags] [FILTER...]",
		Example: "acpshim log watch 'update:plan*'",
		Long: `Watch runs live. The list has the runs of this machine, the live ones first.
Open one to see its messages as they come, in the rows of "acpshim log show": a
request that is pending has a clock, and what failed is red. Open a message to
see who changed it and why. P compares the agent's plan with the client's, and ?
lists the keys. Only recorded runs appear.`,
	}
	takeFilter(c, &f, func(q query.Query) (err error) {
		if !terminal.IsTerminal(os.Stdout) || !terminal.IsTerminal(os.Stdin) {
			return &exit{exitUsage, errors.New("log watch: standard input and output have to be a terminal"),
				`"acpshim log show -f" prints the rows as they come`}
		}
		if os.Getenv("TERM") == "dumb" {
			return &exit{exitUsage, errors.New("log watch: this terminal cannot move the cursor (TERM is dumb)"),
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
