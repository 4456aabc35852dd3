package relay_test

// A knownDifference is a difference between docs/plans.md and the program. With its quirk, the
// model does what the program does.
type knownDifference struct {
	quirk string
	why   string
	in    modelCase // the zero value is the default configuration
	steps []modelStep
}

func allQuirks() map[string]bool {
	all := map[string]bool{}
	for _, k := range knownDifferences {
		all[k.quirk] = true
	}
	return all
}

var knownDifferences = []knownDifference{
	{
		"two questions",
		`The text of a question stays a plan of its own after a question about a document.
"[...] until a question with another text"`, modelCase{},
		[]modelStep{s1("prompt"), sends("a", box("one")), asks(box("two")), asks(box("one")), s1("end")},
	},
	{
		"asked later",
		`A text that was told in an earlier turn, and asked about in this one, is told again at the end
without a change. "acpshim sends the text again when it changes."`, modelCase{},
		[]modelStep{
			sends("e", box("one")), {do: "legacy", session: "s1", entries: list("now")}, s1("prompt"), s1("end"),
			s1("prompt"), asks(box("one")), {do: "items", session: "s1", id: "d", entries: done("d")}, s1("end"),
		},
	},
	{
		"update first",
		`If the first message after a cancelled turn is a plan update, what waits is not sent with it, but
at the end of the turn. "Everything else waits for the first message of the next turn."`, modelCase{},
		[]modelStep{
			s1("prompt"), sends("d", why, box("one")), s1("cancel"), s1("end"),
			s1("prompt"), {do: "items", session: "s1", id: "b", entries: list("now")}, s1("end"),
		},
	},
}

// Steps and documents of known differences.

var why = plainLine("words", "Why.")

func box(words string) modelLine {
	return modelLine{role: "box", text: "- [ ] " + words, bare: words, entry: modelEntry{words, "medium", "pending"}}
}

func document(lines ...modelLine) (d modelDocument) {
	for i, l := range lines {
		d.lines = append(d.lines, l)
		if i+1 < len(lines) && l.role == "words" {
			d.lines = append(d.lines, plainLine("blank", ""))
		}
	}
	return d
}

func s1(do string) modelStep { return modelStep{do: do, session: "s1"} }

func sends(id string, lines ...modelLine) modelStep {
	d := document(lines...)
	return modelStep{do: "document", session: "s1", id: id, doc: d, cuts: []int{len(d.text())}}
}

func asks(lines ...modelLine) modelStep {
	return modelStep{do: "ask", session: "s1", call: "switch_mode", doc: document(lines...)}
}

func list(content string) []modelEntry { return []modelEntry{{content, "medium", "pending"}} }
func done(content string) []modelEntry { return []modelEntry{{content, "medium", "completed"}} }
