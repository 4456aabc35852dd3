package translate

import "strings"

// planned reports whether a section's heading, or one around it but for the
// title, says that its list is the plan.
func (r *reading) planned(section int) bool {
	if section < 0 || r.blocks[section].level <= 1 {
		return false
	}
	b := &r.blocks[section]
	if b.plan == unasked {
		b.plan = no
		if namesPlan(b.raw) || r.planned(b.section) {
			b.plan = yes
		}
	}
	return b.plan == yes
}

var planNames = []string{
	"plan", "steps", "tasks", "todo", "to do", "to-do", "approach", "milestones", "roadmap", "implementation order",
	"work items", "action items", "checklist",
	"schritte", "vorgehen", "étapes", "pasos", "шаги", "手順", "タスク", "計画", "步骤", "任务", "计划", "단계", "계획",
}

func namesPlan(heading string) bool {
	if len(heading) < 4 || len(heading) > 60 {
		return false
	}
	heading = strings.ToLower(heading)
	for _, other := range []string{"test plan", "rollback", "testing plan", "explan", "plane"} {
		if strings.Contains(heading, other) {
			return false
		}
	}
	for _, name := range planNames {
		if strings.Contains(heading, name) {
			return true
		}
	}
	return false
}

// isStep reports whether a heading is one of a row: "Phase 2: Parser".
func isStep(heading string) bool {
	word, number := stepWord(heading)
	switch word {
	case "step", "task", "phase", "stage", "milestone", "iteration", "sprint", "wave",
		"schritt", "aufgabe", "étape", "tâche", "paso", "tarea", "fase", "etapa", "шаг", "этап", "ステップ", "フェーズ", "阶段", "步骤":
		return number
	}
	return false
}

// isTask reports whether a step is a task, which a phase may hold several of.
func isTask(heading string) bool {
	switch word, _ := stepWord(heading); word {
	case "task", "step", "aufgabe", "schritt", "tâche", "tarea", "paso", "шаг", "ステップ", "步骤":
		return true
	}
	return false
}

// stepWord returns the first word of a heading, in lower case, and whether a
// number follows it.
func stepWord(heading string) (word string, number bool) {
	heading = strings.TrimLeft(heading, "*_ ")
	end := strings.IndexAny(heading, " 0123456789")
	if end < 0 || end > 24 {
		return "", false
	}
	rest := strings.TrimLeft(heading[end:], " #")
	return strings.ToLower(heading[:end]), rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

// isNumbered reports whether a heading begins with a number: "1. Export" or
// "2.1 Export", but not "2024 in numbers".
func isNumbered(heading string) bool {
	heading = strings.TrimLeft(heading, "*_ ")
	end := 0
	for end < len(heading) && ('0' <= heading[end] && heading[end] <= '9' || heading[end] == '.' || heading[end] == ')') {
		end++
	}
	return end > 0 && '0' <= heading[0] && heading[0] <= '9' && strings.ContainsAny(heading[:end], ".)")
}

// namesCheck reports whether a heading stands above what is checked in the end.
func namesCheck(heading string) bool {
	heading = strings.ToLower(heading)
	for _, name := range []string{"verif", "accept", "criteria", "checklist", "definition of done", "completion"} {
		if strings.Contains(heading, name) {
			return true
		}
	}
	return false
}
