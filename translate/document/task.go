package document

import (
	"cmp"
	"strings"

	"acpshim/translate/entry"
)

// A task is the content, status and priority of a block.
type task struct {
	content  string
	status   entry.Status
	priority entry.Priority
}

func (m *markdownDocument) task(i int) task {
	b := &m.blocks[i]
	var t task
	switch b.kind {
	case row:
		t = m.rowTask(b)
	case heading:
		t = m.boxTask(i)
		s, p := m.fields(i)
		if s != "" && b.box.sign == 0 {
			t.status = s
		}
		t.priority = cmp.Or(p, t.priority)
	case item:
		t = m.boxTask(i)
	default:
		t.content = inline(b.firstLine())
	}
	t.priority = cmp.Or(t.priority, m.inherited(b.section))
	return t
}

func (m *markdownDocument) rowTask(b *block) task {
	cells := splitRow(b.text)
	name, status := cell(cells, b.table.name), cell(cells, b.table.status)
	t := task{inline(name), m.legend.statusOf(status), priorityOf(inline(cell(cells, b.table.priority)))}
	if strings.EqualFold(strings.TrimSpace(status), "[x]") {
		t.status = entry.Completed
	}
	if content, s := m.unstrike(name, ""); s != "" {
		_, _, t.content = m.cutLabels(content)
		if t.status == "" || t.status == entry.Pending {
			t.status = s
		}
	}
	return t
}

// boxTask reads the box and the labels of an item or a heading.
func (m *markdownDocument) boxTask(i int) task {
	b := &m.blocks[i]
	var t task
	text := b.text
	if b.box.sign != 0 {
		t.status = m.boxStatus(i)
		if again, rest := cutBox(text); rest != "" && strings.ContainsRune(" xX", again.sign) {
			text = rest
			if t.status == entry.Pending {
				t.status = again.status()
			}
		}
	}
	t.content, t.status = m.unstrike(text, t.status)
	var named entry.Status
	named, t.priority, t.content = m.cutLabels(trimNotes(t.content))
	if t.status == "" || t.status == entry.Pending && b.box.sign == ' ' {
		t.status = cmp.Or(named, t.status)
	}
	switch {
	case t.priority != "":
	case b.box.sign == '!':
		t.priority = entry.High
	case b.box.optional:
		t.priority = entry.Low
	}
	return t
}

// boxStatus returns the status of a box. The legend counts first, then the boxes below it.
func (m *markdownDocument) boxStatus(i int) entry.Status {
	b := &m.blocks[i]
	if s, ok := m.legend["["+string(b.box.sign)+"]"]; ok {
		return s
	}
	if b.box.sign == '-' && (m.openBelow(i) || m.numbered) ||
		b.box.sign == '>' && strings.Contains(b.text, "started:") {
		return entry.InProgress
	}
	return b.box.status()
}

// openBelow reports whether a box has boxes below it that are not all ticked.
func (m *markdownDocument) openBelow(i int) bool {
	top := &m.blocks[i]
	for j := i + 1; j < len(m.blocks); j++ {
		b := &m.blocks[j]
		if b.kind == heading && (top.kind == item || b.level <= top.level) ||
			top.kind == item && b.kind == item && b.level <= top.level {
			return false
		}
		if b.box.sign != 0 && b.box.status() != entry.Completed {
			return true
		}
	}
	return false
}

// isFifth reports whether a text begins with P4 to P9. A document with such a box numbers its steps
// P1, P2, P3 and so on, so these are not priorities.
func isFifth(text string) bool {
	text = trimTime(text)
	return len(text) > 2 && text[0] == 'P' && '4' <= text[1] && text[1] <= '9' && (text[2] == ' ' || text[2] == ':')
}

// unstruck removes the marks of struck words from a text, but not the words.
func unstruck(text string) string { return strings.ReplaceAll(text, "~~", "") }

// unstrike returns the content and the status of a text that may have struck words. S is the status
// so far.
//
//   - A completed or cancelled task keeps its struck words.
//   - A task that is struck as a whole is cancelled, unless a sign next to it says otherwise.
//   - From other tasks, the struck words are removed.
func (m *markdownDocument) unstrike(text string, s entry.Status) (string, entry.Status) {
	left := inline(text)
	if !strings.Contains(text, "~~") {
		return left, s
	}
	whole := inline(unstruck(text))
	switch {
	case s == entry.Completed || s == entry.Cancelled:
		return whole, s
	case left == "" && whole != "":
		return whole, entry.Cancelled
	case left == whole:
		return left, s
	}
	const name = "x" // instead of the struck words
	first, _ := m.legend.cutFirst(left)
	named, _, rest := m.cutLabels(trimNotes(strings.TrimSpace(name + " " + trimNumber(left))))
	if rest, _ = cutLevel(rest); rest != name {
		return left, s
	}
	return whole, cmp.Or(first, named, entry.Cancelled)
}

// trimNumber removes the number of a step, "1." or "Step 2:", from a text.
func trimNumber(text string) string {
	if isStep(text) {
		_, text, _ = strings.Cut(text, " ")
	}
	if first, rest, _ := strings.Cut(text, " "); isNumber(first) {
		return rest
	}
	return text
}
