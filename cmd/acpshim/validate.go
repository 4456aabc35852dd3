package main

import (
	"fmt"
	"slices"

	"acpshim/internal/history/query"
	validation "acpshim/internal/history/validate"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"
	"acpshim/internal/version"

	"github.com/spf13/cobra"
)

func newValidate() *cobra.Command {
	var f finder
	var asJSON bool
	var format string
	c := &cobra.Command{
		Use: "validate [--json | --format FORMAT] [RECORD] [FILTER...]",
		Long: `Hold the messages of a record, as they came and as acpshim sent them on, against
the ACP schema of the version that was negotiated. A row has the number of the
message, from whom it is, what it is, and the place in it; what is alike is there
once. Extensions, unknown methods and updates, and what only the unstable schema
accepts, are notes. A gap was not recorded, and not checked. The exit status is 1
if there are errors.`,
	}
	c.Flags().StringVar(&format, "format", "", "print it for other programs, in `FORMAT` junit or sarif")
	completeWords(c, "format", "junit", "sarif")
	c.Flags().BoolVar(&asJSON, "json", false, "print an object with everything that was found")
	takeFilter(c, &f, func(name string, q query.Query) error {
		if !slices.Contains([]string{"", "junit", "sarif"}, format) || format != "" && asJSON {
			return wrongUsage(c, fmt.Errorf("--format: want junit or sarif without --json, not %q", format))
		}
		open, goesOn, err := f.open(name)
		if err != nil {
			return err
		}
		report, h, err := validation.Read(open, q)
		if err != nil {
			return failed(err)
		}
		note(view.Newer(h.Schema))
		note(view.Incomplete(h.Missing, goesOn))
		if report.Known && report.Messages+report.Made == 0 {
			noteNothing(q)
		}
		out := terminal.Stdout(!asJSON && format == "")
		switch {
		case format == "junit":
			err = report.WriteJUnit(out)
		case format == "sarif":
			err = writeJSON(out, report.SARIF(version.Read().Short()))
		case asJSON:
			err = writeJSON(out, report)
		default:
			err = report.Write(out)
		}
		if err = out.Close(err); err == nil && report.Errors > 0 {
			return &exit{status: 1}
		}
		return failed(err)
	})
	return c
}
