package main

import (
	"acpshim/internal/history/query"
	"acpshim/internal/history/stats"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newStats() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use: "stats [--json] [RECORD] [FILTER...]",
		Long: `Count and measure what a record has: messages by method and update, how long responses
took, the slowest requests and those without one, how long each prompt took to
its first token and to its end, what acpshim changed, and what is missing. Sizes of
what was changed are those before and after.`,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object with all figures")
	takeFilter(c, &f, func(name string, q query.Query) error {
		open, goesOn, err := f.open(name)
		if err != nil {
			return err
		}
		s, h, err := stats.Read(open, q)
		if err != nil {
			return failed(err)
		}
		note(view.Newer(h.Schema))
		if len(s.Messages) == 0 && !q.Empty() && !asJSON {
			noteNothing(q)
			note(view.Incomplete(h.Missing, goesOn))
			return nil
		}
		out := terminal.Stdout(!asJSON)
		if asJSON {
			err = writeJSON(out, s)
		} else {
			err = s.Write(out, goesOn)
		}
		return failed(out.Close(err))
	})
	return c
}
