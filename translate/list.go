package translate

import "strings"

// statusTable is the rows of the tables that have a column for a status, if
// that is what the column holds.
func (r *reading) statusTable() choice {
	read := 0
	c := r.pick("status table", func(_ int, b *block) bool {
		if b.kind != row || b.head.status < 0 || b.head.name < 0 {
			return false
		}
		if read < maxLooked && r.legend.value(cell(splitRow(b.raw), b.head.status)) != "" {
			read++
		}
		return true
	})
	if read == 0 || 2*read < min(len(c.blocks), maxLooked) {
		return choice{}
	}
	for _, i := range c.blocks {
		if r.blocks[i].head.columns > 3 {
			c.said = -1
		}
	}
	return c
}

// statusList is the outer items of lists of which most say how they stand.
func (r *reading) statusList() choice {
	stated, all := map[int]bool{}, 0
	c := r.pick("status list", func(_ int, b *block) bool {
		if b.kind != item || b.nested > 0 {
			return false
		}
		if all++; all <= maxLooked {
			if s, _, _ := r.ends(strings.Trim(b.firstLine(), "*")); s != "" || isStruck(b.raw) {
				stated[b.section] = true
				return true
			}
		}
		return false
	})
	if len(c.blocks) < 2 || 2*len(c.blocks) < all {
		return choice{}
	}
	return r.pick(c.convention, func(_ int, b *block) bool {
		return b.kind == item && b.nested == 0 && stated[b.section]
	})
}

func isOrdered(b *block) bool { return b.kind == item && b.ordered }

func isBullet(b *block) bool { return b.kind == item && !b.ordered && b.nested == 0 }

func (r *reading) plannedOrdered() choice {
	return r.pick("ordered list", func(_ int, b *block) bool { return isOrdered(b) && b.nested == 0 && r.planned(b.section) })
}

// ordered is the outer ordered lists; there may be some, not one in each
// section: those are the lists of a text.
func (r *reading) ordered() choice {
	c := r.pick("ordered list", func(_ int, b *block) bool { return isOrdered(b) && b.nested == 0 })
	if len(c.blocks) == 0 {
		c = r.pick("ordered list", func(_ int, b *block) bool { return isOrdered(b) })
	}
	sections := map[int]bool{}
	for _, i := range c.blocks {
		sections[r.blocks[i].section] = true
	}
	if len(sections) > 3 {
		return choice{}
	}
	return c
}

func (r *reading) plannedBullets() choice {
	return r.pick("bullets", func(_ int, b *block) bool { return isBullet(b) && r.planned(b.section) })
}

func (r *reading) bullets() choice {
	c := r.pick("bullets", func(_ int, b *block) bool { return isBullet(b) })
	if len(c.blocks) > maxBullets {
		return choice{}
	}
	return c
}
