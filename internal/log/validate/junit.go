package validate

import (
	"fmt"
	"io"
	"strings"

	"acpshim/internal/text/junit"
	"acpshim/internal/text/terminal"
)

// WriteJUnit writes the report as JUnit XML, for build servers. There is a test for each group of
// messages. Errors are its failure, notes its output.
func (r Report) WriteJUnit(w io.Writer) error {
	var cases []junit.Case
	for _, group := range r.Groups {
		c := junit.Case{Class: "acp." + group.From, Name: string(group.Kind) + " " + terminal.Name(group.Name)}
		for _, f := range r.Findings {
			if f.group() != group {
				continue
			}
			text := fmt.Sprintf("#%d %s: %s", f.Seq, f.Pointer, f.Text)
			if f.Note {
				c.Output = append(c.Output, text)
			} else {
				c.Failure = append(c.Failure, text)
			}
		}
		cases = append(cases, c)
	}
	if !r.Known {
		cases = []junit.Case{{Class: "acp", Name: "schema", Skipped: "there is no schema for version " + r.Version}}
	}
	return junit.Write(w, strings.TrimSpace("acp "+r.Record), cases)
}
