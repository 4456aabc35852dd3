package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/history/view"
	"acpshim/internal/terminal"
)

// A line is one of those that a person reads. Those of one label stand together.
type line struct {
	label, text string
	bad         bool
}

// What a summary fits into, where no terminal says how wide it is: a screen with room for a prompt.
const (
	screenLines   = 23
	screenColumns = 80
	mostOfNames   = 85 // columns of capabilities
	label         = 10
)

// most is how many lines a summary has of each kind, and how many rows each may take.
type most struct{ turns, failed, plans, changes, rows int }

// Draw writes the summary for people, on one screen.
func (s Summary) Draw(style terminal.Style) (drawn string) {
	for _, rows := range []int{2, 1} {
		for n := 5; n > 0; n-- {
			drawn = s.draw(style, most{min(n, 4), min(n, 4), min(n, 3), n, rows})
			if strings.Count(drawn, "\n") <= screenLines {
				return drawn
			}
		}
	}
	return drawn
}

func (s Summary) draw(style terminal.Style, most most) string {
	var b strings.Builder
	columns := cmp.Or(style.Width, screenColumns)
	write := func(label, text string, colour, first terminal.Colour) {
		for _, row := range rows(text, columns-terminal.Width(label), most.rows) {
			b.WriteString(style.Line(terminal.Part{Text: label, Colour: first}, terminal.Part{Text: row, Colour: colour}))
			label = terminal.Blank(label)
		}
	}
	write("", s.title(), terminal.None, terminal.None)
	write("", s.when(), terminal.Dim, terminal.None)
	last := ""
	for _, l := range s.lines(most) {
		name, colour := terminal.Pad(l.label, label), terminal.None
		if l.label == last {
			name = terminal.Blank(name)
		}
		if last = l.label; l.bad {
			colour = terminal.Red
		}
		write(name, l.text, colour, terminal.Dim)
	}
	return b.String()
}

// rows are a text on so many lines at most.
func rows(text string, columns, most int) []string {
	all := terminal.Wrap(terminal.Plain(text, 300), columns)
	if len(all) > most {
		all = append(all[:most-1], strings.Join(all[most-1:], " "))
	}
	for i, row := range all {
		all[i] = terminal.Cut(row, columns)
	}
	return all
}

// title says who spoke with whom.
func (s Summary) title() string {
	name := func(p Peer, otherwise string) string {
		return strings.TrimSpace(cmp.Or(p.Name, otherwise) + " " + p.Version)
	}
	agent := "an agent"
	if len(s.Command) > 0 {
		agent = strings.Join(s.Command, " ")
	}
	protocol := "nothing was negotiated"
	switch {
	case s.Version != "" && s.Offered != s.Version:
		protocol = fmt.Sprintf("protocol %s (the client offered %s)", s.Version, s.Offered)
	case s.Version != "":
		protocol = "protocol " + s.Version
	}
	return fmt.Sprintf("%s with %s, %s, acpshim %s", name(s.Agent, agent), name(s.Client, "a client"), protocol, cmp.Or(s.Acpshim, "unknown"))
}

// when says when the run was, how long it took, and how it ended.
func (s Summary) when() string {
	begun, end := "", "no end"
	if !s.Begun.IsZero() {
		begun = s.Begun.Local().Format(time.DateTime) + ", "
	}
	switch {
	case s.End != nil && s.End.Signal != "":
		end = fmt.Sprintf("ended with status %d (%s)", s.End.Status, s.End.Signal)
	case s.End != nil:
		end = fmt.Sprintf("ended with status %d", s.End.Status)
	}
	return fmt.Sprintf("%s%s, %s in %s, %s", begun, view.Duration(spent(s.Took)), terminal.Count(s.Messages, "message", "messages"),
		terminal.Count(s.Sessions, "session", "sessions"), end)
}

func spent(milliseconds float64) time.Duration {
	return time.Duration(milliseconds * float64(time.Millisecond))
}

