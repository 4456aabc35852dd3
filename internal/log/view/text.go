package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// unread describes a line that is not a message.
func unread(m *history.Message) string {
	line, problem := m.Message.Line, "not a message"
	switch {
	case line == nil:
		line, problem = m.Message.Head, fmt.Sprintf("a line of %s, too long to be kept", terminal.Size(m.Message.Len))
	case len(bytes.TrimSpace(line)) == 0:
		return "an empty line"
	case m.Ambiguous:
		problem = "ambiguous, a name appears twice"
	}
	return problem + ": " + raw(line)
}

// event describes a line of acpshim's log: its level, its message, and its other members. It
// reports whether the line is about an error.
func event(line []byte) (text string, failed bool) {
	e, err := wire.Parse(line)
	if err != nil {
		return raw(line), false
	}
	level, _ := e.Text("level")
	message, _ := e.Text("message")
	parts := []string{joined(": ", level, message)}
	for _, m := range e.Members {
		if m.Name == "level" || m.Name == "message" || m.Name == "time" {
			continue
		}
		value := line[m.Value.Start:m.Value.End]
		shown := string(value[:min(len(value), 4*maxText)])
		if s, ok := wire.Text(value); ok && s != "" && !strings.ContainsAny(s, " =\"\n") {
			shown = s
		}
		parts = append(parts, m.Name+"="+shown)
	}
	return joined(" ", parts...), level == "error" || level == "fatal"
}

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// text is the first of these members that is a text and not empty, on one line.
func text(o *wire.Object, names ...string) string {
	for _, name := range names {
		if s, ok := o.Text(name); ok && s != "" {
			return terminal.Plain(s, maxText)
		}
	}
	return ""
}

// raw is the beginning of a value or a line, as it is written there.
func raw(value []byte) string {
	return terminal.Plain(string(value[:min(len(value), 4*maxText)]), maxText)
}

// counted is the number of elements of a list; "" for an empty one.
func counted(list []byte, unit string) string {
	elements, _ := wire.Elements(list)
	if len(elements) == 0 {
		return ""
	}
	return terminal.Count(len(elements), unit, unit+"s")
}

// length is the size of a text.
func length(o *wire.Object, name string) string {
	content, _ := o.Text(name)
	return terminal.Size(int64(len(content)))
}

// blocks is the text of content blocks.
func blocks(list []byte) string {
	elements, _ := wire.Elements(list)
	var texts []string
	for _, e := range elements[:min(len(elements), 20)] {
		block, err := wire.Parse(e)
		if err != nil {
			continue
		}
		kind, content := text(block, "type"), text(block, "text", "uri", "name")
		if kind != acp.ContentText {
			content = "[" + joined(" ", kind, content) + "]"
		}
		texts = append(texts, content)
	}
	return terminal.Plain(strings.Join(texts, " "), maxText)
}

// handshake is the name of a peer, and its version of the protocol.
func handshake(o *wire.Object, info string) string {
	return joined(", ", joined(" ", text(o.Open(info), "name"), text(o.Open(info), "version")),
		joined(" ", "protocol", raw(o.Raw("protocolVersion"))))
}
