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
		Long: `Hold the messages of a record against the ACP schema of the version that was negotiated:
params by method, results by the method of the request, as they came and as acpshim sent
them on. A row has the number of the message, from whom it is, what it is, and the place in
it. What is alike stands there once.

Unknown methods and updates, extensions, and what only the unstable schema accepts are
notes. Where the schema tells readers to be lenient, it says what they do instead. A gap is
what is not in the record, and could not be checked. The exit status is 1 if there are
errors.

` + filterHelp,
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
