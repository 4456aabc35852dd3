package main

import (
	"fmt"
	"io"
	"os"

	"acpshim/internal/transcript"
	"acpshim/translate"

	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:                   "plan [--json] FILE",
		DisableFlagsInUseLine: true,
		Long:                  "Show a document as an old client is shown it: a checklist with [ ] for pending, [~]\nfor in progress and [x] for completed. FILE may be - for standard input.",
		Args:                  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return showPlan(os.Stdout, args[0], asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the plan update that the client gets")
	c.Flags().BoolP("help", "h", false, "print this")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &exit{exitUsage, err, `"acpshim plan -h" shows how it is used`}
	})
	return c
}

// showPlan renders a document to w, and tells on standard error if it says more.
func showPlan(w io.Writer, name string, asJSON bool) error {
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
	if asJSON {
		fmt.Fprintf(w, "%s\n", translate.AppendPlan(nil, entries, nil))
		return nil
	}
	fmt.Fprint(w, transcript.Draw(entries))
	if prose {
		fmt.Fprintln(os.Stderr, "acpshim: the document says more than these steps: its text is sent as a message, too")
	}
	return nil
}
