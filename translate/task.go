package translate

import "strings"

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
			t.priority = p
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
	if isStruck(cell(cells, b.head.name)) {
		t.content = inline(strings.ReplaceAll(cell(cells, b.head.name), "~~", ""))
		if t.status == "" || t.status == Pending {
			t.status = dropped
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
	t.content, t.status = unstrike(raw, t.status)
	t.content = trimWording(t.content)
	said, rest := r.legend.strip(t.content)
	if rest != "" {
		t.content = rest
	}
	if said != "" && (t.status == "" || t.status == Pending && b.mark.sign == ' ') {
		t.status = said
	}
	var named string
	if t.priority, named = priority(t.content, r.countsP()); named != "" {
		t.content = named
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
// keeps them, what is struck as a whole is dropped, else they are gone.
func unstrike(raw string, s Status) (string, Status) {
	switch {
	case !strings.Contains(raw, "~~"):
		return inline(raw), s
	case s == Completed || s == dropped:
		return inline(strings.ReplaceAll(raw, "~~", "")), s
	case isStruck(raw):
		return inline(strings.ReplaceAll(raw, "~~", "")), dropped
	}
	return inline(raw), s
}
