package replay

import (
	"fmt"
	"io"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
)

// WriteDiff writes the differences at each end for people, and reports whether there are any.
func WriteDiff(w io.Writer, then, now Outputs) (differs bool) {
	differs = then[record.Client].WriteDiff(w, "to agent", now[record.Client])
	return then[record.Agent].WriteDiff(w, "to client", now[record.Agent]) || differs
}

// WriteDiff writes the differences between a recorded output and today's, and reports whether there
// are any. Name is the name of the end.
func (p Output) WriteDiff(w io.Writer, name string, now Output) bool {
	differences := transcript.Align(p.Lines, now.Lines)
	for _, d := range differences {
		at := "at the end"
		if d.At < len(p.Messages) {
			m := p.Messages[d.At]
			at = strings.TrimRight(fmt.Sprintf("#%d, %.3fs, %s", m.Seq, m.Mono.Seconds(), terminal.Plain(m.Method+" "+m.Update, 0)), ", ")
		}
		fmt.Fprintf(w, "%s, %s\n", name, at)
		for _, line := range d.Then {
			fmt.Fprintf(w, "- %s\n", terminal.Message(line))
		}
		for _, line := range d.Now {
			fmt.Fprintf(w, "+ %s\n", terminal.Message(line))
		}
	}
	return len(differences) > 0
}
