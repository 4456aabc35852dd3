package validate

import (
	"fmt"
	"html"
	"io"
	"strings"

	"acpshim/internal/text/terminal"
)

// WriteJUnit writes the report as JUnit XML, for build servers. There is a test for each group of
// messages. Errors are its failure, notes its output.
func (r Report) WriteJUnit(w io.Writer) error {
	var b strings.Builder
	failures := 0
	for _, group := range r.Groups {
		var wrong, notes []string
		for _, f := range r.Findings {
			if f.group() != group {
				continue
			}
			text := fmt.Sprintf("#%d %s: %s", f.Seq, f.Pointer, f.Text)
			if f.Note {
				notes = append(notes, text)
			} else {
				wrong = append(wrong, text)
			}
		}
		fmt.Fprintf(&b, "    <testcase classname=%s name=%s>\n", attribute("acp."+group.From), attribute(string(group.Kind)+" "+terminal.Name(group.Name)))
		if len(wrong) > 0 {
			failures++
			fmt.Fprintf(&b, "      <failure message=%s>%s</failure>\n", attribute(wrong[0]), xmlLines(wrong))
		}
		if len(notes) > 0 {
			fmt.Fprintf(&b, "      <system-out>%s</system-out>\n", xmlLines(notes))
		}
		b.WriteString("    </testcase>\n")
	}
	tests, skipped := len(r.Groups), 0
	if !r.Known {
		tests, skipped = 1, 1
		fmt.Fprintf(&b, "    <testcase classname=\"acp\" name=\"schema\">\n      <skipped message=%s/>\n    </testcase>\n",
			attribute("there is no schema for version "+r.Version))
	}
	head := fmt.Sprintf("name=%s tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"", attribute(strings.TrimSpace("acp "+r.Record)), tests, failures, skipped)
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite %s>\n%s  </testsuite>\n</testsuites>\n", head, b.String())
	return err
}

// attribute quotes a text as a value of an XML attribute, without control characters.
func attribute(text string) string { return `"` + html.EscapeString(terminal.Plain(text, 300)) + `"` }

// xmlLines escapes texts for XML, one a line.
func xmlLines(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(html.EscapeString(terminal.Plain(line, 1000)) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
