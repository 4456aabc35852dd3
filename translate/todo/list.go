// Package todo makes plan entries from the calls of todo tools, for agents that send no plan.
//
// A [Tool] describes the calls of one tool. [Todos] follows the calls of a session.
package todo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Todos follows the calls of todo tools in one session. All tools of an agent write one list. The
// zero Todos is empty and ready for use. It is not safe for concurrent use.
type Todos struct {
	calls *simplelru.LRU[string, *call]

	// versions are the lists after each call, the newest last. If a call fails, its version is
	// removed.
	versions []version
	clock    int // counts changes of versions
	size     int // approximate memory of calls and versions
}

// A version is the list after a call.
type version struct {
	call  string // empty if it is final
	steps []step
	size  int
}

// Limits on the memory of Todos. A list larger than maxBytes is not shown.
const (
	maxBytes    = 4 << 20
	maxCalls    = 256
	maxCallID   = 1 << 10 // bytes; a call with a longer id is ignored
	maxVersions = 8
)

// Read reads a tool_call or a tool_call_update, and reports whether the list changed. The first of
// tools that recognises a call reads all its messages.
func (t *Todos) Read(tools []*Tool, update *wire.Object) (changed bool) {
	id, _ := update.Text("toolCallId")
	if id == "" || len(id) > maxCallID {
		return false
	}
	before := t.clock
	kind, _ := update.Text("sessionUpdate")
	c := t.callOf(id, kind == acp.ToolCall)
	c.update(tools, update)
	switch {
	case c.subagent:
		t.undo(id)
	case c.tool == nil:
	case c.failed() || holdsAny(update, failures):
		t.undo(id)
	default:
		t.readCall(id, c, update)
	}
	return t.clock != before
}

// readCall applies a message of a todo tool's call to the list.
func (t *Todos) readCall(id string, c *call, update *wire.Object) {
	switch w, ok := c.tool.read(update); {
	case ok && c.read && w.rank > c.rank:
		// An earlier message had a better list, such as the output instead of the input.
	case ok && !c.completed() && !w.patch && len(w.steps) == 0:
		// Some agents begin a call with an empty list and send the list later.
		c.emptied = t.clock + 1
	case ok:
		c.read, c.rank = true, w.rank
		t.write(id, w)
	case c.completed() && c.emptied == t.clock+1:
		t.write(id, change{})
	}
	if c.completed() {
		t.confirm(id)
	}
}

// ReadParams reads the params of a message of the tool's own method, and reports whether the list
// changed. If it names a tool call, the messages of that call are ignored from then on, because
// Cursor begins it with an empty list.
func (t *Todos) ReadParams(tool *Tool, params *wire.Object) (changed bool) {
	title, _ := params.Text("title")
	is, _ := tool.recognises(params, title)
	if !is && len(tool.title)+len(tool.tool) > 0 {
		return false
	}
	w, ok := tool.read(params)
	if !ok || holdsAny(params, parents) {
		return false
	}
	id, _ := params.Text("toolCallId")
	if id != "" && len(id) <= maxCallID {
		c := t.callOf(id, false)
		if c.subagent {
			return false
		}
		c.read, c.rank = true, -1
	}
	t.write(id, w)
	t.confirm(id)
	return true
}

// Knows reports whether Read or ReadParams had a message of the call.
func (t *Todos) Knows(id string) bool { return t.find(id) != nil }

// IsOpen reports whether a call of a todo tool has begun and not ended.
func (t *Todos) IsOpen(id string) bool {
	c := t.find(id)
	return c != nil && c.tool != nil && !c.ended()
}

// Ignores reports whether all updates of a call are ignored, because it is not a call of a todo
// tool, or a subagent made it.
func (t *Todos) Ignores(id []byte) bool {
	c := t.find(string(id))
	return c != nil && (c.ignored || c.subagent)
}

// find returns the state of a call, or nil.
func (t *Todos) find(id string) *call {
	if t.calls == nil {
		return nil
	}
	c, _ := t.calls.Get(id)
	return c
}

// Entries returns the entries of the list.
func (t *Todos) Entries() (entries []entry.Entry) {
	for _, s := range t.latest() {
		if e, ok := entry.New(s.content, entry.Priority(s.priority), entry.Status(s.status), nil); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

func (t *Todos) latest() []step {
	if len(t.versions) == 0 {
		return nil
	}
	return t.versions[len(t.versions)-1].steps
}

// Size returns the approximate memory in bytes.
func (t *Todos) Size() int { return t.size }

// callOf returns the state of a call, and adds it if it is new. A call that starts replaces an
// ended one, because agents use ids again.
func (t *Todos) callOf(id string, starts bool) *call {
	if t.calls == nil {
		t.calls, _ = simplelru.NewLRU(maxCalls, func(id string, _ *call) { t.size -= 256 + len(id) })
	}
	if c := t.find(id); c != nil && !(starts && c.ended()) {
		return c
	}
	t.calls.Remove(id)
	c := &call{}
	t.size += 256 + len(id)
	t.calls.Add(id, c)
	return c
}

func (t *Todos) write(id string, w change) {
	t.undo(id)
	v := version{call: id, steps: w.steps}
	if w.patch {
		v.steps = applyPatch(t.latest(), w.steps)
	}
	for i := range v.steps {
		s := &v.steps[i]
		s.id = cmp.Or(s.id, strconv.Itoa(i+1))
		if slices.Contains(w.completed, s.id) {
			s.status = string(entry.Completed)
		}
		v.size += 64 + len(s.id) + len(s.content) + len(s.status) + len(s.priority)
	}
	t.clock++
	t.size += v.size
	t.versions = append(t.versions, v)
	for len(t.versions) > maxVersions || t.size > maxBytes {
		t.drop(1)
	}
}

// applyPatch returns the steps of base with the changes of patch. New steps come after them. A step
// without an id is identified by its content.
func applyPatch(base, patch []step) []step {
	steps := slices.Clone(base)
	byID, byContent := map[string]int{}, map[string]int{}
	for i, s := range steps {
		byID[s.id], byContent[s.content] = i, i
	}
	for _, p := range patch {
		i, known := byID[p.id]
		if p.id == "" {
			i, known = byContent[p.content]
		}
		if known {
			s := &steps[i]
			*s = step{s.id, cmp.Or(p.content, s.content), cmp.Or(p.status, s.status), cmp.Or(p.priority, s.priority)}
		} else if strings.TrimSpace(p.content) != "" && len(steps) < maxSteps {
			byID[p.id], byContent[p.content] = len(steps), len(steps)
			steps = append(steps, p)
		}
	}
	return steps
}

// versionOf returns the index of the version of a call, or -1 if the call has no version or its
// version is final.
func (t *Todos) versionOf(id string) int {
	return slices.IndexFunc(t.versions, func(v version) bool { return id != "" && v.call == id })
}

// undo removes the version of a call.
func (t *Todos) undo(id string) {
	if i := t.versionOf(id); i >= 0 {
		t.size -= t.versions[i].size
		t.versions = slices.Delete(t.versions, i, i+1)
		t.clock++
	}
}

// confirm makes the version of a call final.
func (t *Todos) confirm(id string) {
	if i := t.versionOf(id); i >= 0 {
		t.drop(i)
		t.versions[0].call = ""
	}
}

func (t *Todos) drop(n int) {
	for _, v := range t.versions[:n] {
		t.size -= v.size
	}
	t.versions = slices.Delete(t.versions, 0, n)
}
