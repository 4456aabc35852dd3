package conformance

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/setup/editor"
	"acpshim/internal/text/terminal"
)

// ranks is the order of findings in a text: what needs to be read is last.
var ranks = map[Status]int{OK: 0, Skipped: 1, Warning: 2, Failed: 3}

// WriteText writes the report for people: the findings, what was wrong last, and the counts. If
// joined, the rules that are ok are listed together, and so are those that were skipped for one
// reason.
func (r Report) WriteText(w io.Writer, style terminal.Style, joined bool) error {
	columns := 80
	if style.Width > 0 {
		columns = min(columns, style.Width)
	}
	style.Width = 0 // lines are wrapped, not cut
	findings := slices.Clone(r.Rules)
	width := 0
	for _, f := range findings {
		width = max(width, len(f.Rule))
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(ranks[a.Status], ranks[b.Status]) })
	var b strings.Builder
	if joined {
		findings = join(&b, style, columns, findings)
	}
	for _, f := range findings {
		row(&b, style, columns, f.Status, terminal.Pad(f.Rule, width)+" ", f.sentence())
	}
	b.WriteString(r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// join writes the rules that are ok, and those that were skipped for one reason, together. It
// returns the other findings.
func join(b *strings.Builder, style terminal.Style, columns int, findings []Finding) (others []Finding) {
	names := map[string][]string{} // by the reason
	var reasons []string
	for _, f := range findings {
		reason := f.Text
		if f.Status == OK {
			reason = ""
		}
		if f.Status != OK && f.Status != Skipped {
			others = append(others, f)
			continue
		}
		if names[reason] == nil {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], f.Rule)
	}
	for _, reason := range reasons {
		status, text := Skipped, strings.Join(names[reason], ", ")+": "+reason
		if reason == "" {
			status, text = OK, strings.Join(names[reason], ", ")
		}
		row(b, style, columns, status, "", text)
	}
	return others
}

// row writes a status, a rule and a text. Later lines of the text are indented.
func row(b *strings.Builder, style terminal.Style, columns int, status Status, rule, text string) {
	head := terminal.Pad(string(status), 9)
	margin := terminal.Blank(head + rule)
	lines := terminal.Wrap(terminal.Plain(text, 0), columns-terminal.Width(margin))
	for i, line := range lines {
		if i == 0 {
			b.WriteString(style.Line(terminal.Part{Text: head, Colour: colour(status)}, terminal.Part{Text: rule + line}))
			continue
		}
		b.WriteString(style.Line(terminal.Part{Text: margin + line}))
	}
}

func colour(s Status) terminal.Colour {
	return map[Status]terminal.Colour{OK: terminal.Green, Failed: terminal.Red, Warning: terminal.Yellow, Skipped: terminal.Dim}[s]
}

// summary returns the last line: the counts, and the commands that show the messages of what is
// wrong, one for each record.
func (r Report) summary() string {
	text := fmt.Sprintf("%d failed, %s, %d ok, %d skipped", r.Failed, terminal.Count(r.Warnings, "warning", "warnings"), r.OK, r.Skipped)
	if tried := r.tried(); tried < fewest && len(r.Rules) > fewest {
		text += fmt.Sprintf("; only %s tried, which says little", terminal.Count(tried, "rule was", "rules were"))
	}
	if commands := r.commands(); commands != nil {
		text += "; to see the messages: " + strings.Join(commands, "; ")
	}
	return text
}

var number = regexp.MustCompile(`#(\d+)`)

// commands returns the commands that show the first message of what is wrong in each record.
func (r Report) commands() (commands []string) {
	var seen []string
	for _, f := range r.Rules {
		at := number.FindStringSubmatch(f.Got + " " + f.Sent)
		isWrong := f.Status == Failed || f.Status == Warning && r.Failed == 0
		if !isWrong || f.Record == "" || at == nil || slices.Contains(seen, f.Record) {
			continue
		}
		seen = append(seen, f.Record)
		commands = append(commands, editor.Line([]string{"acpshim", "log", "show", "--run", f.Record, at[1]}))
	}
	return commands
}
