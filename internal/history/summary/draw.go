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

// How many lines a summary has of each kind, and how long they are: all of it fits a screen of 24.
const (
	mostTurns   = 3
	mostFailed  = 3
	mostPlans   = 2
	mostChanges = 4
	mostNames   = 6   // of capabilities, and of plans
	widest      = 300 // columns of a line
)

// Draw writes the summary for people, on one screen.
func (s Summary) Draw(style terminal.Style) string {
	var b strings.Builder
	b.WriteString(style.Line(terminal.Part{Text: terminal.Plain(s.title(), widest)}))
	b.WriteString(style.Line(terminal.Part{Text: terminal.Plain(s.when(), 0), Colour: terminal.Dim}))
	last := ""
	for _, l := range s.lines() {
		label, colour := l.label, terminal.None
		if label == last {
			label = ""
		}
		if last = l.label; l.bad {
			colour = terminal.Red
		}
		b.WriteString(style.Line(terminal.Part{Text: terminal.Pad(label, 10), Colour: terminal.Dim}, terminal.Part{Text: terminal.Plain(l.text, widest), Colour: colour}))
	}
	return b.String()
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
func (s Summary) lines() []line {
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
	add("turns", mostTurns, texts(s.Turns, Turn.String), false)
	add("failed", mostFailed, texts(s.Failed, Failure.String), true)
	add("plans", mostPlans, plansOfSessions(s.Plans), false)
	add("changed", mostChanges, texts(byName(s.Changes), changer.String), false)
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

// names are the first few.
func names(of []string) string {
	if len(of) == 0 {
		return "nothing"
	}
	text := strings.Join(of[:min(len(of), mostNames)], ", ")
	if more := len(of) - mostNames; more > 0 {
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
