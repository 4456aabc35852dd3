package questions

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
)

// Limits of a form.
const (
	maxQuestions = 16
	maxAnswers   = 32
)

// readForm reads a form. It returns false if the request is another kind of elicitation. A form is
// asked only if all of its fields can be asked: a field that the reader never saw must not look
// skipped.
func readForm(params *wire.Object) (p inquiry, ok bool) {
	if mode, _ := params.Text("mode"); mode != "form" {
		return inquiry{}, false
	}
	message, _ := params.Text("message")
	p = inquiry{notice: notice(message), declined: []byte(`{"action":"decline"}`), cancelled: []byte(`{"action":"cancel"}`)}
	if params.End-params.Start > maxForm {
		p.notice = notice("(It is too long to be shown.)")
		return p, true
	}
	schema, err := wire.Parse(params.Raw("requestedSchema"), "properties")
	if err != nil {
		return p, true
	}
	fields := schema.Open("properties")
	if fields == nil || len(fields.Members) == 0 {
		title, text := headline(message)
		p.questions = []question{{title: title, text: text, answers: []answer{{"Accept", []byte(`{}`)}}, none: "Decline"}}
		p.accepted = func([][]byte) []byte { return []byte(`{"action":"accept","content":{}}`) }
		return p, true
	}
	questions, all := readFields(message, fields, required(schema))
	if !all {
		p.notice = notice(message + "\n\n" + list(fields))
		return p, true
	}
	p.questions = questions
	p.accepted = func(chosen [][]byte) []byte { return content(questions, chosen) }
	return p, true
}

// readFields returns the questions of a form's fields. It returns false if a field cannot be asked.
func readFields(message string, fields *wire.Object, required map[string]bool) (questions []question, all bool) {
	var asked []*wire.Object // the field of each question
	for _, m := range fields.Members {
		raw := fields.Raw(m.Name)
		field, err := wire.Parse(raw)
		answers, closed := readAnswers(field)
		switch {
		case err != nil:
			return nil, false
		case !closed && !required[m.Name] && isNote(field, m.Name, questions):
			continue
		case !closed || len(questions) == maxQuestions:
			return nil, false
		}
		questions = append(questions, question{name: m.Name, answers: answers, none: "None of these", optional: !required[m.Name]})
		asked = append(asked, field)
	}
	alone := len(questions) == 1
	for i, field := range asked {
		q := &questions[i]
		q.title, q.text = wording(message, field, q.name, alone, !alone && len(fields.Members) > 2)
	}
	return questions, len(questions) > 0
}

// isNote reports whether a field is an optional text for the question before it. Agents name it
// after that question, such as claude-agent-acp's question_0_custom.
func isNote(field *wire.Object, name string, questions []question) bool {
	typ, _ := field.Text("type")
	return typ == "string" && wire.IsAbsent(field.Raw("oneOf")) && wire.IsAbsent(field.Raw("enum")) &&
		len(questions) > 0 && strings.HasPrefix(name, questions[len(questions)-1].name+"_")
}

// required returns the names of the required fields.
func required(schema *wire.Object) map[string]bool {
	names := map[string]bool{}
	elements, _ := wire.Elements(schema.Raw("required"))
	for _, raw := range elements {
		name, _ := wire.Text(raw)
		names[name] = true
	}
	return names
}

// readAnswers returns the answers that a field allows. It returns false if they are not a short
// list.
func readAnswers(field *wire.Object) (answers []answer, closed bool) {
	switch typ, _ := field.Text("type"); {
	case typ == "boolean":
		answers = []answer{{"Yes", []byte("true")}, {"No", []byte("false")}}
	case typ == "string" && !wire.IsAbsent(field.Raw("oneOf")):
		answers = each(field.Raw("oneOf"), "const", "title", "description")
	case typ == "string":
		answers = each(field.Raw("enum"), "", "", "")
	}
	for i := range answers {
		if bytes.Equal(answers[i].value, field.Raw("default")) {
			answers[i].name += " (default)"
		}
	}
	return answers, len(answers) > 0
}

// each returns the answers of a list. Its elements are texts, or, if value is not empty, objects
// with members of these names. It returns nil if the list is too long or has another element.
func each(raw []byte, value, name, more string) (answers []answer) {
	elements, _ := wire.Elements(raw)
	if len(elements) > maxAnswers {
		return nil
	}
	for _, raw := range elements {
		a := answer{value: bytes.Clone(raw)}
		text, ok := wire.Text(raw)
		if value != "" {
			o, _ := wire.Parse(raw)
			a.value = bytes.Clone(o.Raw(value))
			text, ok = o.Text(value)
			a.name, _ = o.Text(name)
			if note, _ := o.Text(more); note != "" && a.name != "" {
				a.name += ": " + note
			}
		}
		if !ok {
			return nil
		}
		if a.name == "" {
			a.name = text
		}
		a.name = oneLine(a.name)
		answers = append(answers, a)
	}
	return answers
}

func content(questions []question, chosen [][]byte) []byte {
	var members [][]byte
	for i, value := range chosen {
		if value != nil {
			members = append(members, fmt.Appendf(nil, "%s:%s", quote(questions[i].name), value))
		}
	}
	return fmt.Appendf(nil, `{"action":"accept","content":{%s}}`, bytes.Join(members, []byte(",")))
}
