package translate

import "strings"

// inherited is the priority that a section gives to what is in it.
func (r *reading) inherited(section int) (p Priority) {
	if section < 0 {
		return ""
	}
	if p, known := r.given[section]; known {
		return p
	}
	if p = r.sectionPriority(r.blocks[section].raw); p == "" {
		p = r.inherited(r.blocks[section].section)
	}
	if r.given == nil {
		r.given = map[int]Priority{}
	}
	r.given[section] = p
	return p
}

// boxStatus reads a box: what the legend says of it, then what is around it.
func (r *reading) boxStatus(i int) Status {
	b := &r.blocks[i]
	if s, ok := r.legend["["+string(b.mark.sign)+"]"]; ok {
		return s
	}
	switch b.mark.sign {
	case '-':
		if r.openBelow(i) || r.numbered() {
			return InProgress
		}
	case '>':
		if strings.Contains(b.raw, "started:") {
			return InProgress
		}
	}
	return b.mark.status()
}

// openBelow reports whether a box has boxes below it that are not all ticked.
func (r *reading) openBelow(i int) bool {
	top := &r.blocks[i]
	for j := i + 1; j < len(r.blocks); j++ {
		b := &r.blocks[j]
		if top.kind == title && b.kind == title && b.level <= top.level ||
			top.kind == item && (b.kind == title || b.kind == item && b.level <= top.level) {
			return false
		}
		if b.mark.sign != 0 && b.mark.status() != Completed {
			return true
		}
	}
	return false
}

// numbered reports whether the document numbers its boxes as Kiro does.
func (r *reading) numbered() bool {
	return r.once(&r.kiro, func(raw string) bool { return isNumbered(raw) })
}

// countsP reports whether the document counts its steps P1, P2, P3 and so on:
// then these are no priorities.
func (r *reading) countsP() bool {
	return r.once(&r.steps, func(raw string) bool {
		raw = trimTime(raw)
		return len(raw) > 2 && raw[0] == 'P' && '4' <= raw[1] && raw[1] <= '9' && (raw[2] == ' ' || raw[2] == ':')
	})
}

// once asks all boxes of a document, one time.
func (r *reading) once(known *answer, ok func(raw string) bool) bool {
	if *known == unasked {
		*known = no
		for i := range r.blocks {
			if b := &r.blocks[i]; b.mark.sign != 0 && !b.key && ok(b.raw) {
				*known = yes
				break
			}
		}
	}
	return *known == yes
}
