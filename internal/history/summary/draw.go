package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"
)

// A line is one of those that a person reads. Those of one label stand together.
type line struct {
	label, text string
	colour      terminal.Colour
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
	last := ""
	for _, l := range s.lines(most) {
		name := l.label
		if name != "" {
			name = terminal.Pad(name, label)
		}
		if l.label == last {
			name = terminal.Blank(name)
		}
		last = l.label
		for _, row := range rows(l.text, columns-terminal.Width(name), most.rows) {
			b.WriteString(style.Line(terminal.Part{Text: name, Colour: terminal.Dim}, terminal.Part{Text: row, Colour: l.colour}))
			name = terminal.Blank(name)
		}
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
	case s.Got != "" && s.Got != s.Version:
		protocol = fmt.Sprintf("protocol %s and %s, bridged", s.Version, s.Got)
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

// lines are all of them: first who it was and when, without a label.
func (s Summary) lines(most most) []line {
	lines := []line{{"", s.title(), terminal.None}, {"", s.when(), terminal.Dim}}
	add := func(label string, colour terminal.Colour, most int, texts ...string) {
		if more := len(texts) - most; more > 0 {
			texts[most-1] += fmt.Sprintf(" (and %d more)", more)
			texts = texts[:most]
		}
		for _, text := range texts {
			lines = append(lines, line{label, text, colour})
		}
	}
	if hang := s.hang(); hang != "" {
		add("waited", terminal.Red, 1, hang)
	}
	if s.Missing != "" {
		add("missing", terminal.Red, 1, "the record is not whole: "+s.Missing)
	}
	if len(s.Command) > 0 {
		add("command", terminal.None, 1, fmt.Sprintf("%s in %s, %s", strings.Join(s.Command, " "), s.Cwd, s.System))
	}
	add("client", terminal.None, 3, s.Client.said()...)
	add("agent", terminal.None, 3, s.Agent.said()...)
	add("turns", terminal.None, most.turns, texts(s.Turns)...)
	add("failed", terminal.Red, most.failed, texts(s.Failed)...)
	add("plans", terminal.None, most.plans, plansOfSessions(s.Plans)...)
	add("changed", terminal.None, most.changes, texts(byName(s.Changes))...)
	if s.End != nil && s.End.isBad() {
		add("end", terminal.Red, 1, s.End.String())
		for _, text := range s.End.Stderr {
			add("stderr", terminal.None, 1, terminal.Cut(text, screenColumns-label))
		}
	}
	colour := terminal.None
	problems := fmt.Sprintf(`%s and %s of "acpshim log validate"`, terminal.Count(s.Valid.Errors, "error", "errors"), terminal.Count(s.Valid.Notes, "note", "notes"))
	switch {
	case !s.Valid.Known:
		problems = "there is no schema for this version"
	case s.Valid.Errors > 0:
		colour = terminal.Red
	}
	add("problems", colour, 1, problems)
	return lines
}

func texts[T fmt.Stringer](of []T) (all []string) {
	for _, t := range of {
		all = append(all, t.String())
	}
	return all
}

// said is what the peer announced.
func (p Peer) said() []string {
	if p.Seq == 0 {
		return []string{"did not send its name"}
	}
	said := []string{fmt.Sprintf("announces %s (#%d)", names(p.Capabilities), p.Seq)}
	if len(p.Added) > 0 {
		said = append(said, "acpshim adds "+names(p.Added))
	}
	if len(p.Hidden) > 0 {
		said = append(said, "acpshim hides "+names(p.Hidden))
	}
	return said
}

// names are the first few; those of extensions come last.
func names(of []string) string {
	if len(of) == 0 {
		return "nothing"
	}
	isExtension := func(name string) bool { return strings.HasPrefix(name, "_") }
	isOwn := func(name string) bool { return !isExtension(name) }
	all := slices.Concat(slices.DeleteFunc(slices.Clone(of), isExtension), slices.DeleteFunc(slices.Clone(of), isOwn))
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
	switch {
	case t.Failed != "":
		end = "failed: " + t.Failed
	case t.Stop != "":
		end = t.Stop
	case t.Response > 0 && t.Got == "":
		end = noReason
	}
	if t.Got != "" {
		end += "; the client got " + t.Got
	}
	if t.Took != nil {
		end += " after " + view.Duration(spent(*t.Took))
	}
	if t.Tokens != nil {
		end += ", " + terminal.Count(t.Tokens.Total, "token", "tokens")
	}
	return fmt.Sprintf("#%d: %s, %q", t.Seq, end, terminal.Plain(t.Prompt, 40))
}

// String says it in a line, with the number of the response or, without one, of the request.
func (f Failure) String() string {
	from := "the " + string(f.From)
	if f.From == history.Acpshim {
		from = string(f.From)
	}
	if f.Response == 0 {
		return fmt.Sprintf("#%d: %s of %s has no response", f.Seq, f.Method, from)
	}
	return fmt.Sprintf("#%d: %s of %s (#%d) %s", f.Response, f.Method, from, f.Seq, f.Text)
}
