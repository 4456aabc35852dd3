package main

import (
	"fmt"
	"io"
	"strings"

	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
	"acpshim/translate/document"
	"acpshim/translate/entry"

	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	var to format
	var explain bool
	c := &cobra.Command{
		Use:     "plan [flags] FILE",
		Example: "acpshim plan PLAN.md",
		Long: `Show a plan document as the checklist that a client without plan support gets:
[ ] is pending, [~] in progress and [x] completed. FILE may be - for standard
input.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrongArguments(c, "want FILE, or - for standard input")
			}
			if !to.isText() && explain {
				return wrongArguments(c, "want --format or --explain, not both")
			}
			return oneFile(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return showPlan(stdout(), args[0], !to.isText(), explain)
		},
	}
	to.add(c, "text", "json")
	c.Flags().BoolVar(&explain, "explain", false, "print each entry's line, and in which notation it is")
	return c
}

// showPlan writes the entries of a document to w, and notes if the document has more text. The
// error is an exit.
func showPlan(w io.Writer, name string, asJSON, explain bool) error {
	text, err := readInput(name, name == "-")
	if err != nil {
		return err
	}
	d := document.Read(string(text))
	switch {
	case asJSON:
		fmt.Fprintf(w, "%s\n", terminal.JSON(translate.AppendPlan(nil, d.Plan(), nil)))
		return nil
	case explain:
		var rows [][]string
		for _, e := range d.Entries {
			drawn := transcript.Draw([]entry.Entry{e.Entry})
			rows = append(rows, []string{fmt.Sprint("line ", e.Line), e.Convention, strings.TrimSuffix(drawn, "\n")})
		}
		if err := terminal.Table(w, nil, rows); err != nil {
			return failed(err)
		}
	default:
		fmt.Fprint(w, transcript.Draw(d.Plan()))
	}
	if d.Problem != nil {
		note(d.Problem.Error())
	}
	if d.Prose {
		note("the document has more text than these entries: the client gets it as a message, too")
	}
	return nil
}
