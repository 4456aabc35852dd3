package demo

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"acpshim/internal/transcript"
	"acpshim/translate"
	"acpshim/wire"
)

// draw says in a few lines what a message is about: its kind, and indented what
// a person would see of it. It is empty for what the demo is not about.
func draw(line []byte) []string {
	msg, err := wire.Parse(line, translate.Paths...)
	if err != nil {
		return nil
	}
	update := msg.Open("params").Open("update")
	kind, ok := update.Text("sessionUpdate")
	switch u, err := translate.Decode(update); {
	case !ok:
		if method, _ := msg.Text("method"); method == "session/request_permission" {
			return []string{method, "  Implement this plan?"}
		}
		return nil
	case err != nil:
		var chunk struct{ Content struct{ Text string } }
		json.Unmarshal(lineOf(line, update), &chunk)
		return append([]string{kind}, indent(chunk.Content.Text)...)
	case u.Kind == translate.Legacy:
		return append([]string{kind}, indent(transcript.Draw(u.Entries))...)
	case u.Kind == translate.Removed:
		return []string{fmt.Sprintf("%s %q", kind, u.ID)}
	case u.Kind == translate.Items:
		return append([]string{fmt.Sprintf("%s items %q", kind, u.ID)}, indent(transcript.Draw(u.Entries))...)
	case u.Kind == translate.File:
		return []string{fmt.Sprintf("%s file %q", kind, u.ID), "  " + path.Base(u.URI)}
	default:
		return append([]string{fmt.Sprintf("%s markdown %q", kind, u.ID)}, indent(u.Text)...)
	}
}

func lineOf(line []byte, o *wire.Object) []byte { return line[o.Start:o.End] }

func indent(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight("  "+l, " \n"))
	}
	return lines
}

// beside puts two columns next to each other.
func beside(left, right []string) string {
	const width = 38
	var b strings.Builder
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, l, r), " ") + "\n")
	}
	return b.String()
}
