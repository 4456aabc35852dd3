package transcript

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// Message returns a few lines about a message: its kind, and indented below it what a person would
// see. It returns nothing for a message that is not shown.
func Message(line []byte) []string {
	msg, err := wire.Parse(line, append(slices.Clone(translate.Paths), "params.toolCall")...)
	if err != nil {
		return nil
	}
	params := msg.Open("params")
	update := params.Open("update")
	kind, ok := update.Text("sessionUpdate")
	if ok {
		return messageOf(kind, line, update)
	}
	if method, _ := msg.Text("method"); method == acp.SessionRequestPermission {
		title, _ := params.Open("toolCall").Text("title")
		return []string{method, "  " + title}
	}
	return nil
}

// messageOf is Message for a session update.
func messageOf(kind string, line []byte, update *wire.Object) []string {
	u, err := translate.Decode(update)
	if err != nil {
		text, _ := wire.Text(wire.Pointer{"content", "text"}.Raw(line[update.Start:update.End]))
		return append([]string{kind}, indent(strings.Trim(text, "\n"))...) // as it is drawn
	}
	switch u.Kind {
	case translate.Legacy:
		return append([]string{kind}, indent(Draw(u.Entries))...)
	case translate.Removed:
		return []string{fmt.Sprintf("%s %q", kind, u.ID)}
	case translate.Items:
		return append([]string{fmt.Sprintf("%s items %q", kind, u.ID)}, indent(Draw(u.Entries))...)
	case translate.File:
		return []string{fmt.Sprintf("%s file %q", kind, u.ID), "  " + path.Base(u.URI)}
	}
	return append([]string{fmt.Sprintf("%s markdown %q", kind, u.ID)}, indent(u.Text)...)
}

// indent returns the lines of a text, indented.
func indent(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight("  "+l, " \n"))
	}
	return lines
}
