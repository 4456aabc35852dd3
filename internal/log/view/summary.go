package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"acpshim/internal/log/stats"
	"acpshim/internal/log/validate"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Summary is what happened in a run. Numbers are those of messages, times are milliseconds since
// the run began, and lists are never nil. Texts are as the peers wrote them: whoever draws them
// removes what must not be drawn.
type Summary struct {
	Verdict Verdict         `json:"verdict"` // the first thing to read
	Wrong   []Wrong         `json:"wrong"`   // what went wrong, in order
	Command []string        `json:"command"` // of the agent
	Acpshim string          `json:"acpshim"` // its version
	System  string          `json:"system"`  // such as linux/amd64
	Cwd     string          `json:"cwd"`
	Begun   time.Time       `json:"begun"` // zero if that is not known
	Took    float64         `json:"took_ms"`
	Silent  float64         `json:"silent_ms"` // at its end, in which no peer sent anything
	Client  Peer            `json:"client"`
	Agent   Peer            `json:"agent"`
	Version string          `json:"version"` // of the protocol, in the agent's response; "" without one
	Offered string          `json:"offered"` // the version that the client offered
	Got     string          `json:"got"`     // the version in the response that the client got
	Turns   []Turn          `json:"turns"`
	Consent Consent         `json:"consent"`
	Usage   []stats.Usage   `json:"usage"`   // of the sessions of the turns
	Failed  []Failure       `json:"failed"`  // requests whose senders got an error, or nothing
	Plans   []Plan          `json:"plans"`   // in the order in which they first came
	Changes []Change        `json:"changes"` // the most frequent first
	Valid   validate.Report `json:"valid"`   // what differs from the schema
	End     *End            `json:"end"`     // nil if the record has none
	Missing string          `json:"missing"` // what is missing in the record, as a sentence; or ""

	Messages int `json:"messages"` // that the peers sent
	Sessions int `json:"sessions"`

	numbers []uint64
}

// Numbers returns the numbers of the messages that went wrong, in no certain order. The caller must
// not change them.
func (s Summary) Numbers() []uint64 { return s.numbers }

// Summarize summarizes a record, whose run goes on or not.
func Summarize(h *history.History, goesOn bool) Summary {
	figures := stats.Of(h)
	s := Summary{
		Plans: plansOf(h), Changes: changesOf(h), Turns: turnsOf(h, figures.Prompts), Usage: figures.Usage, Failed: failuresOf(h),
		Consent: consentOf(h), Valid: validate.Check(h), Missing: history.ListMissing(h.Missing, goesOn), Command: []string{}, Messages: h.Sent(),
	}
	if len(h.Messages) > 0 && !h.Messages[0].Time.IsZero() {
		s.Begun = h.Messages[0].Time.Add(-h.Messages[0].Mono)
	}
	if start := h.Start; start != nil {
		s.Command = append(s.Command, start.Argv...)
		s.Acpshim, s.Cwd, s.System = start.Acpshim, start.Cwd, start.OS+"/"+start.Arch
	}
	s.peers(h)
	for _, m := range h.Messages {
		s.Sessions = max(s.Sessions, m.SessionNumber)
		s.Took = float64(m.Mono) / float64(time.Millisecond)
	}
	if ended := float64(h.Ended) / float64(time.Millisecond); ended > s.Took {
		s.Took, s.Silent = ended, ended-s.Took
	}
	s.End = endOf(h, s.Failed)
	v, j := judge(h, goesOn)
	s.Verdict, s.Wrong, s.numbers = v, j.Wrong(), j.Numbers()
	return s
}

// A line is one that a person reads. Lines with the same label stand together.
type line struct {
	label, text string
	colour      terminal.Colour
}

// The size of a summary where no terminal has one: a screen with room for a prompt.
const (
	summaryLines  = 23
	labelWidth    = 10
	rowsOfReason  = 2
	rowsOfVerdict = 3
)

// Draw writes the summary for people, on one screen.
func (s Summary) Draw(style terminal.Style) (drawn string) {
	for _, rows := range []int{2, 1} { // of each line
		for most := 5; most > 0; most-- { // lines of each label
			if drawn = s.draw(style, most, rows); strings.Count(drawn, "\n") <= summaryLines {
				return drawn
			}
		}
	}
	return drawn
}

