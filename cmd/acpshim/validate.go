package main

import (
	"acpshim/internal/history/query"
	validation "acpshim/internal/history/validate"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newValidate() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use: "validate [--json] [RECORD] [FILTER...]",
		Long: `Hold the messages of a record, as they came and as acpshim sent them on, against
the ACP schema of the version that was negotiated. A row has the number of the
message, from whom it is, what it is, and the place in it; what is alike is there
once. Extensions, unknown methods and updates, and what only the unstable schema
accepts, are notes. A gap was not recorded, and not checked. The exit status is 1
if there are errors.`,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object with everything that was found")
	takeFilter(c, &f, func(name string, q query.Query) error {
		h, goesOn, err := f.read(name)
		if err != nil {
			return err
		}
		note(view.Incomplete(h.Missing, goesOn))
		report := validation.Check(h, q.In(h))
		if report.Known && report.Messages+report.Made == 0 {
			noteNothing(q)
		}
		out := terminal.Stdout(!asJSON)
		if asJSON {
			err = writeJSON(out, report)
		} else {
			err = report.Write(out)
		}
		if err = out.Close(err); err == nil && report.Errors > 0 {
			return &exit{status: 1}
		}
		return failed(err)
	})
	return c
}
