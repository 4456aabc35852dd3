package main

import (
	"acpshim/internal/log/query"
	validation "acpshim/internal/log/validate"
	"acpshim/internal/record/history"
	"acpshim/internal/system/version"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newValidate() *cobra.Command {
	var f finder
	var to format
	c := &cobra.Command{
		Use:     "validate [flags] [FILTER...]",
		Example: "acpshim log validate --format junit >acp.xml",
		Long: `Check the messages of a run against the ACP schema of the negotiated version,
both as acpshim received and as it sent them. acpshim knows the schemas of one
release of the protocol, which the notes name. Each row has the number of the
message, the sender, the method, and the place in the message. Repeated
findings are listed once. Notes are not errors. They are about extensions,
unknown methods and updates, what only the unstable schema or an older schema
has, and what peers with older schemas may not know. The exit status is 1 if
there are errors.`,
	}
	to.add(c, "text", "json", "junit", "sarif")
	takeFilter(c, &f, func(q query.Query) error {
		open, goesOn, err := f.open()
		if err != nil {
			return err
		}
		report, h, err := validation.Read(open, q)
		if err != nil {
			return failed(err)
		}
		note(history.WarnNewer(h.Schema))
		note(history.WarnMissing(h.Missing, goesOn))
		if report.Known && report.Messages+report.Made == 0 {
			noteNothing(q, "")
		}
		out := terminal.Stdout(to.isText())
		switch to {
		case "junit":
			err = report.WriteJUnit(out)
		case "sarif":
			err = writeJSON(out, report.SARIF(version.Read().Short()))
		case "json":
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
