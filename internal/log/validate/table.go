package validate

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"

	"acpshim/internal/text/terminal"
)

var indexes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/\d+`) })

// Write writes the report for people: the errors, then the notes, then the gaps. Findings that
// differ only in the message and in an index of an array become one row, which has the first
// finding and how many there are.
func (r Report) Write(w io.Writer) error {
	if !r.Known {
		_, err := fmt.Fprintf(w, "nothing was checked: there is no schema for version %s, which was negotiated\n", r.Version)
		return err
	}
	rows := append(r.findingRows(), r.gapRows()...)
	if err := terminal.Table(w, []string{"LEVEL", "NUMBER", "FROM", "KIND", "MESSAGE", "PLACE", "WHAT"}, rows); err != nil {
		return err
	}
	made, lost := "", ""
	if r.Made > 0 {
		made = fmt.Sprintf(" and %d from acpshim", r.Made)
	}
	if len(r.Gaps) > 0 {
		lines := 0
		for _, g := range r.Gaps {
			lines += g.Lines
		}
		lost = "; " + terminal.Count(lines, "line is", "lines are") + " missing"
	}
	version := "version " + r.Version
	if r.Agents != "" {
		version += " with the client and " + r.Agents + " with the agent"
	}
	_, err := fmt.Fprintf(w, "%s%s, %s: %s, %s%s\n", terminal.Count(r.Messages, "message", "messages"), made, version,
		terminal.Count(r.Errors, "error", "errors"), terminal.Count(r.Notes, "note", "notes"), lost)
	return err
}

// findingRows returns the rows of the findings.
func (r Report) findingRows() (rows [][]string) {
	key := func(f Finding) Finding {
		f.Seq, f.Pointer = 0, indexes().ReplaceAllString(f.Pointer, "/0")
		return f
	}
	counts := map[Finding]int{}
	var firsts []Finding
	for _, f := range r.Findings {
		if counts[key(f)]++; counts[key(f)] == 1 {
			firsts = append(firsts, f)
		}
	}
	slices.SortStableFunc(firsts, func(a, b Finding) int { return cmp.Compare(a.level(), b.level()) })
	for _, f := range firsts {
		text := terminal.Plain(f.Text, 300)
		if n := counts[key(f)]; n > 1 {
			text += fmt.Sprintf(" (%d times)", n)
		}
		rows = append(rows, []string{f.level(), fmt.Sprintf("#%d", f.Seq), f.group().From, string(f.Kind), terminal.Name(f.Name), terminal.Plain(f.Pointer, 100), text})
	}
	return rows
}

// gapRows returns the rows of the gaps.
func (r Report) gapRows() (rows [][]string) {
	for _, g := range r.Gaps {
		text := fmt.Sprintf("%s missing, %s: %s", terminal.Count(g.Lines, "line is", "lines are"), terminal.Size(g.Bytes), terminal.Plain(g.Why, 200))
		rows = append(rows, []string{"gap", fmt.Sprintf("#%d", g.Seq), terminal.Plain(g.Stream, 20), "", "", "", text})
	}
	return rows
}
