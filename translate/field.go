package translate

import "strings"

// headingStatus is the status that a heading or the fields below it name, or "".
func (r *reading) headingStatus(i int) Status {
	if s, _ := r.fields(i); s != "" {
		return s
	}
	s, _, _ := r.ends(strings.Trim(r.blocks[i].raw, "*"))
	return s
}

// fields reads lines like "**Status:** done" at the beginning of a section; one
// line may have several, with bars between them.
func (r *reading) fields(section int) (s Status, p Priority) {
	for i := section + 1; i < len(r.blocks) && i <= section+4; i++ {
		b := &r.blocks[i]
		if b.kind != paragraph && b.kind != item {
			break
		}
		for part := range strings.FieldsFuncSeq(b.raw, func(c rune) bool { return c == '\n' || c == '|' }) {
			switch key, value, _ := field(part); key {
			case "status":
				s = r.legend.value(value)
				if level, _ := priority(value, false); p == "" {
					p = level
				}
			case "priority":
				p = priorityOf(value)
			}
		}
	}
	return s, p
}

// field splits a line that says how a step stands; key is status or priority.
func field(line string) (key, value string, ok bool) {
	name, value, found := strings.Cut(line, ":")
	if !found || len(name) > 40 {
		return "", "", false
	}
	switch strings.ToLower(strings.Trim(name, "*_- \t")) {
	case "status", "state", "状態", "ステータス", "状态", "statut", "estado", "статус":
		return "status", value, true
	case "priority", "prio", "priorität", "優先度", "优先级":
		return "priority", value, true
	}
	return "", "", false
}
