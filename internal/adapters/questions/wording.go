package questions

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
)

// maxLine is the longest title, in characters.
const maxLine = 500

// oneLine returns a text on one line, cut to maxLine.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxLine {
		return text
	}
	return string([]rune(text)[:maxLine]) + "…"
}

// wording returns the title of a field's question, and the rest of the question in markdown. The
// title includes the form's message, unless the field is one of several. A field without a title is
// called fallback. If the field is alone, what the message says already is left out.
func wording(message string, field *wire.Object, fallback string, alone, several bool) (title, text string) {
	name, _ := field.Text("title")
	description, _ := field.Text("description")
	if alone && repeats(message, description) {
		description = ""
	}
	if alone && repeats(join(" ", message, description), name) {
		name = ""
	}
	if alone && message != "" {
		fallback = ""
	}
	own := join(": ", cmp.Or(name, fallback), description)
	if repeats(own, message) {
		message = ""
	}
	switch whole := join(" ", message, own); {
	case own == "":
		return headline(message)
	case !several && isLine(whole):
		return whole, ""
	case isLine(own):
		return own, message
	}
	return oneLine(own), join("\n\n", message, own)
}

// repeats reports whether a text has all words of another one, in the same order and next to each
// other.
func repeats(text, other string) bool {
	all, some := words(text), words(other)
	return some != "" && strings.Contains(" "+all+" ", " "+some+" ")
}

// words returns the words of a text in lower case, with a space between them.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
}

// headline returns the first line of a text, and the rest.
func headline(text string) (title, rest string) {
	title, rest, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if isLine(title) {
		return title, strings.TrimSpace(rest)
	}
	return oneLine(title), text
}

func isLine(text string) bool { return text == oneLine(text) }

// join joins the texts that are not empty. It skips a text that equals the one before it.
func join(with string, texts ...string) string {
	var all []string
	for i, text := range texts {
		if text != "" && (i == 0 || text != texts[i-1]) {
			all = append(all, text)
		}
	}
	return strings.Join(all, with)
}

// list returns the fields of a form and their answers as a markdown list.
func list(fields *wire.Object) string {
	var b strings.Builder
	for _, m := range fields.Members {
		field, _ := wire.Parse(fields.Raw(m.Name))
		title, _ := wording("", field, m.Name, false, true)
		b.WriteString("- " + title + "\n")
		answers, _ := readAnswers(field)
		items, _ := wire.Parse(field.Raw("items"))
		writeAnswers(&b, answers)
		writeAnswers(&b, each(items.Raw("enum"), "", "", ""))
		writeAnswers(&b, each(items.Raw("anyOf"), "const", "title", "description"))
	}
	return b.String()
}

func writeAnswers(b *strings.Builder, answers []answer) {
	for _, a := range answers {
		b.WriteString("  - " + a.name + "\n")
	}
}

// notice returns what the reader sees when a question is declined.
func notice(asked string) string {
	return "**The agent asks what cannot be answered in a dialog here.** Write your answer as your next message.\n\n" + asked
}
