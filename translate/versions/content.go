package versions

import (
	"bytes"
	"fmt"

	"acpshim/internal/wire"
)

// A part is an element of a tool call's content in version 1, or a terminal of the agent.
type part struct {
	raw      []byte // JSON
	terminal string // the id of a terminal, if raw is nil
}

func contentTo1(content []byte) (parts []part) {
	elements, _ := wire.Elements(content)
	for _, element := range elements {
		parts = append(parts, partsTo1(element)...)
	}
	return parts
}

// partsTo1 translates an element of content to version 1, where a diff has only one file.
func partsTo1(element []byte) []part {
	o := open(element, "patch", "content")
	switch kind, _ := o.Text("type"); kind {
	case "terminal":
		if id, _ := o.Text("terminalId"); id != "" && len(id) <= maxID {
			return []part{{terminal: id}}
		}
	case "diff":
		return diffTo1(o)
	case "session": // the client announces support for subagents
		return []part{{raw: bytes.Clone(element)}}
	case "content":
		if fitted := with(field{"content", blockTo1, true})(element); fitted != nil {
			return []part{{raw: bytes.Clone(fitted)}}
		}
	}
	kind, _ := o.Text("type")
	return []part{note(fmt.Sprintf("[%s]", kind))}
}

// isBlock reports whether version 1 has content blocks of a type.
func isBlock(kind string) bool {
	switch kind {
	case "text", "image", "audio", "resource_link", "resource":
		return true
	}
	return false
}

func note(text string) part {
	return part{raw: object(nil).text("type", "content").with("content", textBlock(text)).json()}
}

// diffTo1 splits a diff of version 2 into one diff for each file. Changes without a patch, such as
// renames, become notes.
func diffTo1(diff *wire.Object) (parts []part) {
	text, _ := diff.Open("patch").Text("text")
	files := readPatch(text)
	changes, _ := wire.Elements(diff.Raw("changes"))
	for _, raw := range changes {
		change := open(raw)
		operation, _ := change.Text("operation")
		path, _ := change.Text("path")
		old, _ := change.Text("oldPath")
		f, isKnown := files[path]
		if old != "" {
			parts = append(parts, note(fmt.Sprintf("%s %s to %s", operation, old, path)))
		}
		switch {
		case isKnown || operation == "delete":
			to := object(nil).text("type", "diff").text("path", path)
			if !f.isNew && operation != "add" {
				to = to.text("oldText", f.old)
			}
			parts = append(parts, part{raw: to.text("newText", f.new).json()})
		case old == "":
			parts = append(parts, note(fmt.Sprintf("%s %s", operation, path)))
		}
	}
	return parts
}

// contentTo2 translates the content of a tool call to version 2. A diff keeps its members of
// version 1. A terminal that the client does not have becomes a note.
func contentTo2(content []byte, has func(terminal string) bool) []byte {
	return mapElements(content, func(element []byte) []byte {
		o := open(element)
		switch kind, _ := o.Text("type"); kind {
		case "diff":
			return diffTo2(element, o)
		case "terminal":
			if id, _ := o.Text("terminalId"); has(id) {
				return element
			}
			return note("[the output of a command]").raw
		case "content":
			return with(field{name: "content", form: blockTo2})(element)
		}
		return element
	})
}

func diffTo2(element []byte, o *wire.Object) []byte {
	if changes, _ := wire.Elements(o.Raw("changes")); len(changes) > 0 {
		return element
	}
	path, ok := o.Text("path")
	if !ok {
		return note("[diff]").raw
	}
	f := fileText{isNew: wire.IsAbsent(o.Raw("oldText"))}
	f.old, _ = o.Text("oldText")
	f.new, _ = o.Text("newText")
	operation := "modify"
	switch kind, _ := open(o.Raw("_meta")).Text("kind"); {
	case kind == "delete":
		f.isGone, operation = true, "delete"
	case f.isNew:
		operation = "add"
	}
	change := object(nil).text("operation", operation).text("path", path).json()
	patch := object(nil).text("format", "git_patch").text("text", patchOf(path, f)).json()
	return wire.Splice(nil, element, o.Set(
		wire.Setting{Name: "changes", Value: wire.List([][]byte{change})},
		wire.Setting{Name: "patch", Value: patch},
	)...)
}
