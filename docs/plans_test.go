package docs

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
	"acpshim/translate/entry"

	"golang.org/x/tools/txtar"
)

// docs/plans.md shows some examples of package document, the policies, and the shipped todo tools.
func TestPlansAreDescribed(t *testing.T) {
	parts := map[string]string{
		"policies":   policies(),
		"todo tools": toolTable(rowsOf(sections(t), "plan.tool")),
	}
	parts["examples of known"] = examples(t, "../translate/document/testdata/conventions/known.txtar")
	hasGeneratedParts(t, "plans.md", parts)
}

// examples are those of a file, each with its name, the document and beside it the plan.
func examples(t *testing.T, path string) string {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for pair := range slices.Chunk(archive.Files, 2) {
		document, plan := linesOf(pair[0].Data), linesOf(pair[1].Data)
		block := terminal.Beside(document, plan)
		for _, line := range slices.Concat(document, plan) {
			if !strings.Contains(block, line) {
				t.Errorf("%s: %s: %q is too long to stand beside another", path, pair[0].Name, line)
			}
		}
		all = append(all, "#### "+pair[0].Name+"\n"+fenced(block))
	}
	return strings.Join(all, "\n")
}

func linesOf(text []byte) []string {
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// fenced is a text in a fence that is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// policies is what each policy shows while an agent sends updates.
func policies() string {
	list := func(status entry.Status) []entry.Entry {
		return []entry.Entry{{Content: "Write the parser", Status: status}}
	}
	steps := []struct {
		sent   string
		update translate.Update
	}{
		{"a document: `- [ ] Choose a format`", translate.Update{Kind: translate.Markdown, ID: "1", Text: "- [ ] Choose a format\n"}},
		{"a checklist: Write the parser", translate.Update{Kind: translate.Items, ID: "2", Entries: list(entry.Pending)}},
		{"the checklist again, completed", translate.Update{Kind: translate.Items, ID: "2", Entries: list(entry.Completed)}},
		{"another document: `- [ ] Review it`", translate.Update{Kind: translate.Markdown, ID: "3", Text: "- [ ] Review it\n"}},
		{"that document is removed", translate.Update{Kind: translate.Removed, ID: "3"}},
	}
	var plans translate.PlanSet
	var rows [][]string
	for _, s := range steps {
		plans.Apply(s.update)
		row := []string{s.sent}
		for _, policy := range []translate.Policy{translate.Checklists, translate.All, translate.Latest} {
			drawn := strings.TrimSpace(transcript.Draw(plans.Compose(policy)))
			row = append(row, "`"+strings.ReplaceAll(drawn, "\n", "`<br>`")+"`")
		}
		rows = append(rows, row)
	}
	return table([]string{"the agent sends", code(`"checklists"`), code(`"all"`), code(`"latest"`)}, rows)
}
