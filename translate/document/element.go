package document

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A member is a name and a raw value of an object.
type member struct{ name, value string }

// members are the members of an object, in order. The first of equal names counts.
type members []member

func (m members) raw(name string) []byte {
	i := slices.IndexFunc(m, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return []byte(m[i].value)
}

// text returns the string of a name on one line, or "" if its value is not a string.
func (m members) text(name string) string {
	text, _ := wire.Text(m.raw(name))
	return oneLine(text)
}

// maxCompared is how many members are compared with each other.
const maxCompared = 32

// duplicate returns a name that more than one member has, or "".
func (m members) duplicate() string {
	for i := range min(len(m), maxCompared) {
		if m[:i].raw(m[i].name) != nil {
			return m[i].name
		}
	}
	return ""
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// An element is an element of a list.
type element struct {
	line    int
	members members // nil if it is not an object
	value   string  // the raw value if it is not an object
}

// contentNames are the names under which lists keep what is to be done, the best first.
var contentNames = []string{"content", "step", "title", "text", "task", "description", "name"}

// content returns the content of an element. Ok is false if it is neither a string nor an object
// with a member for the content.
func (e element) content() (content string, ok bool) {
	if e.members == nil {
		content, ok = wire.Text([]byte(e.value))
		return oneLine(content), ok
	}
	for _, name := range contentNames {
		if text, found := wire.Text(e.members.raw(name)); found {
			if text = oneLine(text); text != "" {
				return text, true
			}
			ok = true
		}
	}
	return "", ok
}

// shape returns the shape of the list that begins with this element, or "". A list without a name
// has a shape only if the element has a status.
func (e element) shape(list string) string {
	_, hasContent := e.content()
	_, hasStatus := wire.Text(e.members.raw("status"))
	isCall := e.members.raw("_tool") != nil
	switch {
	case isCall && (list == "" || list == "calls"):
		return shapeCalls
	case list == "calls" || !hasContent:
		return ""
	case list != "":
		return listShapes[list]
	case !hasStatus:
		return ""
	case len(e.members) == 3 && e.members.raw("content") != nil && e.members.raw("priority") != nil:
		return shapeEntries
	}
	return shapeTodos
}

func (r *planReader) addElement(n int, e element) {
	if name := e.members.duplicate(); name != "" {
		r.problems.add("element %d: %s is repeated; the first one counts", n, quoted(name))
	}
	if r.shape == shapeCalls {
		r.addCall(n, e)
		return
	}
	content, _ := e.content()
	if r.shape == shapeUpdate {
		r.checkStep(n, e)
	} else if content == "" {
		r.problems.add("element %d has no content", n)
	}
	if content == "" {
		return
	}
	status := strings.TrimPrefix(strings.ToLower(e.members.text("status")), "todo_status_")
	t := task{content, legend(nil).statusOf(status), priorityOf(e.members.text("priority"))}
	r.steps = append(r.steps, step{task: t, line: e.line})
}

// checkStep notes the problems for which Codex would refuse a step of update_plan.
func (r *planReader) checkStep(n int, e element) {
	if e.members == nil {
		r.problems.add("step %d is not an object", n)
		return
	}
	for _, m := range e.members {
		if m.name != "step" && m.name != "status" {
			r.problems.add("step %d: unknown field %s: want step and status", n, quoted(m.name))
		}
	}
	if _, ok := wire.Text(e.members.raw("step")); !ok {
		r.problems.add("step %d: step is not a string", n)
	}
	status, ok := wire.Text(e.members.raw("status"))
	switch {
	case !ok:
		r.problems.add("step %d: status is not a string", n)
	case !slices.Contains([]string{acp.EntryPending, acp.EntryInProgress, "inProgress", acp.EntryCompleted}, status):
		r.problems.add("step %d: unknown status %s: want pending, in_progress or completed", n, quoted(status))
	}
}

// checkUpdate notes the problems for which Codex would refuse an update_plan, besides its steps.
func (r *planReader) checkUpdate() {
	for _, m := range r.members {
		if m.name != "explanation" && m.name != "plan" {
			r.problems.add("unknown field %s: want explanation and plan", quoted(m.name))
		}
	}
	if raw := r.members.raw("explanation"); raw != nil && raw[0] != '"' && string(raw) != "null" {
		r.problems.add("explanation is not a string")
	}
}
