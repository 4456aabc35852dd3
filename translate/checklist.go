package translate

import (
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// textNames are the names under which lists keep what is to be done.
var textNames = []string{"content", "step", "title", "text", "task", "description", "name"}

// shape is the shape of a list that an element begins, or "". A list without a
// name is one only if its element says how it stands.
func (e element) shape(key string) string {
	_, says := e.text()
	switch key {
	case "calls":
		if valueOf(e.members, "_tool") == nil {
			return ""
		}
		return shapeCalls
	case "":
		if valueOf(e.members, "_tool") != nil {
			return shapeCalls
		}
		if _, stands := wire.Text(valueOf(e.members, "status")); !stands || !says || e.members == nil {
			return ""
		}
		if len(e.members) == 3 && valueOf(e.members, "content") != nil && valueOf(e.members, "priority") != nil {
			return shapeEntries
		}
		return shapeTodos
	}
	if !says {
		return ""
	}
	return listShapes[key]
}

// text is what an element says is to be done; ok is false if it has no place
// for that.
func (e element) text() (text string, ok bool) {
	if e.members == nil {
		text, ok = wire.Text([]byte(e.value))
		return plain(text), ok
	}
	for _, name := range textNames {
		if t, found := wire.Text(valueOf(e.members, name)); found {
			if t = plain(t); t != "" {
				return t, true
			}
			ok = true
		}
	}
	return "", ok
}

// take takes in the element n of the plan, counted from 1.
func (r *shapeReader) take(n int, e element) {
	if name := twice(e.members); name != "" {
		r.problems.add("element %d: %s stands twice, the first one counts", n, quoted(name))
	}
	if r.shape == shapeCalls {
		r.takeCall(n, e)
		return
	}
	text, _ := e.text()
	if r.shape == shapeUpdate {
		r.checkStep(n, e)
	} else if text == "" {
		r.problems.add("element %d says nothing of what is to be done: want content", n)
	}
	if text == "" {
		return
	}
	status := strings.TrimPrefix(strings.ToLower(textOf(e.members, "status")), "todo_status_")
	r.steps = append(r.steps, step{task{text, legend(nil).value(status), priorityOf(textOf(e.members, "priority"))}, e.line})
}

// checkStep notes what Codex would refuse in a step of update_plan.
func (r *shapeReader) checkStep(n int, e element) {
	if e.members == nil {
		r.problems.add("step %d is no object", n)
		return
	}
	for _, m := range e.members {
		if m.name != "step" && m.name != "status" {
			r.problems.add("step %d: unknown field %s: want step and status", n, quoted(m.name))
		}
	}
	if _, ok := wire.Text(valueOf(e.members, "step")); !ok {
		r.problems.add("step %d: step is no string", n)
	}
	status, ok := wire.Text(valueOf(e.members, "status"))
	switch {
	case !ok:
		r.problems.add("step %d: status is no string", n)
	case !slices.Contains([]string{"pending", "in_progress", "inProgress", "completed"}, status):
		r.problems.add("step %d: unknown status %s: want pending, in_progress or completed", n, quoted(status))
	}
}

// checkUpdate notes what Codex would refuse around the steps.
func (r *shapeReader) checkUpdate() {
	for _, m := range r.members {
		if m.name != "explanation" && m.name != "plan" {
			r.problems.add("unknown field %s: want explanation and plan", quoted(m.name))
		}
	}
	if raw := valueOf(r.members, "explanation"); raw != nil && raw[0] != '"' && string(raw) != "null" {
		r.problems.add("explanation is no string")
	}
}
