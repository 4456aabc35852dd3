package translate

import "slices"

// statusHeadings are the headings of a level that say how they stand, and
// those between them that number a step.
func (r *reading) statusHeadings() choice {
	var counts [7]int
	stated := map[int]bool{}
	looked := 0
	for i := range r.blocks {
		if r.blocks[i].kind == title && looked < maxLooked {
			looked++
			if r.headingStatus(i) != "" {
				counts[r.blocks[i].level]++
				stated[i] = true
			}
		}
	}
	level := 0
	for l, n := range counts {
		if n >= 2 && n > counts[level] {
			level = l
		}
	}
	if level == 0 {
		return choice{}
	}
	c := r.pick("status heading", func(i int, b *block) bool {
		return b.kind == title && b.level == level && (stated[i] || isStep(b.raw) || isNumbered(b.raw))
	})
	return r.withHeadings(c)
}

// withHeadings says whether other headings than a title are left out.
func (r *reading) withHeadings(c choice) choice {
	heads := 0
	for i := range r.blocks {
		if r.blocks[i].kind == title {
			heads++
		}
	}
	if len(c.blocks)+1 < heads {
		c.said = -1
	}
	return c
}

// stepHeadings are headings like "Step 1" or "Phase 2"; tasks before the
// phases they stand in.
func (r *reading) stepHeadings() choice {
	var steps, tasks [7]int
	for i := range r.blocks {
		if b := &r.blocks[i]; b.kind == title && isStep(b.raw) {
			steps[b.level]++
			if isTask(b.raw) {
				tasks[b.level]++
			}
		}
	}
	several := func(n int) bool { return n >= 2 }
	level := slices.IndexFunc(tasks[:], several)
	if level < 0 {
		level = slices.IndexFunc(steps[:], several)
	}
	return r.withHeadings(r.pick("step headings", func(_ int, b *block) bool {
		return b.kind == title && b.level == level && isStep(b.raw)
	}))
}

// numberedHeadings are headings like "2. Move the data".
func (r *reading) numberedHeadings() choice {
	var counts [7]int
	for i := range r.blocks {
		if b := &r.blocks[i]; b.kind == title && isNumbered(b.raw) {
			counts[b.level]++
		}
	}
	level := slices.IndexFunc(counts[:], func(n int) bool { return n >= 2 })
	return r.withHeadings(r.pick("numbered headings", func(_ int, b *block) bool {
		return b.kind == title && b.level == level && isNumbered(b.raw)
	}))
}

// sections are the headings of the highest level that divides, the title aside.
func (r *reading) sections() choice {
	heads := r.pick("headings", func(_ int, b *block) bool { return b.kind == title }).blocks
	all := len(heads)
	if all == 0 {
		return choice{}
	}
	first := r.blocks[heads[0]].level
	var counts [7]int
	for _, i := range heads {
		counts[r.blocks[i].level]++
	}
	if all > 1 && first == 1 && counts[1] == 1 {
		heads = heads[1:]
		counts[1] = 0
	}
	level := slices.IndexFunc(counts[:], func(n int) bool { return n > 1 })
	if level < 0 {
		level = slices.IndexFunc(counts[:], func(n int) bool { return n > 0 })
	}
	c := choice{convention: "headings"}
	for _, i := range heads {
		if r.blocks[i].level == level {
			c.blocks = append(c.blocks, i)
		}
	}
	if len(c.blocks) > maxSections || len(c.blocks) == 1 && len(r.bullets().blocks) > 0 {
		return choice{}
	}
	if n := len(c.blocks); n+1 < all || n < all && first >= level {
		c.said = -1
	}
	return c
}