// lines are those below the title.
func (s Summary) lines(most most) []line {
	var lines []line
	if s.Missing != "" {
		lines = append(lines, line{"missing", "the record is not whole: " + s.Missing, true})
	}
	if len(s.Command) > 0 {
		lines = append(lines, line{"command", fmt.Sprintf("%s in %s, %s", strings.Join(s.Command, " "), s.Cwd, s.System), false})
	}
	lines = slices.Concat(lines, s.Client.lines("client"), s.Agent.lines("agent"))
	add := func(label string, most int, texts []string, bad bool) {
		if more := len(texts) - most; more > 0 {
			texts[most-1] += fmt.Sprintf(" (and %d more)", more)
			texts = texts[:most]
		}
		for _, text := range texts {
			lines = append(lines, line{label, text, bad})
		}
	}
	add("turns", most.turns, texts(s.Turns, Turn.String), false)
	add("failed", most.failed, texts(s.Failed, Failure.String), true)
	add("plans", most.plans, plansOfSessions(s.Plans), false)
	add("changed", most.changes, texts(byName(s.Changes), changer.String), false)
	if s.End != nil && s.End.isBad() {
		lines = append(lines, line{"end", s.End.String(), true})
		for _, text := range s.End.Stderr {
			lines = append(lines, line{"stderr", terminal.Cut(text, screenColumns-label), false})
		}
	}
	valid := terminal.Count(s.Valid.Errors, "error", "errors") + " and " + terminal.Count(s.Valid.Notes, "note", "notes") + ` of "acpshim log validate"`
	if !s.Valid.Known {
		valid = "there is no schema of this version"
	}
	return append(lines, line{"problems", valid, s.Valid.Errors > 0})
}

func texts[T any](of []T, text func(T) string) (all []string) {
	for _, t := range of {
		all = append(all, text(t))
	}
	return all
}

// lines say what a peer announced.
func (p Peer) lines(label string) []line {
	if p.Seq == 0 {
		return []line{{label, "did not say who it is", false}}
	}
	said := []line{{label, fmt.Sprintf("announces %s (%d)", names(p.Capabilities), p.Seq), false}}
	if len(p.Added) > 0 {
		said = append(said, line{label, "acpshim adds " + names(p.Added), false})
	}
	if len(p.Hidden) > 0 {
		said = append(said, line{label, "acpshim hides " + names(p.Hidden), false})
	}
	return said
}

// names are the first few; those of extensions come last.
func names(of []string) string {
	if len(of) == 0 {
		return "nothing"
	}
	own, extended := []string{}, []string{}
	for _, name := range of {
		if strings.HasPrefix(name, "_") {
			extended = append(extended, name)
		} else {
			own = append(own, name)
		}
	}
	all := append(own, extended...)
	text, n := all[0], 1
	for ; n < len(all) && terminal.Width(text+all[n]) < mostOfNames; n++ {
		text += ", " + all[n]
	}
	if more := len(all) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// String says it in a line, with the number of the prompt.
func (t Turn) String() string {
	end := "no response"
	if t.Took != nil {
		end = cmp.Or(t.Stop, "failed: "+t.Failed) + " after " + view.Duration(spent(*t.Took))
	}
	if t.Tokens != nil {
		end += ", " + terminal.Count(t.Tokens.Total, "token", "tokens")
	}
	return fmt.Sprintf("%d: %s, %q", t.Seq, end, terminal.Plain(t.Prompt, 40))
}

// String says it in a line, with the number of the response or, without one, of the request.
func (f Failure) String() string {
	if f.Response == 0 {
		return fmt.Sprintf("%d: %s of the %s has no response", f.Seq, f.Method, f.From)
	}
	return fmt.Sprintf("%d: %s of the %s (%d) %s", f.Response, f.Method, f.From, f.Seq, f.Text)
}
