package questions

import (
	"bytes"
	"strings"

	"acpshim/internal/wire"
)

// outcome returns the result of a request of Cursor's: the name is two levels down, as Cursor reads
// it. Members follow the name, each with a comma before it.
func outcome(name, members string) []byte {
	return []byte(`{"outcome":{"outcome":"` + name + `"` + members + `}}`)
}

// readCursor reads a cursor/ask_question. All of its questions are asked, or none.
func readCursor(params *wire.Object) inquiry {
	p := inquiry{told: notice("(It cannot be read.)"), cancelled: outcome("cancelled", ""),
		declined: outcome("skipped", "")}
	elements, _ := wire.Elements(params.Raw("questions"))
	heading, _ := params.Text("title")
	var questions []question
	var told strings.Builder
	all := len(elements) <= maxQuestions && params.End-params.Start <= maxForm
	for _, raw := range elements[:min(len(elements), maxQuestions)] {
		o, err := wire.Parse(raw)
		q := question{none: "None of these", answers: each(o.Raw("options"), "id", "label", "")}
		name, ok := o.Text("id")
		q.name = name
		prompt, _ := o.Text("prompt")
		q.title, q.text = headline(prompt)
		q.text = join("\n\n", heading, q.text)
		all = all && err == nil && ok && len(q.answers) > 0 && string(o.Raw("allowMultiple")) != "true"
		told.WriteString("- " + q.title + "\n")
		writeAnswers(&told, q.answers)
		questions = append(questions, q)
	}
	if len(questions) > 0 {
		p.told = notice(join("\n\n", heading, told.String()))
	}
	if all {
		p.questions = questions
		p.accepted = func(chosen [][]byte) []byte { return cursorAnswers(questions, chosen) }
	}
	return p
}

// cursorAnswers returns the result that answers Cursor's questions.
func cursorAnswers(questions []question, chosen [][]byte) []byte {
	var answers [][]byte
	for i, value := range chosen {
		b := wire.Quote([]byte(`{"questionId":`), questions[i].name)
		b = append(append(b, `,"selectedOptionIds":[`...), value...)
		answers = append(answers, append(b, "]}"...))
	}
	return outcome("answered", `,"answers":[`+string(bytes.Join(answers, []byte(",")))+`]`)
}

// readPlan reads a cursor/create_plan: the reader accepts the plan, or rejects it, or does neither.
func readPlan(params *wire.Object) inquiry {
	name, _ := params.Text("name")
	overview, _ := params.Text("overview")
	plan, _ := params.Text("plan")
	neither := outcome("cancelled", "")
	p := inquiry{told: notice("(A plan that is too long to be shown.)"), declined: neither, cancelled: neither,
		accepted: func(chosen [][]byte) []byte { return chosen[0] }}
	if params.End-params.Start <= maxForm {
		p.questions = []question{{
			title:   oneLine(join(" ", "Accept this plan?", name)),
			text:    join("\n\n", overview, plan),
			answers: []answer{{"Accept the plan", outcome("accepted", "")}, {"Reject the plan", outcome("rejected", "")}},
			none:    "Decide later",
		}}
	}
	return p
}

// taskResult returns the result of a cursor/task, which tells of a task that is done and asks
// nothing.
func taskResult(params *wire.Object) []byte {
	members := ""
	for _, name := range []string{"agentId", "durationMs"} {
		if raw := params.Raw(name); !wire.IsAbsent(raw) {
			members += `,"` + name + `":` + string(raw)
		}
	}
	return outcome("completed", members)
}
