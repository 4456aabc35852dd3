package questions

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
)

// outcome returns the result of a request of Cursor. Cursor reads the name two levels down.
// Members, such as `,"a":1`, are added after the name.
func outcome(name, members string) []byte {
	return []byte(`{"outcome":{"outcome":"` + name + `"` + members + `}}`)
}

// readCursor reads a cursor/ask_question. It asks all of the questions or none.
func readCursor(params *wire.Object) inquiry {
	p := inquiry{notice: notice("(It cannot be read.)"), cancelled: outcome("cancelled", ""),
		declined: outcome("skipped", "")}
	elements, _ := wire.Elements(params.Raw("questions"))
	heading, _ := params.Text("title")
	var questions []question
	var text strings.Builder
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
		text.WriteString("- " + q.title + "\n")
		writeAnswers(&text, q.answers)
		questions = append(questions, q)
	}
	if len(questions) > 0 {
		p.notice = notice(join("\n\n", heading, text.String()))
	}
	if all {
		p.questions = questions
		p.accepted = func(chosen [][]byte) []byte { return cursorAnswers(questions, chosen) }
	}
	return p
}

func cursorAnswers(questions []question, chosen [][]byte) []byte {
	var answers [][]byte
	for i, value := range chosen {
		answers = append(answers, fmt.Appendf(nil, `{"questionId":%s,"selectedOptionIds":[%s]}`, quote(questions[i].name), value))
	}
	return outcome("answered", `,"answers":[`+string(bytes.Join(answers, []byte(",")))+`]`)
}

// readPlan reads a cursor/create_plan. The reader accepts the plan, rejects it, or decides later.
func readPlan(params *wire.Object) inquiry {
	name, _ := params.Text("name")
	overview, _ := params.Text("overview")
	plan, _ := params.Text("plan")
	neither := outcome("cancelled", "")
	p := inquiry{notice: notice("(A plan that is too long to be shown.)"), declined: neither, cancelled: neither,
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

// taskResult returns the result of a cursor/task, which reports a finished task and asks nothing.
func taskResult(params *wire.Object) []byte {
	members := ""
	for _, name := range []string{"agentId", "durationMs"} {
		if raw := params.Raw(name); !wire.IsAbsent(raw) {
			members += `,"` + name + `":` + string(raw)
		}
	}
	return outcome("completed", members)
}
