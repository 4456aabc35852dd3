package translate

import (
	"cmp"
	"strings"
)

// A task is what a block says as an entry.
type task struct {
	content  string
	status   Status
	priority Priority
}

// task reads a block that was chosen.
func (r *reading) task(i int) task {
	b := &r.blocks[i]
	var t task
	switch b.kind {
	case row:
		t = r.rowTask(b)
	case paragraph, code, markup:
		t = task{content: inline(b.firstLine()), status: Pending}
	case title:
		t = r.itemTask(i)
		if s, p := r.fields(i); s != "" || p != "" {
			if s != "" && b.mark.sign == 0 {
				t.status = s
			}
			if p != "" {
				t.priority = p
			}
		}
	default:
		t = r.itemTask(i)
	}
	if t.priority == "" {
		t.priority = r.inherited(b.section)
	}
	return t
}

func (r *reading) rowTask(b *block) task {
	cells := splitRow(b.raw)
	t := task{content: inline(cell(cells, b.head.name)), status: r.legend.value(cell(cells, b.head.status))}
	if strings.EqualFold(strings.TrimSpace(cell(cells, b.head.status)), "[x]") {
		t.status = Completed
	}
	t.priority = priorityOf(inline(cell(cells, b.head.priority)))
	if content, s := r.unstrike(cell(cells, b.head.name), ""); s != "" {
		_, _, t.content = r.ends(content)
		if t.status == "" || t.status == Pending {
			t.status = s
		}
	}
	return t
}

// itemTask reads an item or a heading: its box, then what its words add.
func (r *reading) itemTask(i int) task {
	b := &r.blocks[i]
	var t task
	raw := b.raw
	if b.mark.sign != 0 {
		t.status = r.boxStatus(i)
		if again, rest, ok := box(raw); ok && rest != "" && strings.ContainsRune(" xX", again.sign) {
			raw = rest
			if t.status == Pending {
				t.status = again.status()
			}
		}
	}
	var said Status
	t.content, t.status = r.unstrike(raw, t.status)
	said, t.priority, t.content = r.ends(trimWording(t.content))
	if said != "" && (t.status == "" || t.status == Pending && b.mark.sign == ' ') {
		t.status = said
	}
	switch {
	case t.priority != "":
	case b.mark.sign == '!':
		t.priority = High
	case b.mark.optional:
		t.priority = Low
	}
	return t
}

// isStruck reports whether a text is struck through as a whole.
func isStruck(raw string) bool {
	return strings.Contains(raw, "~~") && inline(raw) == "" && inline(strings.ReplaceAll(raw, "~~", "")) != ""
}

// unstrike reads a text with words struck through: what is done or dropped
// keeps them, what is struck as a whole is dropped or as a mark beside it says,
// else they are gone.
func (r *reading) unstrike(raw string, s Status) (string, Status) {
	left := inline(raw)
	if !strings.Contains(raw, "~~") {
		return left, s
	}
	whole := inline(strings.ReplaceAll(raw, "~~", ""))
	switch {
	case s == Completed || s == dropped:
		return whole, s
	case left == "" && whole != "":
		return whole, dropped
	case left == whole:
		return left, s
	}
	const name = "x" // in place of what is struck
	said, _ := r.legend.lead(left)
	mark, _, rest := r.ends(trimWording(name + " " + unnumbered(left)))
	if rest, _ = cutLevel(rest); rest != name {
		return left, s
	}
	return whole, cmp.Or(said, mark, dropped)
}

// unnumbered takes the number of a step off a text: "1." or "Step 2:".
func unnumbered(text string) string {
	if isStep(text) {
		_, text, _ = strings.Cut(text, " ")
	}
	if first, rest, _ := strings.Cut(text, " "); isNumber(first) {
		return rest
	}
	return text
}
