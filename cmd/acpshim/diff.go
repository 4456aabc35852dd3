package main

import (
	"acpshim/internal/log/view"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newDiff() *cobra.Command {
	var f finder
	var to format
	c := &cobra.Command{
		Use:     "diff [flags] RUN RUN",
		Example: "acpshim log diff last~1 last",
		Long: `Compare two runs: what client and agent announce, the messages that they sent
by kind and in order, what the client got of each plan, how each turn ended, and
how long it all took. "-" is the first run, "+" the second. The exit status is 1
if the runs differ. Versions and times are shown, but are not a difference. The
same message several times in a row counts as one. RUN is a file, the start of
its name, or last~1.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return wrongArguments(c, "want two runs, such as last~1 and last")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var runs [2]view.Compared
			for i, name := range args {
				var err error
				if runs[i], err = f.compared(name); err != nil {
					return err
				}
			}
			result := view.Compare(runs[0], runs[1])
			out := terminal.Stdout(to.isText())
			var err error
			if to.isText() {
				err = result.Write(out, out.Style)
			} else {
				err = writeJSON(out, result)
			}
			if err = out.Close(err); err == nil && len(result.Differences) > 0 {
				return &exit{status: 1}
			}
			return failed(err)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, noFiles
			}
			return f.recordNames(typed)
		},
	}
	to.add(c, "text", "json")
	f.addLayers(c)
	return c
}

// compared reads what is compared of the run that a name names. The error is an exit.
func (f *finder) compared(name string) (c view.Compared, err error) {
	f.run = name
	files, err := f.find()
	if err != nil {
		return c, err
	}
	goesOn := store.IsWritten(files...)
	h, err := history.Open(store.Opener(files))
	if err != nil {
		return c, failed(err)
	}
	note(history.WarnNewer(h.Schema))
	if missing := history.WarnMissing(h.Missing, goesOn); missing != "" {
		note(store.Name(files) + ": " + missing)
	}
	return view.ReadCompared(store.Name(files), h), nil
}
