package document

import (
	"slices"
	"strings"
)

// A selection is the part of a document that is its plan.
type selection struct {
	blocks     []int  // the entries
	shown      int    // of the blocks that are no headings, how many the entries show; -1: not all
	convention string // what made them entries
}

// maxLooked bounds how many blocks are read closely to find a convention.
const maxLooked = 500

// A document that has more of these, and nothing better, is no plan.
const (
	maxBullets  = 30
	maxSections = 20
)

// plan finds the plan by the conventions, those first that tell most surely that it is one.
func (m *markdown) plan() selection {
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

// all returns the blocks that ok accepts. Empty ones and legends are none.
func (m *markdown) all(convention string, ok func(*block) bool) selection {
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

// progress selects the boxes of the first section called Progress that has any: an ExecPlan
// has others, of what was found and decided.
func (m *markdown) progress() selection {
	first := -1
	return m.all("progress section", func(b *block) bool {
		in := -1 // the section called Progress that it is in
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

// boxes selects all boxes, unless they only check at the end what headings like "Task 3"
// have laid out.
func (m *markdown) boxes() selection {
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

// title returns the heading above a block, or "".
func (m *markdown) title(i int) string {
	if section := m.blocks[i].section; section >= 0 {
		return m.blocks[section].text
	}
	return ""
}

// firstLine selects the title of a document that is no plan, or its first line.
func (m *markdown) firstLine() selection {
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

// statusTable selects the rows of the tables with a column for a status, if at least half of
// them hold one.
func (m *markdown) statusTable() selection {
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

// statusList selects the outer items of lists in which at least half of them name a status.
func (m *markdown) statusList() selection {
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

// namesStatus reports whether an item says how it stands: with a status, or struck through
// as a whole.
func (m *markdown) namesStatus(b *block) bool {
	s, _, _ := m.cutLabels(strings.Trim(b.firstLine(), "*"))
	return s != "" || strings.Contains(b.text, "~~") && inline(b.text) == "" && inline(unstruck(b.text)) != ""
}

func isOuter(b *block) bool { return b.kind == item && b.nested == 0 }

func isBullet(b *block) bool { return isOuter(b) && !b.ordered }

// plannedOrdered selects the outer ordered lists of sections named as a plan.
func (m *markdown) plannedOrdered() selection {
	return m.all("ordered list", func(b *block) bool { return isOuter(b) && b.ordered && m.planned(b.section) })
}

// ordered selects the outer ordered lists, else all. In more than three sections they are the
// lists of a text.
func (m *markdown) ordered() selection {
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

// plannedBullets selects the bullets of sections named as a plan.
func (m *markdown) plannedBullets() selection {
	return m.all("bullets", func(b *block) bool { return isBullet(b) && m.planned(b.section) })
}

// bullets selects all outer bullets.
func (m *markdown) bullets() selection {
	s := m.all("bullets", isBullet)
	if len(s.blocks) > maxBullets {
		return selection{}
	}
	return s
}
