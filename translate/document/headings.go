package document

import (
	"slices"
	"strings"
)

func isHeading(b *block) bool { return b.kind == heading }

// headingWith returns a function that reports whether ok accepts the title of a heading.
func headingWith(ok func(title string) bool) func(*block) bool {
	return func(b *block) bool { return isHeading(b) && ok(b.text) }
}

// headings selects the headings of a level that ok accepts, none for level -1. All other headings
// but a title above them are prose.
func (m *markdownDocument) headings(convention string, level int, ok func(*block) bool) selection {
	s := m.all(convention, func(b *block) bool { return b.level == level && ok(b) })
	n, all := len(s.blocks), m.all("", isHeading).blocks
	if n > 0 && (n+1 < len(all) || n < len(all) && m.blocks[all[0]].level >= level) {
		s.shown = -1
	}
	return s
}

// levelCounts are the numbers of headings by level.
type levelCounts [7]int

func (m *markdownDocument) levels(ok func(*block) bool) (counts levelCounts) {
	for i := range m.blocks {
		if b := &m.blocks[i]; ok(b) {
			counts[b.level]++
		}
	}
	return counts
}

// highest returns the highest level with at least that many headings, or -1.
func (l levelCounts) highest(least int) int {
	return slices.IndexFunc(l[:], func(n int) bool { return n >= least })
}

// statusHeadings selects the headings of a level that name a status, and those between them that
// have the number of a step.
func (m *markdownDocument) statusHeadings() selection {
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

// stepHeadings selects headings like "Step 1" or "Phase 2". It prefers tasks to phases.
func (m *markdownDocument) stepHeadings() selection {
	step := headingWith(isStep)
	level := m.levels(headingWith(isTask)).highest(2)
	if level < 0 {
		level = m.levels(step).highest(2)
	}
	return m.headings("step headings", level, step)
}

// numberedHeadings selects headings like "2. Move the data".
func (m *markdownDocument) numberedHeadings() selection {
	numbered := headingWith(isNumbered)
	return m.headings("numbered headings", m.levels(numbered).highest(2), numbered)
}

// sections selects the headings of the highest level with more than one, without the title.
func (m *markdownDocument) sections() selection {
	heads := m.all("", isHeading).blocks
	named := headingWith(func(title string) bool { return title != "" })
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

// isPlanned reports whether the heading of a section, or one above it except the title, names a
// plan.
func (m *markdownDocument) isPlanned(section int) bool {
	if section < 0 || m.blocks[section].level <= 1 {
		return false
	}
	isPlan, known := m.named[section]
	if !known {
		isPlan = namesPlan(m.blocks[section].text) || m.isPlanned(m.blocks[section].section)
		m.named[section] = isPlan
	}
	return isPlan
}

func namesPlan(title string) bool {
	return len(title) >= 4 && !hasAny(title, "test plan", "rollback", "testing plan", "explan", "plane") &&
		hasAny(title, "plan", "steps", "tasks", "todo", "to do", "to-do", "approach", "milestones", "roadmap",
			"implementation order", "work items", "action items", "checklist", "schritte", "vorgehen", "étapes",
			"pasos", "шаги", "手順", "タスク", "計画", "步骤", "任务", "计划", "단계", "계획")
}

// The words before the number of a heading, in lower case. A phase may have several tasks.
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
