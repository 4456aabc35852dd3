package translate

import (
	"strings"
)

// A choice is the part of a document that is its plan.
type choice struct {
	blocks     []int  // the entries
	said       int    // how many blocks that are no headings they say; -1: not all of them
	convention string // what made them entries
}

// maxLooked bounds how many blocks are read closely to find a convention.
const maxLooked = 500

// A document that shows more of these than that, and nothing better, is no plan.
const (
	maxBullets  = 30
	maxSections = 20
)

// choose finds the plan, by what tells most surely that it is one.
func (r *reading) choose() choice {
	for _, find := range []func() choice{
		r.progress, r.boxes, r.statusHeadings, r.statusTable, r.statusList,
		r.stepHeadings, r.plannedOrdered, r.numberedHeadings, r.ordered,
		r.plannedBullets, r.sections, r.bullets,
	} {
		if c := find(); len(c.blocks) > 0 {
			return c
		}
	}
	return r.first()
}

// pick returns the blocks that ok chooses.
func (r *reading) pick(convention string, ok func(i int, b *block) bool) choice {
	return r.pickBetween(0, len(r.blocks), convention, ok)
}

// pickBetween is pick for the blocks from one to before another.
func (r *reading) pickBetween(from, to int, convention string, ok func(i int, b *block) bool) choice {
	c := choice{convention: convention}
	for i := from; i < to; i++ {
		b := &r.blocks[i]
		if b.raw == "" || b.key || !ok(i, b) {
			continue
		}
		c.blocks = append(c.blocks, i)
		if b.kind != title {
			c.said++
		}
	}
	return c
}

func isBox(_ int, b *block) bool { return b.mark.sign != 0 }

// progress is the boxes of a section that is called Progress: an ExecPlan has
// others, of what was found and decided.
func (r *reading) progress() choice {
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind != title || !strings.EqualFold(strings.Trim(b.raw, "*: "), "progress") {
			continue
		}
		end := i + 1
		for end < len(r.blocks) && (r.blocks[end].kind != title || r.blocks[end].level > b.level) {
			end++
		}
		c := r.pickBetween(i+1, end, "progress section", isBox)
		if len(c.blocks) > 0 {
			return c
		}
	}
	return choice{}
}

// boxes is all boxes, unless they only check at the end what headings like
// "Task 3" have laid out.
func (r *reading) boxes() choice {
	c := r.pick("checkbox", isBox)
	if len(c.blocks) == 0 || !namesCheck(r.around(c.blocks[0])) || r.around(c.blocks[0]) != r.around(c.blocks[len(c.blocks)-1]) {
		return c
	}
	if steps := r.stepHeadings(); len(steps.blocks) > 2 && isTask(r.blocks[steps.blocks[0]].raw) {
		return steps
	}
	return c
}

// around is the heading above a block, as it is written.
func (r *reading) around(i int) string {
	if section := r.blocks[i].section; section >= 0 {
		return r.blocks[section].raw
	}
	return ""
}

// first is the title of a document that is no plan, or its first line.
func (r *reading) first() choice {
	for _, wanted := range []func(b *block) bool{
		func(b *block) bool { return b.kind == title },
		func(b *block) bool { return b.kind != code },
	} {
		for i := range r.blocks {
			if b := &r.blocks[i]; wanted(b) && inline(b.firstLine()) != "" {
				c := choice{[]int{i}, 1, "first line"}
				if b.kind == title || strings.Contains(b.raw, "\n") {
					c.said = -1
				}
				return c
			}
		}
	}
	return choice{}
}
