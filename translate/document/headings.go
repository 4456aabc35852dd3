package document

import (
	"slices"
	"strings"
)

func isHeading(b *block) bool { return b.kind == heading }

// titled returns what accepts headings by their titles.
func titled(ok func(title string) bool) func(*block) bool {
	return func(b *block) bool { return isHeading(b) && ok(b.text) }
}

// headings selects the headings of a level that ok accepts. If there are others, beside one
// title above them, these are prose. Level -1 has none.
func (m *markdown) headings(convention string, level int, ok func(*block) bool) selection {
	s := m.all(convention, func(b *block) bool { return b.level == level && ok(b) })
	n, all := len(s.blocks), m.all("", isHeading).blocks
	if n > 0 && (n+1 < len(all) || n < len(all) && m.blocks[all[0]].level >= level) {
		s.shown = -1
	}
	return s
}

// A levels counts headings by their level.
type levels [7]int

// levels counts the headings that ok accepts.
func (m *markdown) levels(ok func(*block) bool) (counts levels) {
	for i := range m.blocks {
		if b := &m.blocks[i]; ok(b) {
			counts[b.level]++
		}
	}
	return counts
}

// highest returns the highest level that has at least so many headings, or -1.
func (l levels) highest(least int) int {
	return slices.IndexFunc(l[:], func(n int) bool { return n >= least })
}

// statusHeadings selects the headings of a level that name a status, and those between them
// that number a step.
func (m *markdown) statusHeadings() selection {
	heads, stated := m.all("", isHeading).blocks, map[*block]bool{}
	for _, i := range heads[:min(len(heads), maxLooked)] {
		stated[&m.blocks[i]] = m.headingStatus(i) != ""
	}
	counts := m.levels(func(b *block) bool { return stated[b] })
	most := slices.Max(counts[:])
	if most < 2 {
		return selection{}
	}
	return m.headings("status heading", slices.Index(counts[:], most), func(b *block) bool {
		return stated[b] || isHeading(b) && (isStep(b.text) || isNumbered(b.text))
	})
}

// stepHeadings selects headings like "Step 1" or "Phase 2"; tasks before the phases that
// they stand in.
func (m *markdown) stepHeadings() selection {
	step := titled(isStep)
	level := m.levels(titled(isTask)).highest(2)
	if level < 0 {
		level = m.levels(step).highest(2)
	}
	return m.headings("step headings", level, step)
}

// numberedHeadings selects headings like "2. Move the data".
func (m *markdown) numberedHeadings() selection {
	numbered := titled(isNumbered)
	return m.headings("numbered headings", m.levels(numbered).highest(2), numbered)
}

// sections selects the headings of the highest level that divides, the title aside.
func (m *markdown) sections() selection {
	heads := m.all("", isHeading).blocks
	named := titled(func(title string) bool { return title != "" })
	counts := m.levels(named)
	if len(heads) > 1 && m.blocks[heads[0]].level == 1 && counts[1] == 1 {
		counts[1] = 0 // the title
	}
	level := counts.highest(2)
	if level < 0 {
		level = counts.highest(1)
	}
	s := m.headings(headings, level, named)
	if n := len(s.blocks); n > maxSections || n == 1 && len(m.bullets().blocks) > 0 {
		return selection{}
	}
	return s
}

// planned reports whether the heading of a section, or one around it but for the title, says
// that its list is the plan.
func (m *markdown) planned(section int) bool {
	if section < 0 || m.blocks[section].level <= 1 {
		return false
	}
	planned, known := m.named[section]
	if !known {
		planned = namesPlan(m.blocks[section].text) || m.planned(m.blocks[section].section)
		m.named[section] = planned
	}
	return planned
}

func namesPlan(title string) bool {
	return len(title) >= 4 && !hasAny(title, "test plan", "rollback", "testing plan", "explan", "plane") &&
		hasAny(title, "plan", "steps", "tasks", "todo", "to do", "to-do", "approach", "milestones", "roadmap",
			"implementation order", "work items", "action items", "checklist", "schritte", "vorgehen", "étapes",
			"pasos", "шаги", "手順", "タスク", "計画", "步骤", "任务", "计划", "단계", "계획")
}

// What a numbered heading calls a step, in lower case. A phase may hold several tasks.
var (
	taskWords  = []string{"task", "step", "aufgabe", "schritt", "tâche", "tarea", "paso", "шаг", "ステップ", "步骤"}
	phaseWords = []string{"phase", "stage", "milestone", "iteration", "sprint", "wave", "étape", "fase", "etapa", "этап",
		"フェーズ", "阶段"}
)

// isTask reports whether a heading is a task: "Step 2: Write".
func isTask(title string) bool {
	return slices.Contains(taskWords, stepWord(title))
}

// isStep reports whether a heading is a task or a phase: "Phase 2: Parser".
func isStep(title string) bool {
	word := stepWord(title)
	return slices.Contains(taskWords, word) || slices.Contains(phaseWords, word)
}

// stepWord returns the first word of a heading in lower case if a number follows, or "".
func stepWord(title string) string {
	title = strings.TrimLeft(title, "*_ ")
	end := strings.IndexAny(title, " 0123456789")
	if end < 0 || leadingDigits(strings.TrimLeft(title[end:], " #")) == 0 {
		return ""
	}
	return strings.ToLower(title[:end])
}

// isNumbered reports whether a heading begins with a number: "1. Export" or "2.1 Export", but
// not "2024 in numbers".
func isNumbered(title string) bool {
	title = strings.TrimLeft(title, "*_ ")
	number := title[:len(title)-len(strings.TrimLeft(title, "0123456789.)"))]
	return leadingDigits(number) > 0 && strings.ContainsAny(number, ".)")
}
