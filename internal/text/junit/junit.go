// Package junit writes the results of tests as JUnit XML, for build servers.
package junit

import (
	"fmt"
	"html"
	"io"
	"strings"

	"acpshim/internal/text/terminal"
)

// A Case is one test and its result. It passed if there is no failure, and it was not skipped.
type Case struct {
	Class   string
	Name    string
	Failure []string // lines; the first one is also the message
	Skipped string   // why it was skipped
	Output  []string // other lines
}

// Write writes a suite of tests.
func Write(w io.Writer, name string, cases []Case) error {
	var b strings.Builder
	failures, skipped := 0, 0
	for _, c := range cases {
		fmt.Fprintf(&b, "    <testcase classname=%s name=%s>\n", attribute(c.Class), attribute(c.Name))
		if len(c.Failure) > 0 {
			failures++
			fmt.Fprintf(&b, "      <failure message=%s>%s</failure>\n", attribute(c.Failure[0]), content(c.Failure))
		}
		if c.Skipped != "" {
			skipped++
			fmt.Fprintf(&b, "      <skipped message=%s/>\n", attribute(c.Skipped))
		}
		if len(c.Output) > 0 {
			fmt.Fprintf(&b, "      <system-out>%s</system-out>\n", content(c.Output))
		}
		b.WriteString("    </testcase>\n")
	}
	head := fmt.Sprintf("name=%s tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"", attribute(name), len(cases), failures, skipped)
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite %s>\n%s  </testsuite>\n</testsuites>\n", head, b.String())
	return err
}

// attribute quotes a text as a value of an XML attribute, without control characters.
func attribute(text string) string { return `"` + html.EscapeString(terminal.Plain(text, 300)) + `"` }

// content escapes texts for XML, one a line.
func content(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(html.EscapeString(terminal.Plain(line, 1000)) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
