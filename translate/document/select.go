package document

import (
	"slices"
	"strings"
)

// A selection is the part of a document that is its plan.
type selection struct {
	blocks     []int  // the entries
	shown      int    // how many blocks besides headings the entries show; -1 if text is left
	convention string // the rule that made them entries
}

// maxLooked is how many blocks are read closely to find a convention.
const maxLooked = 500

// A document with more bullets or sections than this, and no other convention, is not a plan.
const (
	maxBullets  = 30
	maxSections = 20
)

// plan selects the plan by the first convention that finds entries. The most reliable ones are
// first.
func (m *markdownDocument) plan() selection {
	for _, find := range []func() selection{
		m.progress, m.boxes, m.statusHeadings, m.statusTable, m.statusList,
		m.stepHeadings, m.plannedOrdered, m.numberedHeadings, m.ordered,
		m.plannedBullets, m.sections, m.bullets,
	} {
		if s := find(); len(s.blocks) > 0 {
			return s
		}
	}
	return m.firstLine()
}

// all selects the blocks that ok accepts, without empty ones and legends.
func (m *markdownDocument) all(convention string, ok func(*block) bool) selection {
	s := selection{convention: convention}
	for i := range m.blocks {
		b := &m.blocks[i]
		if b.text == "" || b.legend || !ok(b) {
			continue
		}
		s.blocks = append(s.blocks, i)
		if b.kind != heading {
			s.shown++
		}
	}
	return s
}

func hasBox(b *block) bool { return b.box.sign != 0 }

// progress selects the boxes of the first section called Progress that has any. The boxes in other
// sections of an ExecPlan are findings and decisions.
func (m *markdownDocument) progress() selection {
	first := -1
	return m.all("progress section", func(b *block) bool {
		in := -1 // the outermost section called Progress around it
		for i := b.section; i >= 0 && hasBox(b); i = m.blocks[i].section {
			if strings.EqualFold(strings.Trim(m.blocks[i].text, "*: "), "progress") {
				in = i
			}
		}
		if first < 0 {
			first = in
		}
		return in >= 0 && in == first
	})
}

// boxes selects all boxes. If they are only acceptance criteria of tasks, it selects the headings
// of the tasks.
func (m *markdownDocument) boxes() selection {
	boxes := m.all("checkbox", hasBox)
	n := len(boxes.blocks)
	if n == 0 {
		return boxes
	}
	title := m.title(boxes.blocks[0])
	if title != m.title(boxes.blocks[n-1]) ||
		!hasAny(title, "verif", "accept", "criteria", "checklist", "definition of done", "completion") {
		return boxes
	}
	if steps := m.stepHeadings(); len(steps.blocks) > 2 && isTask(m.blocks[steps.blocks[0]].text) {
		return steps
	}
	return boxes
}

func (m *markdownDocument) title(i int) string {
	if section := m.blocks[i].section; section >= 0 {
		return m.blocks[section].text
	}
	return ""
}

// firstLine selects the title of a document without a plan, or its first line.
func (m *markdownDocument) firstLine() selection {
	named := func(b *block) bool { return inline(b.firstLine()) != "" }
	i := slices.IndexFunc(m.blocks, func(b block) bool { return b.kind == heading && named(&b) })
	if i < 0 {
		i = slices.IndexFunc(m.blocks, func(b block) bool { return b.kind != code && named(&b) })
	}
	if i < 0 {
		return selection{}
	}
	s := selection{[]int{i}, 1, firstLine}
	if b := &m.blocks[i]; b.kind == heading || strings.Contains(b.text, "\n") {
		s.shown = -1
	}
	return s
}

// statusTable selects the rows of the tables with a column for a status, if at least half of the
// rows have one.
func (m *markdownDocument) statusTable() selection {
	stated, wide := 0, false
	rows := m.all("status table", func(b *block) bool {
		if b.kind != row || b.table.status < 0 || b.table.name < 0 {
			return false
		}
		if stated < maxLooked && m.legend.statusOf(cell(splitRow(b.text), b.table.status)) != "" {
			stated++
		}
		wide = wide || b.table.columns > 3
		return true
	})
	if stated == 0 || 2*stated < min(len(rows.blocks), maxLooked) {
		return selection{}
	}
	if wide {
		rows.shown = -1
	}
	return rows
}

// statusList selects the outer items of lists with a status, if at least half of all outer items
// have one.
func (m *markdownDocument) statusList() selection {
	n, stated := 0, map[int]bool{} // by section
	outer := m.all("", isOuter).blocks
	for _, i := range outer[:min(len(outer), maxLooked)] {
		if b := &m.blocks[i]; m.namesStatus(b) {
			n++
			stated[b.section] = true
		}
	}
	if n < 2 || 2*n < len(outer) {
		return selection{}
	}
	return m.all("status list", func(b *block) bool { return isOuter(b) && stated[b.section] })
}

// namesStatus reports whether an item has a status or is struck through as a whole.
func (m *markdownDocument) namesStatus(b *block) bool {
	s, _, _ := m.cutLabels(strings.Trim(b.firstLine(), "*"))
	return s != "" || strings.Contains(b.text, "~~") && inline(b.text) == "" && inline(unstruck(b.text)) != ""
}

func isOuter(b *block) bool { return b.kind == item && b.nested == 0 }

func isBullet(b *block) bool { return isOuter(b) && !b.ordered }

func (m *markdownDocument) plannedOrdered() selection {
	return m.all("ordered list", func(b *block) bool { return isOuter(b) && b.ordered && m.isPlanned(b.section) })
}

// ordered selects the outer ordered lists, else all ordered lists. It selects nothing if they are
// in more than three sections, because then they are part of a text.
func (m *markdownDocument) ordered() selection {
	s := m.all("ordered list", func(b *block) bool { return isOuter(b) && b.ordered })
	if len(s.blocks) == 0 {
		s = m.all("ordered list", func(b *block) bool { return b.kind == item && b.ordered })
	}
	sections := map[int]bool{}
	for _, i := range s.blocks {
		sections[m.blocks[i].section] = true
	}
	if len(sections) > 3 {
		return selection{}
	}
	return s
}

func (m *markdownDocument) plannedBullets() selection {
	return m.all("bullets", func(b *block) bool { return isBullet(b) && m.isPlanned(b.section) })
}

func (m *markdownDocument) bullets() selection {
	s := m.all("bullets", isBullet)
	if len(s.blocks) > maxBullets {
		return selection{}
	}
	return s
}