func (s Summary) draw(style terminal.Style, most, rows int) string {
	var b strings.Builder
	columns := cmp.Or(style.Width, screen)
	last := ""
	for i, l := range s.lines(most) {
		label := l.label
		if label != "" {
			label = terminal.Pad(label, labelWidth)
		}
		if l.label == last {
			label = terminal.Blank(label)
		}
		last = l.label
		all := terminal.Wrap(terminal.Plain(l.text, 300), columns-terminal.Width(label))
		room := rows
		if i == 0 {
			room = rowsOfVerdict
		} else if l.label == "plans" {
			room += rowsOfReason // what did not reach the client comes first, with the reason
		}
		for k := range min(len(all), room) {
			row := all[k]
			if k == room-1 {
				row = strings.Join(all[k:], " ")
			}
			row = terminal.Cut(row, columns-terminal.Width(label))
			b.WriteString(style.Line(terminal.Part{Text: label, Colour: terminal.Dim}, terminal.Part{Text: row, Colour: l.colour}))
			label = terminal.Blank(label)
		}
	}
	return b.String()
}

// lines are those of the summary: first the verdict, the peers and the time, without a label, then
// at most so many for each label.
func (s Summary) lines(most int) []line {
	wrong, colour := s.Wrong, terminal.Green
	if s.Verdict.problems > 0 {
		wrong = wrong[1:]
	}
	if s.Verdict.IsBad {
		colour = terminal.Red
	}
	lines := []line{{"", s.Verdict.Text, colour}, {"", s.title(), terminal.None}, {"", s.timing(), terminal.Dim}}
	add := func(label string, colour terminal.Colour, most int, texts ...string) {
		for i, text := range texts[:min(len(texts), most)] {
			if more := len(texts) - most; i == most-1 && more > 0 {
				text += fmt.Sprintf(" (and %d more)", more)
			}
			if text != "" {
				lines = append(lines, line{label, text, colour})
			}
		}
	}
	missing, command, problems := "", "", "there is no schema for this version of the protocol"
	colour = terminal.None
	if s.Missing != "" {
		missing = "the record is not whole: " + s.Missing
	}
	if len(s.Command) > 0 {
		command = fmt.Sprintf("%s in %s, %s", strings.Join(s.Command, " "), s.Cwd, s.System)
	}
	if s.Valid.Known {
		problems = fmt.Sprintf(`"acpshim log validate" finds %s and %s`, terminal.Count(s.Valid.Errors, "error", "errors"), terminal.Count(s.Valid.Notes, "note", "notes"))
		if s.Valid.Errors > 0 {
			colour = terminal.Red
		}
	}
	add("missing", terminal.Red, 1, missing)
	add("command", terminal.None, 1, command)
	add("client", terminal.None, 3, s.Client.lines()...)
	add("agent", terminal.None, 3, s.Agent.lines()...)
	add("turns", terminal.None, min(most, 4), texts(s.Turns)...)
	add("used", terminal.None, min(most, 3), usageLines(s.Usage)...)
	add("wrong", terminal.Red, min(most, 4), texts(wrong)...)
	add("asked", terminal.None, min(most, 3), s.Consent.lines()...)
	add("plans", terminal.None, min(most, 3), planLines(s.Plans)...)
	add("changed", terminal.None, most, changeLines(s.Changes)...)
	if s.End != nil && s.End.isBad() {
		for _, text := range s.End.Stderr[max(len(s.End.Stderr)-most, 0):] {
			add("stderr", terminal.None, 1, terminal.Cut(text, screen-labelWidth))
		}
	}
	add("problems", colour, 1, problems)
	return lines
}

func texts[T fmt.Stringer](all []T) (texts []string) {
	for _, one := range all {
		texts = append(texts, one.String())
	}
	return texts
}

// title names the peers, the version of the protocol, and acpshim's version.
func (s Summary) title() string {
	name := func(p Peer, fallback string) string {
		return strings.TrimSpace(cmp.Or(p.Name, fallback) + " " + p.Version)
	}
	agent := cmp.Or(strings.Join(s.Command, " "), "an agent")
	protocol := "no protocol was negotiated"
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

// timing describes when the run began, how long it took, and how it ended.
func (s Summary) timing() string {
	begun, end := "", "no end"
	if !s.Begun.IsZero() {
		begun = s.Begun.Local().Format(time.DateTime) + ", "
	}
	if s.End != nil {
		end = fmt.Sprintf("ended with status %d", s.End.Status) + inBrackets(s.End.Signal)
	}
	return fmt.Sprintf("%s%s, %s in %s, %s", begun, terminal.Duration(spent(s.Took)), terminal.Count(s.Messages, "message", "messages"),
		terminal.Count(s.Sessions, "session", "sessions"), end)
}
