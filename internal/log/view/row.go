package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Row is a line for a reader, with further lines below it. Its texts hold nothing that a terminal
// obeys.
type Row struct {
	Seq       uint64
	Failed    bool     // an error, or a gap
	By        []string // what changed or made it, if the reason is not known or was shown before
	Text      string
	Reasons   []string // what else changed or made it, each with its reason
	Below     []string // further lines
	IsDivider bool     // it is not an entry: it ends a turn, and Text describes the turn

	at      time.Duration // since the run began
	dir     wire.Side     // who sent it; "" if it is not a message
	mark    byte
	name    string
	fold    *fold            // nil if the row is complete
	message *history.Message // or nil; a later response may name its session
}

// Marks say what became of a message.
const (
	passed   = ' '
	replaced = '-' // as it came; acpshim sent something else instead, or nothing
	made     = '+' // acpshim sent it instead of another, or added it
)

// messageRow begins the row of a message.
func messageRow(m *history.Message) *Row {
	mark, known := map[string]byte{"in": replaced, "out": made}[m.Message.Stage]
	if !known {
		mark = passed
	}
	return &Row{Seq: m.Seq, at: m.Mono, dir: m.Message.Dir, mark: mark, Failed: m.Failed, message: m, name: terminal.Plain(m.Name(), 40)}
}

// entryRow is the row of an entry that is not a message.
func entryRow(r record.Record) *Row {
	row := &Row{Seq: r.Seq, at: r.Mono, mark: passed, name: terminal.Plain(r.Kind, 20)}
	switch {
	case r.Gap != nil:
		row.Failed = true
		lines := terminal.Count(r.Gap.Count, "line of "+r.Gap.Stream+" is", "lines of "+r.Gap.Stream+" are")
		row.Text = fmt.Sprintf("%s missing, %s: %s", lines, terminal.Size(r.Gap.Bytes), r.Gap.Why)
	case r.File != nil && r.File.Busy:
		row.Text = r.File.Path + ", not readable yet"
	case r.File != nil:
		row.Text = r.File.Path + ", " + terminal.Size(int64(len(r.File.Text)))
	case r.Kind == "event" && r.Text != nil:
		row.Text, row.Failed = event(r.Text.Bytes)
	case r.Text != nil:
		row.Text = raw(r.Text.Bytes)
	}
	row.Text = terminal.Plain(row.Text, maxText)
	return row
}

// Message returns the message that the row begins with, or nil.
func (r Row) Message() *history.Message { return r.message }

const (
	below    = 21 // where further lines begin, in columns
	screen   = 80 // the width of a row with further lines, where no terminal has one
	mostName = 26 // the width of the name; less on a narrow terminal
)

// Draw writes a row as lines: the number, the seconds since the run began, the receiver, the name,
// the number of the session, and the text. If there are further lines, a text that is too wide
// continues there.
func (r Row) Draw(s terminal.Style) string {
	if r.IsDivider {
		return s.Line(terminal.Part{Text: "----- " + r.Text + " -----", Colour: terminal.Dim})
	}
	columns := cmp.Or(s.Width, screen)
	name, width := r.name, mostName
	if s.Width > 0 && s.Width < 54+mostName {
		width = max(s.Width-54, 12)
		name = terminal.Cut(name, width)
	}
	session := ""
	if r.message != nil && r.message.SessionNumber > 0 {
		session = fmt.Sprint(r.message.SessionNumber)
	}
	mark, colour := terminal.Part{Text: string(rune(r.mark))}, terminal.None
	switch {
	case r.Failed:
		colour = terminal.Red
	case r.mark != passed:
		mark.Colour = terminal.Yellow
	}
	text, rest := r.split(columns - below - width - 5)
	var drawn strings.Builder
	drawn.WriteString(s.Line(
		terminal.Part{Text: fmt.Sprintf("%5d %9.3f ", r.Seq, r.at.Seconds()), Colour: terminal.Dim}, arrow(r.dir),
		terminal.Part{Text: " "}, mark, terminal.Part{Text: " "},
		terminal.Part{Text: fmt.Sprintf("%s %3s %s", terminal.Pad(name, width), session, text), Colour: colour}))
	margin := terminal.Part{Text: strings.Repeat(" ", below)}
	for _, text := range append(rest, r.Reasons...) {
		for _, line := range terminal.Wrap(text, columns-below) {
			drawn.WriteString(s.Line(margin, terminal.Part{Text: line}))
		}
	}
	for _, line := range r.Below {
		drawn.WriteString(s.Line(margin, terminal.Part{Text: line, Colour: colours[line[0]]}))
	}
	return drawn.String()
}

// colours are those of what was added, removed and changed.
var colours = map[byte]terminal.Colour{'+': terminal.Green, '-': terminal.Red, '~': terminal.Yellow}

// split returns the text of a row. If there are further lines, it returns apart what does not fit
// into so many columns.
func (r Row) split(columns int) (text string, rest []string) {
	if text = r.Text; len(r.By) > 0 {
		text = "[" + terminal.Cut(strings.Join(r.By, ", "), 60) + "] " + text
	}
	if len(r.Reasons)+len(r.Below) == 0 || terminal.Width(text) <= columns {
		return text, nil
	}
	lines := terminal.Wrap(text, columns)
	if terminal.Width(lines[0]) > columns {
		return "", []string{text}
	}
	return lines[0], []string{strings.Join(lines[1:], " ")}
}

// arrow points to the receiver of a message: the agent is at the right.
func arrow(from wire.Side) terminal.Part {
	switch from {
	case record.Client:
		return terminal.Part{Text: "->", Colour: terminal.Green}
	case record.Agent:
		return terminal.Part{Text: "<-", Colour: terminal.Cyan}
	}
	return terminal.Part{Text: "  "}
}
