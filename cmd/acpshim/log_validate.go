package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"

	"acpshim/internal/history/query"
	validation "acpshim/internal/history/validate"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newLogValidate() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use: "validate [--json] [RECORD] [FILTER...]",
		Long: `Hold the messages of a record against the ACP schema of the version that was negotiated:
params by method, results by the method of the request, as they came and as acpshim sent
them on. A row has the number of the message, from whom it is, what it is, and the place in
it. What is alike is told once.

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
		tellMissing(h.Missing, goesOn)
		report := validation.Check(h, q.In(h))
		if report.Known && report.Messages == 0 {
			noteNothing(q)
		}
		out := newOutput(!asJSON)
		if asJSON {
			err = writeJSON(out, report)
		} else {
			err = writeFindings(out, report)
		}
		if err = out.Close(err); err == nil && report.Errors > 0 {
			return &exit{status: 1}
		}
		return err
	})
	return c
}

var index = regexp.MustCompile(`/\d+`)

// writeFindings writes the errors, then the notes, then the gaps: of what is alike but
// for its place in an array the first, and how often.
func writeFindings(w io.Writer, r validation.Report) error {
	if !r.Known {
		_, err := fmt.Fprintf(w, "version %s was negotiated, which there is no schema of: nothing was checked\n", r.Version)
		return err
	}
	counts := map[validation.Finding]int{}
	var firsts []validation.Finding
	key := func(f validation.Finding) validation.Finding {
		f.Seq, f.Pointer = 0, index.ReplaceAllString(f.Pointer, "/0")
		return f
	}
	for _, f := range r.Findings {
		if counts[key(f)]++; counts[key(f)] == 1 {
			firsts = append(firsts, f)
		}
	}
	slices.SortStableFunc(firsts, func(a, b validation.Finding) int {
		switch {
		case a.Note == b.Note:
			return 0
		case b.Note:
			return -1
		}
		return 1
	})
	var rows [][]string
	for _, f := range firsts {
		level, from := "error", string(f.From)
		if f.Note {
			level = "note"
		}
		if f.Acpshim {
			from = "acpshim"
		}
		text := terminal.Plain(f.Text, 300)
		if n := counts[key(f)]; n > 1 {
			text += fmt.Sprintf(" (%d times)", n)
		}
		rows = append(rows, []string{level, fmt.Sprint(f.Seq), from, string(f.Kind), plainName(f.Name), terminal.Plain(f.Pointer, 100), text})
	}
	missing := ""
	if len(r.Gaps) > 0 {
		var lost int
		for _, g := range r.Gaps {
			lost += g.Lines
			rows = append(rows, []string{"gap", fmt.Sprint(g.Seq), terminal.Plain(g.Stream, 20), "", "", "", fmt.Sprintf("%s missing, %s: %s", counted(g.Lines, "line is", "lines are"), view.Size(g.Bytes), terminal.Plain(g.Why, 200))})
		}
		missing = "; " + counted(lost, "line is", "lines are") + " missing"
	}
	if err := terminal.Table(w, []string{"LEVEL", "NUMBER", "FROM", "KIND", "MESSAGE", "PLACE", "WHAT"}, numbers, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s of version %s: %s, %s%s\n", counted(r.Messages, "message", "messages"), r.Version,
		counted(r.Errors, "error", "errors"), counted(r.Notes, "note", "notes"), missing)
	return err
}
