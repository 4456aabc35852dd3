package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"acpshim/internal/transcript"
	"acpshim/translate"

	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	var asJSON, explain bool
	c := &cobra.Command{
		Use:                   "plan [--json | --explain] FILE",
		DisableFlagsInUseLine: true,
		Long:                  "Show a document as an old client is shown it: a checklist with [ ] for pending, [~]\nfor in progress and [x] for completed. FILE may be - for standard input.",
		Args:                  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return showPlan(os.Stdout, args[0], asJSON, explain)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the plan update that the client gets")
	c.Flags().BoolVar(&explain, "explain", false, "print the line of each step and the convention that made it one")
	c.MarkFlagsMutuallyExclusive("json", "explain")
	c.Flags().BoolP("help", "h", false, "print this")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &exit{exitUsage, err, `"acpshim plan -h" shows how it is used`}
	})
	return c
}

// showPlan renders a document to w, and tells on standard error if it says more.
func showPlan(w io.Writer, name string, asJSON, explain bool) error {
	in := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return &exit{1, err, ""}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, 16<<20))
	if err != nil {
		return &exit{1, fmt.Errorf("reading %q: %w", name, err), ""}
	}
	entries, prose := translate.Render(string(text))
	explained, problem := translate.Explain(string(text))
	switch {
	case asJSON:
		fmt.Fprintf(w, "%s\n", translate.AppendPlan(nil, entries, nil))
		return nil
	case explain:
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, e := range explained {
			fmt.Fprintf(columns, "line %d\t%s\t%s", e.Line, e.Convention, transcript.Draw([]translate.Entry{e.Entry}))
		}
		columns.Flush()
	default:
		fmt.Fprint(w, transcript.Draw(entries))
	}
	if problem != nil {
		fmt.Fprintf(os.Stderr, "acpshim: %v\n", problem)
	}
	if prose {
		fmt.Fprintln(os.Stderr, "acpshim: the document says more than these steps: its text is sent as a message, too")
	}
	return nil
}
