package lint

import (
	"cmp"
	"slices"

	"acpshim/filters/rule"
	"acpshim/internal/chain/wire"
)

// checkLists warns of pointers that select elements of a list where there is an object, or where a
// name is needed.
func (l *linter) checkLists() {
	for i := range l.conditions {
		if c := &l.conditions[i]; c.Key != "when.absent" {
			l.checkList(c.Key, c.Pointer)
		}
	}
	for _, e := range l.Edits() {
		l.checkList(e.Action, e.At)
		if last := len(e.At) - 1; e.Action == "rename" && e.At.Selects(last) {
			l.warn(e.Action, e.At.String(), "%s: elements of a list have no name to change", e.At)
		}
	}
}

func (l *linter) checkList(key string, at wire.Selector) {
	objects := []string{"", "/error"} // objects in every message
	_, isMethod := rule.OnlyMethod(l.method.glob)
	_, isResponse := rule.OnlyMethod(l.responseTo.glob)
	if isMethod || isResponse || l.update.isSet() { // other methods may have lists there
		objects = append(objects, "/params", "/params/update", "/result")
	}
	for i := range at {
		if in := at[:i].String(); at.Selects(i) && slices.Contains(objects, in) {
			l.warn(key, at.String(), "%s: %s names elements of lists, and %s is an object, in which it is a plain name",
				at, at[i], cmp.Or(in, "a message"))
		}
	}
}
