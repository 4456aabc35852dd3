package validate

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"

	"acpshim/internal/terminal"
)

var index = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/\d+`) })

// Write writes the report for people: the errors, then the notes, then the gaps. Of findings that
// are alike but for their place in an array it has the first, and how often.
func (r Report) Write(w io.Writer) error {
	if !r.Known {
		_, err := fmt.Fprintf(w, "version %s was negotiated, which there is no schema of: nothing was checked\n", r.Version)
		return err
	}
	counts := map[Finding]int{}
	var firsts []Finding
	key := func(f Finding) Finding {
		f.Seq, f.Pointer = 0, index().ReplaceAllString(f.Pointer, "/0")
		return f
	}
	for _, f := range r.Findings {
		if counts[key(f)]++; counts[key(f)] == 1 {
			firsts = append(firsts, f)
		}
	}
	var rows [][]string
	slices.SortStableFunc(firsts, func(a, b Finding) int { return cmp.Compare(a.level(), b.level()) })
	for _, f := range firsts {
		text := terminal.Plain(f.Text, 300)
		if n := counts[key(f)]; n > 1 {
			text += fmt.Sprintf(" (%d times)", n)
		}
		rows = append(rows, []string{f.level(), fmt.Sprint(f.Seq), f.subject().From, string(f.Kind), terminal.Name(f.Name), terminal.Plain(f.Pointer, 100), text})
	}
	missing := ""
	if len(r.Gaps) > 0 {
		var lost int
		for _, g := range r.Gaps {
			lost += g.Lines
			rows = append(rows, []string{"gap", fmt.Sprint(g.Seq), terminal.Plain(g.Stream, 20), "", "", "", fmt.Sprintf("%s missing, %s: %s", terminal.Count(g.Lines, "line is", "lines are"), terminal.Size(g.Bytes), terminal.Plain(g.Why, 200))})
		}
		missing = "; " + terminal.Count(lost, "line is", "lines are") + " missing"
	}
	if err := terminal.Table(w, []string{"LEVEL", "NUMBER", "FROM", "KIND", "MESSAGE", "PLACE", "WHAT"}, rows); err != nil {
		return err
	}
	made := ""
	if r.Made > 0 {
		made = fmt.Sprintf(" and %d of acpshim", r.Made)
	}
	version := "version " + r.Version
	if r.Agents != "" {
		version += " with the client and " + r.Agents + " with the agent"
	}
	_, err := fmt.Fprintf(w, "%s%s, %s: %s, %s%s\n", terminal.Count(r.Messages, "message", "messages"), made, version,
		terminal.Count(r.Errors, "error", "errors"), terminal.Count(r.Notes, "note", "notes"), missing)
	return err
}

func (f Finding) level() string {
	if f.Note {
		return "note"
	}
	return "error"
}
