package main

import (
	"acpshim/internal/log/query"
	"acpshim/internal/log/stats"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newStats() *cobra.Command {
	var f finder
	var to format
	c := &cobra.Command{
		Use:     "stats [flags] [FILTER...]",
		Example: "acpshim log stats --run 20261122T13",
		Long: `Count the messages of a run by method and update. Measure response times, the
slowest requests, the time to the first token and to the end of each prompt, and
for whom it waited: a person, the client, acpshim or the agent. Show the tokens
and the cost of each prompt and session, if the agent reports them. List
requests without a response, what acpshim changed, with the sizes before and
after, and what is missing.`,
	}
	to.add(c, "text", "json")
	takeFilter(c, &f, func(q query.Query) error {
		open, goesOn, err := f.open()
		if err != nil {
			return err
		}
		s, h, err := stats.Read(open, q)
		if err != nil {
			return failed(err)
		}
		note(history.WarnNewer(h.Schema))
		if len(s.Messages) == 0 && !q.Empty() && to.isText() {
			noteNothing(q, "")
			note(history.WarnMissing(h.Missing, goesOn))
			return nil
		}
		out := terminal.Stdout(to.isText())
		if to.isText() {
			err = s.Write(out, goesOn)
		} else {
			err = writeJSON(out, s)
		}
		return failed(out.Close(err))
	})
	return c
}
