package todo

import (
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate/entry"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Todos follows the calls of todo tools in one session, and holds the list that
// they write: an agent has one, whatever the number of its tools. The zero
// Todos is empty and ready for use; it is for one goroutine at a time.
type Todos struct {
	calls *simplelru.LRU[string, *toolCall]

	// versions are the lists that may still count, the newest last. A call that
	// fails takes its version with it.
	versions []version
	clock    int // counts writes

	size int // bytes that calls and versions keep
}

type version struct {
	call  string // empty if it cannot be taken back
	steps []todoStep
	size  int
}

// A toolCall is what is known of one.
type toolCall struct {
	tool    *Tool  // nil while it is not recognised
	looks   int    // messages that were looked at without recognising it
	ignored bool   // it is no todo tool's
	foreign bool   // it is a subagent's
	status  string // as given last
	read    bool   // the list was found in it
	rank    int    // where, see writing; -1 if it was in a message of another method
	emptied int    // the clock, and one more, when it was called with an empty list
}

// Bounds on what an agent can make Todos keep. A list that is larger than all of
// it is not shown.
const (
	maxTodoBytes = 4 << 20
	maxCalls     = 256
	maxCallID    = 1 << 10 // bytes; a call with a longer id is not followed
	maxVersions  = 8
	maxLooks     = 4 // messages of a call until it is taken for no todo tool's
)

// parents are where agents name the call that a subagent's message belongs to:
// claude-agent-acp, qwen-code, and forks that leave out the agent's name.
var parents = []wire.Pointer{
	{"_meta", "claudeCode", "parentToolUseId"},
	{"_meta", "parentToolCallId"},
	{"_meta", "parentToolUseId"},
}

// failures are where agents tell in the result of a call, completed by its
// status, that it failed.
var failures = []wire.Pointer{{"rawOutput", "error"}, {"rawOutput", "isError"}}

// Read takes in a tool_call or a tool_call_update, and reports whether the list
// was written. The tool that recognises a call first reads all its messages.
func (t *Todos) Read(tools []*Tool, update *wire.Object) (written bool) {
	id, ok := update.Text("toolCallId")
	if !ok || id == "" || len(id) > maxCallID {
		return false
	}
	kind, _ := update.Text("sessionUpdate")
	c := t.call(id, kind == "tool_call")
	before := t.clock
	if says(update, parents) {
		c.foreign = true
		t.withdraw(id)
	}
	if status, ok := update.Text("status"); ok {
		c.status = status
	}
	if c.tool == nil && !c.ignored {
		c.recognise(tools, update)
	}
	if c.foreign || c.tool == nil {
		return t.clock != before
	}
	if isFailure(c.status) || says(update, failures) {
		t.withdraw(id)
		return t.clock != before
	}
	done := c.status == string(entry.Completed)
	switch w, ok := c.tool.read(update); {
	case ok && c.read && w.rank > c.rank:
		// Something better has been read, such as the output before the input.
	case ok && !done && !w.patch && len(w.steps) == 0:
		// Agents begin a call with an empty list, too, and fill it in later.
		c.emptied = t.clock + 1
	case ok:
		c.read, c.rank = true, w.rank
		t.write(id, w)
	case done && c.emptied == t.clock+1:
		t.write(id, writing{})
	}
	if done {
		t.settle(id)
	}
	return t.clock != before
}

// ReadParams takes in the params of a message of the tool's own method, and
// reports whether the list was written. Where it names a tool call, what that
// says itself counts no longer: Cursor begins it with an empty list.
func (t *Todos) ReadParams(tool *Tool, params *wire.Object) (written bool) {
	title, _ := params.Text("title")
	if len(tool.options.Title)+len(tool.options.Tool) > 0 {
		if is, _ := tool.recognises(params, title); !is {
			return false
		}
	}
	w, ok := tool.read(params)
	if !ok || says(params, parents) {
		return false
	}
	id, _ := params.Text("toolCallId")
	if id != "" && len(id) <= maxCallID {
		c := t.call(id, false)
		if c.foreign {
			return false
		}
		c.read, c.rank = true, -1
	}
	t.write(id, w)
	t.settle(id)
	return true
}

// Knows reports whether the call has been seen.
func (t *Todos) Knows(id string) bool { return t.calls != nil && t.calls.Contains(id) }

// Ignores reports whether the call is known to be none of a todo tool, or a
// subagent's: its updates say nothing then.
func (t *Todos) Ignores(id []byte) bool {
	if t.calls == nil {
		return false
	}
	c, ok := t.calls.Get(string(id))
	return ok && (c.ignored || c.foreign)
}

// Entries are the steps of the list.
func (t *Todos) Entries() []entry.Entry {
	if len(t.versions) == 0 {
		return nil
	}
	var entries []entry.Entry
	for _, s := range t.versions[len(t.versions)-1].steps {
		if e, ok := entry.New(s.content, entry.Priority(s.priority), entry.Status(s.status), nil); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// Size is about how many bytes are kept.
func (t *Todos) Size() int { return t.size }

// call returns what is known of a call. One that starts is a new one if the
// call of that id has ended or was no todo tool's: agents use ids again.
func (t *Todos) call(id string, starts bool) *toolCall {
	if t.calls == nil {
		t.calls, _ = simplelru.NewLRU(maxCalls, func(id string, _ *toolCall) { t.size -= 256 + len(id) })
	}
	c, ok := t.calls.Get(id)
	if ok && !(starts && (c.ignored || c.foreign || c.status == string(entry.Completed) || isFailure(c.status))) {
		return c
	}
	if ok {
		t.calls.Remove(id)
	}
	c = &toolCall{}
	t.size += 256 + len(id)
	t.calls.Add(id, c)
	return c
}

// recognise looks for the tool of a call. It gives up when the call has told
// the name of its tool, or its title and its input, or has been looked at often
// enough: what follows can be megabytes of output.
func (c *toolCall) recognise(tools []*Tool, update *wire.Object) {
	title, _ := update.Text("title")
	c.looks++
	c.ignored = c.looks == maxLooks || title != "" && holdsSomething(update.Raw("rawInput"))
	for _, tool := range tools {
		if tool.Method() != SessionUpdate {
			continue
		}
		is, named := tool.recognises(update, title)
		if is {
			c.tool, c.ignored = tool, false
			return
		}
		c.ignored = c.ignored || named
	}
}

// write makes the next version.
func (t *Todos) write(id string, w writing) {
	t.withdraw(id)
	steps := w.steps
	if w.patch {
		var base []todoStep
		if n := len(t.versions); n > 0 {
			base = t.versions[n-1].steps
		}
		steps = patched(base, w.steps)
	}
	completed := map[string]bool{}
	for _, id := range w.completed {
		completed[id] = true
	}
	for i := range steps {
		if steps[i].id == "" {
			steps[i].id = strconv.Itoa(i + 1)
		}
		if completed[steps[i].id] {
			steps[i].status = string(entry.Completed)
		}
	}
	v := version{call: id, steps: steps}
	for _, s := range steps {
		v.size += 64 + len(s.id) + len(s.content) + len(s.status) + len(s.priority)
	}
	t.clock++
	t.size += v.size
	t.versions = append(t.versions, v)
	for len(t.versions) > 0 && (len(t.versions) > maxVersions || t.size > maxTodoBytes) {
		t.forget(1)
	}
}

// patched returns the steps of base changed to what patch says of them, and
// those that are new behind them. A step without an id is told by its content.
func patched(base, patch []todoStep) []todoStep {
	steps := slices.Clone(base)
	at, byContent := map[string]int{}, map[string]int{}
	for i, s := range steps {
		at[s.id], byContent[s.content] = i, i
	}
	for _, p := range patch {
		i, known := at[p.id]
		if p.id == "" {
			i, known = byContent[p.content]
		}
		if !known {
			if strings.TrimSpace(p.content) != "" && len(steps) < maxSteps {
				at[p.id], byContent[p.content] = len(steps), len(steps)
				steps = append(steps, p)
			}
			continue
		}
		for _, f := range []struct {
			to   *string
			from string
		}{{&steps[i].content, p.content}, {&steps[i].status, p.status}, {&steps[i].priority, p.priority}} {
			if f.from != "" {
				*f.to = f.from
			}
		}
	}
	return steps
}

// withdraw forgets what a call wrote, if it can still be taken back.
func (t *Todos) withdraw(id string) {
	for i, v := range t.versions {
		if v.call == id && id != "" {
			t.versions = slices.Delete(t.versions, i, i+1)
			t.size -= v.size
			t.clock++
			return
		}
	}
}

// settle makes what a call wrote final.
func (t *Todos) settle(id string) {
	for i := range t.versions {
		if t.versions[i].call == id {
			t.forget(i)
			t.versions[0].call = ""
			return
		}
	}
}

// forget forgets the n oldest versions.
func (t *Todos) forget(n int) {
	for _, v := range t.versions[:n] {
		t.size -= v.size
	}
	t.versions = slices.Delete(t.versions, 0, n)
}

// isFailure reports whether a call of that status did nothing: failed is the
// protocol's, the others are what agents send in its place.
func isFailure(status string) bool {
	return status == "failed" || status == "cancelled" || status == "rejected"
}

// says reports whether a message has something at one of the places.
func says(message *wire.Object, places []wire.Pointer) bool {
	return slices.ContainsFunc(places, func(p wire.Pointer) bool {
		return holdsSomething(value(message, p))
	})
}

// holdsSomething reports whether a raw value is there and not null, false or
// empty.
func holdsSomething(raw []byte) bool {
	text := strings.Trim(string(raw[:min(len(raw), 64)]), " \t\r\n{}[]\"")
	return text != "" && text != "null" && text != "false"
}
