package main

import (
	"fmt"
	"io"
	"strings"

	"acpshim/internal/terminal"
	"acpshim/internal/transcript"
	"acpshim/translate"
	"acpshim/translate/document"
	"acpshim/translate/entry"

	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	var asJSON, explain bool
	c := &cobra.Command{
		Use: "plan [--json | --explain] FILE",
		Long: `Show a document as an old client is shown it: a checklist with [ ] for pending, [~]
for in progress and [x] for completed. FILE may be - for standard input.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrongArguments(c, "want a FILE with a plan, or - for standard input")
			}
			if asJSON && explain {
				return wrongArguments(c, "want --json or --explain, not both")
			}
			return atMostOne("FILE")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return showPlan(stdout(), args[0], asJSON, explain)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the plan update that the client gets")
	c.Flags().BoolVar(&explain, "explain", false, "print the line of each step and the convention that made it one")
	return c
}

// showPlan writes the steps of a document to w, and notes whether it says more. The error is an
// exit.
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
		note("the document says more than these entries: its text is sent as a message, too")
	}
	return nil
}
