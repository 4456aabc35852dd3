package versions

import (
	"bytes"
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A part is an element of a tool call's content in version 1, or a terminal of the agent.
type part struct {
	raw      []byte // JSON
	terminal string // the id of a terminal, if raw is nil
}

// parts are the content of a tool call in version 1 under construction. It has each terminal once.
// The first part for which a line has no room, and all after it, become one note.
type parts struct {
	charge func(bytes int) bool // see [dispatch.Port.Charge]
	list   []part
	isFull bool
	has    map[string]bool // ids of terminals
}

const noRoom = "[more content is left out, because it is too large]"

// fits charges the bytes of the next part.
func (p *parts) fits(bytes int) bool {
	if !p.isFull && !p.charge(bytes) {
		p.isFull = true
		p.list = append(p.list, note(noRoom))
	}
	return !p.isFull
}

func (p *parts) note(text string) {
	if p.fits(wire.QuotedLen(text)) {
		p.list = append(p.list, note(text))
	}
}

// add translates an element of content to version 1, where a diff has only one file.
func (p *parts) add(element []byte) {
	o := open(element, "patch", "content")
	kind, _ := o.Text("type")
	fitted := element
	if kind == acp.ContentContent {
		fitted = with(field{"content", blockTo1, true})(element)
	}
	switch {
	case kind == acp.ContentTerminal:
		id, _ := o.Text("terminalId")
		if id != "" && len(id) <= maxID && !p.has[id] {
			p.has[id] = true
			p.list = append(p.list, part{terminal: id})
		}
	case kind == acp.ContentDiff:
		p.addDiff(o)
	case kind == acp.ContentSession, kind == acp.ContentContent && fitted != nil: // the client announces support for subagents
		if p.fits(len(fitted)) {
			p.list = append(p.list, part{raw: bytes.Clone(fitted)})
		}
	default:
		p.note(fmt.Sprintf("[%s]", kind))
	}
}

func (s *session) contentTo1(elements ...[]byte) []part {
	p := parts{charge: s.charge, has: map[string]bool{}}
	for _, element := range elements {
		p.add(element)
	}
	return p.list
}

// isBlock reports whether version 1 has content blocks of a type.
func isBlock(kind string) bool {
	switch kind {
	case acp.ContentText, acp.ContentImage, acp.ContentAudio, acp.ContentResourceLink, acp.ContentResource:
		return true
	}
	return false
}

func note(text string) part {
	return part{raw: object(nil).text("type", acp.ContentContent).with("content", textBlock(text)).json()}
}

// addDiff splits a diff of version 2 into one diff for each file. Changes without a patch, such as
// renames, become notes, and so do all changes of a file after the first one: the patch of the file
// is shown once.
func (p *parts) addDiff(diff *wire.Object) {
	text, _ := diff.Open("patch").Text("text")
	files := readPatch(text)
	changes, _ := wire.Elements(diff.Raw("changes"))
	for _, raw := range changes {
		change := open(raw)
		operation, _ := change.Text("operation")
		path, _ := change.Text("path")
		old, _ := change.Text("oldPath")
		f, isKnown := files[path]
		delete(files, path)
		if old != "" {
			p.note(fmt.Sprintf("%s %s to %s", operation, old, path))
		}
		switch {
		case isKnown || operation == "delete":
			if p.fits(wire.QuotedLen(path) + wire.QuotedLen(f.old) + wire.QuotedLen(f.new)) {
				p.list = append(p.list, diffOf(path, f, f.isNew || operation == "add"))
			}
		case old == "":
			p.note(fmt.Sprintf("%s %s", operation, path))
		}
	}
}

func diffOf(path string, f fileText, isNew bool) part {
	to := object(nil).text("type", acp.ContentDiff).text("path", path)
	if !isNew {
		to = to.text("oldText", f.old)
	}
	return part{raw: to.text("newText", f.new).json()}
}

// contentTo2 translates the content of a tool call to version 2. A diff keeps its members of
// version 1. A terminal that the client does not have becomes a note, and so do the diffs for which
// a line has no room, all of them one.
func (s *clientSession) contentTo2(content []byte) []byte {
	isFull := false
	return mapElements(content, func(element []byte) []byte {
		o := open(element)
		switch kind, _ := o.Text("type"); kind {
		case acp.ContentDiff:
			with := s.diffTo2(element, o)
			if with == nil && !isFull {
				isFull = true
				return note(noRoom).raw
			}
			return with
		case acp.ContentTerminal:
			if id, _ := o.Text("terminalId"); s.has(id) {
				return element
			}
			return note("[the output of a command]").raw
		case acp.ContentContent:
			return with(field{name: "content", form: blockTo2})(element)
		}
		return element
	})
}

// diffTo2 adds the members of version 2 to a diff. It leaves out the patch of a path that is too
// long for a file, and one for which the line has no room. It returns nil if there is no room for
// the other members either.
func (s *clientSession) diffTo2(element []byte, o *wire.Object) []byte {
	if changes, _ := wire.Elements(o.Raw("changes")); len(changes) > 0 {
		return element
	}
	path, ok := o.Text("path")
	if !ok {
		return note("[diff]").raw
	}
	if !s.charge(len(element) + wire.QuotedLen(path)) {
		return nil
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
	set := []wire.Setting{{Name: "changes", Value: wire.List([][]byte{change})}}
	if len(path) <= maxPath && s.charge(4*wire.QuotedLen(patchName(path))+wire.QuotedLen(f.old)+wire.QuotedLen(f.new)) {
		patch := object(nil).text("format", "git_patch").text("text", patchOf(path, f)).json()
		set = append(set, wire.Setting{Name: "patch", Value: patch})
	}
	return wire.Splice(nil, element, o.Set(set...)...)
}

// maxPath is the maximum length of a path in a patch, in bytes: no file has a longer one.
const maxPath = 4 << 10
