// Package todo reads the todo lists of agents that send no plan from the calls of their todo
// tools: messages in, plan entries out.
//
// A [Tool] says what one tool's calls look like, [Todos] follows the calls of a session.
package todo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate/entry"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Todos follows the calls of todo tools in one session, and holds the list that they write:
// an agent has one, whatever the number of its tools. The zero Todos is empty and ready for
// use; it is for one goroutine at a time.
type Todos struct {
	calls *simplelru.LRU[string, *call]

	// versions are the lists that may still count, the newest last. A call that fails takes
	// its version with it.
	versions []version
	clock    int // counts changes of versions
	size     int // bytes that calls and versions keep
}

// A version is the list as a call left it.
type version struct {
	call  string // empty if it cannot be taken back
	steps []step
	size  int
}

// Bounds on what an agent can make Todos keep. A list that is larger than all of it is not
// shown.
const (
	maxBytes    = 4 << 20
	maxCalls    = 256
	maxCallID   = 1 << 10 // bytes; a call with a longer id is not followed
	maxVersions = 8
)

// Read takes in a tool_call or a tool_call_update, and reports whether the list changed. The
// tool that recognises a call first reads all its messages.
func (t *Todos) Read(tools []*Tool, update *wire.Object) (changed bool) {
	id, _ := update.Text("toolCallId")
	if id == "" || len(id) > maxCallID {
		return false
	}
	before := t.clock
	kind, _ := update.Text("sessionUpdate")
	c := t.call(id, kind == "tool_call")
	c.update(tools, update)
	switch {
	case c.subagent:
		t.takeBack(id)
	case c.tool == nil:
	case c.failed() || holdsAny(update, failures):
		t.takeBack(id)
	default:
		t.readCall(id, c, update)
	}
	return t.clock != before
}

// readCall takes in what a message of a todo tool's call does to the list.
func (t *Todos) readCall(id string, c *call, update *wire.Object) {
	switch w, ok := c.tool.read(update); {
	case ok && c.read && w.rank > c.rank:
		// Something better has been read, such as the output before the input.
	case ok && !c.completed() && !w.patch && len(w.steps) == 0:
		// Agents begin a call with an empty list, too, and fill it in later.
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

// ReadParams takes in the params of a message of the tool's own method, and reports whether
// the list changed. Where it names a tool call, what that says itself counts no longer:
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
		c := t.call(id, false)
		if c.subagent {
			return false
		}
		c.read, c.rank = true, -1
	}
	t.write(id, w)
	t.confirm(id)
	return true
}

// Knows reports whether the call has been seen.
func (t *Todos) Knows(id string) bool { return t.known(id) != nil }

// Ignores reports whether the call is known to be none of a todo tool, or a subagent's: its
// updates say nothing then.
func (t *Todos) Ignores(id []byte) bool {
	c := t.known(string(id))
	return c != nil && (c.ignored || c.subagent)
}

// known returns what is known of a call, or nil.
func (t *Todos) known(id string) *call {
	if t.calls == nil {
		return nil
	}
	c, _ := t.calls.Get(id)
	return c
}

// Entries returns the steps of the list.
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

// Size returns about how many bytes are kept.
func (t *Todos) Size() int { return t.size }

// call returns what is known of a call. One that starts is a new one if the call of that id
// has ended or was no todo tool's: agents use ids again.
func (t *Todos) call(id string, starts bool) *call {
	if t.calls == nil {
		t.calls, _ = simplelru.NewLRU(maxCalls, func(id string, _ *call) { t.size -= 256 + len(id) })
	}
	if c := t.known(id); c != nil && !(starts && c.ended()) {
		return c
	}
	t.calls.Remove(id)
	c := &call{}
	t.size += 256 + len(id)
	t.calls.Add(id, c)
	return c
}

// write makes the next version.
func (t *Todos) write(id string, w change) {
	t.takeBack(id)
	v := version{call: id, steps: w.steps}
	if w.patch {
		v.steps = patched(t.latest(), w.steps)
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

// patched returns the steps of base changed to what patch says of them, and those that are
// new behind them. A step without an id is known by its content.
func patched(base, patch []step) []step {
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

// written returns the index of the version that a call wrote, if it can still be taken back,
// else -1.
func (t *Todos) written(id string) int {
	return slices.IndexFunc(t.versions, func(v version) bool { return id != "" && v.call == id })
}

// takeBack removes what a call wrote.
func (t *Todos) takeBack(id string) {
	if i := t.written(id); i >= 0 {
		t.size -= t.versions[i].size
		t.versions = slices.Delete(t.versions, i, i+1)
		t.clock++
	}
}

// confirm makes what a call wrote final.
func (t *Todos) confirm(id string) {
	if i := t.written(id); i >= 0 {
		t.drop(i)
		t.versions[0].call = ""
	}
}

// drop removes the n oldest versions.
func (t *Todos) drop(n int) {
	for _, v := range t.versions[:n] {
		t.size -= v.size
	}
	t.versions = slices.Delete(t.versions, 0, n)
}
