package repair

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// An edit is a tool call that edits files, and what the client shows of it.
type edit struct {
	id     string
	diff   []byte // elements of content: the agent's last diffs, or the one made from the input
	text   []byte // the elements that the agent sent after a diff made from the input
	isOwn  bool   // the agent sends content itself, so no diff is made
	isOver bool   // completed
}

// edits are the edits of a session that have not failed, oldest first. A completed one without a
// diff is not among them.
type edits struct{ list []*edit }

// Limits on the edits of a session. The oldest are forgotten first.
const (
	maxEdits = 256
	maxDiffs = maxInput + 1<<20 // bytes; the longest diff that is made fits
)

// find returns an edit, or nil.
func (es *edits) find(id string) *edit {
	if es == nil {
		return nil
	}
	if i := slices.IndexFunc(es.list, func(e *edit) bool { return e.id == id }); i >= 0 {
		return es.list[i]
	}
	return nil
}

// without returns the edits without that one. es may be nil.
func (es *edits) without(id string) *edits {
	if es == nil {
		return &edits{}
	}
	es.list = slices.DeleteFunc(es.list, func(e *edit) bool { return e.id == id })
	return es
}

// trim forgets completed edits without a diff, and the oldest beyond the limits.
func (es *edits) trim() {
	es.list = slices.DeleteFunc(es.list, func(e *edit) bool { return e.isOver && e.diff == nil })
	for len(es.list) > maxEdits || es.size() > maxDiffs {
		es.list = slices.Delete(es.list, 0, 1)
	}
}

// size returns about how many bytes the edits take.
func (es *edits) size() (size int) {
	for _, e := range es.list {
		size += 128 + len(e.id) + len(e.diff) + len(e.text)
	}
	return size
}

// next takes a message of the call, and the diff that its input makes, or nil. It returns the new
// content and the reason, or nil if the message stays as it is.
func (e *edit) next(call *wire.Object, made []byte) (content []byte, why wire.Reason) {
	sent := call.Raw("content")
	isSent := !wire.IsAbsent(sent)
	elements, isList := wire.Elements(sent)
	var text []byte // the elements as the agent wrote them
	if len(elements) > 0 {
		text = sent[1 : len(sent)-1]
	}
	status, _ := call.Text("status")
	diffs := diffsOf(elements)
	switch isNew := made != nil && !e.isOver && !bytes.Equal(made, e.diff); {
	case status == acp.StatusFailed: // the file is not as the diff says
		e.isOver, e.diff = true, nil
	case isSent && !isList: // nobody can say what the client shows
		e.diff, e.isOwn = nil, true
	case diffs != nil:
		e.diff, e.text, e.isOwn = diffs, nil, true
	case e.isOwn || e.diff == nil && text != nil:
		if e.isOwn = true; isSent && !isContent(elements) {
			e.diff = nil // the agent replaces it by something else than text
		} else if isSent && e.diff != nil {
			content, why = list(e.diff, text), whyKeptDiff
		}
	case isNew || isSent && e.diff != nil:
		if why = whyKeptDiff; isNew {
			e.diff, why = made, whyMadeDiff
		}
		if isSent {
			e.text = bytes.Clone(text)
		}
		content = list(e.diff, e.text)
	}
	e.isOver = e.isOver || status == acp.StatusCompleted
	return content, why
}

// list returns a list with these elements.
func list(diff, text []byte) []byte {
	b := append([]byte("["), diff...)
	if text != nil {
		b = append(append(b, ','), text...)
	}
	return append(b, ']')
}

// diffsOf returns the elements that are diffs, with commas between them, or nil.
func diffsOf(elements [][]byte) []byte {
	var diffs [][]byte
	for _, raw := range elements {
		if typeOf(raw) == acp.ContentDiff {
			diffs = append(diffs, raw)
		}
	}
	if diffs == nil {
		return nil
	}
	return bytes.Join(diffs, []byte(","))
}

// isContent reports whether a list has elements, and all are of type content.
func isContent(elements [][]byte) bool {
	return len(elements) > 0 && !slices.ContainsFunc(elements, func(raw []byte) bool { return typeOf(raw) != acp.ContentContent })
}

func typeOf(raw []byte) string {
	o, _ := wire.Parse(raw)
	kind, _ := o.Text("type")
	return kind
}
