package transcript

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate"
)

// Message says in a few lines what a message is about: its kind, and indented
// what a person would see of it. It is empty for what is not for a reader.
func Message(line []byte) []string {
	msg, err := wire.Parse(line, append(slices.Clone(translate.Paths), "params.toolCall")...)
	if err != nil {
		return nil
	}
	update := msg.Open("params").Open("update")
	kind, ok := update.Text("sessionUpdate")
	switch u, err := translate.Decode(update); {
	case !ok:
		if method, _ := msg.Text("method"); method == "session/request_permission" {
			title, _ := msg.Open("params").Open("toolCall").Text("title")
			return []string{method, "  " + title}
		}
		return nil
	case err != nil:
		var chunk struct{ Content struct{ Text string } }
		json.Unmarshal(lineOf(line, update), &chunk)
		return append([]string{kind}, indent(strings.Trim(chunk.Content.Text, "\n"))...) // as it is drawn
	case u.Kind == translate.Legacy:
		return append([]string{kind}, indent(Draw(u.Entries))...)
	case u.Kind == translate.Removed:
		return []string{fmt.Sprintf("%s %q", kind, u.ID)}
	case u.Kind == translate.Items:
		return append([]string{fmt.Sprintf("%s items %q", kind, u.ID)}, indent(Draw(u.Entries))...)
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
