package conformance

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/record/store"
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
		for _, one := range r.faults(f) {
			row(&b, style, columns, f.Status, terminal.Pad(f.Rule, width)+" ", r.sentence(one))
		}
	}
	b.WriteString(r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// maxShown is how many faults of a rule a text has.
const maxShown = 20

// faults returns what a text says about a rule: each fault, if only some rules were asked for.
func (r Report) faults(f Finding) []Finding {
	if r.isChosen {
		return f.each(maxShown)
	}
	return []Finding{f}
}

// sentence returns a finding as one line. It names the record of the numbers, unless that is the
// one of the last line.
func (r Report) sentence(f Finding) string {
	at, last := f.number(), r.first()
	if at == "" || f.Record == "" || last == nil || f.Record == last.Record || f.Status != Failed && f.Status != Warning {
		return f.sentence()
	}
	return f.fault(f.more(), f.Source+"; in the record "+store.Name([]string{f.Record}))
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

// summary returns the last line: the counts, how to see all faults, and the command that shows the
// messages of the first one.
func (r Report) summary() string {
	text := fmt.Sprintf("%d failed, %s, %d ok, %d skipped", r.Failed, terminal.Count(r.Warnings, "warning", "warnings"), r.OK, r.Skipped)
	if tried := r.tried(); tried < fewest && len(r.Rules) > fewest {
		text += fmt.Sprintf("; only %s tried, which says little", terminal.Count(tried, "rule was", "rules were"))
	}
	if !r.isChosen && slices.ContainsFunc(r.Rules, func(f Finding) bool { return f.More > 0 }) {
		text += "; --case RULE shows all faults of a rule"
	}
	if f := r.first(); f != nil {
		text += "; to see the messages: " + editor.Line([]string{"acpshim", "log", "show", "--run", f.Record, f.number()})
	}
	return text
}

var number = regexp.MustCompile(`#(\d+)`)

// number returns the number of the first message of a finding, or "".
func (f Finding) number() string {
	if at := number.FindStringSubmatch(f.Got + " " + f.Sent); at != nil {
		return at[1]
	}
	return ""
}

// first returns the first finding about something wrong that has a message, or nil.
func (r Report) first() *Finding {
	for _, f := range r.Rules {
		isWrong := f.Status == Failed || f.Status == Warning && r.Failed == 0
		if isWrong && f.Record != "" && f.number() != "" {
			return &f
		}
	}
	return nil
}
