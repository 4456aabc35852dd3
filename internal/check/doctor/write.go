package doctor

import (
	"context"
	"strings"

	"acpshim/internal/text/terminal"
)

// A Form says how a report is written.
type Form int

const (
	Short Form = iota // what concerns this pair of editor and agent, for people
	Long              // all findings, for people
	JSON              // one object on one line
)

// Write examines, and for people writes each finding at once. It returns errors of writing.
func Write(ctx context.Context, out *terminal.Output, o Options, as Form) (Report, error) {
	if as == JSON {
		r := Examine(ctx, o)
		_, err := out.Write(append(terminal.JSON(r.JSON()), '\n'))
		return r, out.Close(err)
	}
	o.Begun = func(r Report) { out.WriteString(r.title() + "\n"); out.Flush() }
	left := 0
	o.Found = func(f Finding) {
		if f.isDetail && as == Short {
			left++
			return
		}
		writeFinding(out, f)
		out.Flush()
	}
	r := Examine(ctx, o)
	if ctx.Err() == nil {
		out.WriteString(r.summary(left) + "\n")
	}
	return r, out.Close(nil)
}

// writeFinding writes the level, the subject, the text, and what to do. It breaks lines at 80
// columns.
func writeFinding(out *terminal.Output, f Finding) {
	columns, style := 80, terminal.Style{Colour: out.Style.Colour}
	if out.Style.Width > 0 {
		columns = min(columns, out.Style.Width)
	}
	text := f.Text
	if f.Do != "" {
		text += "; " + f.Do
	}
	level, subject := terminal.Pad(string(f.Level), 8), terminal.Pad(f.Subject, 10)
	margin := terminal.Blank(level + subject)
	columns -= len(margin)
	for i, line := range terminal.Wrap(terminal.Plain(text, 0), columns) {
		if i > 0 {
			level, subject = "", margin
		}
		out.WriteString(style.Line(terminal.Part{Text: level, Colour: colour(f.Level)}, terminal.Part{Text: subject + line}))
	}
	for _, line := range f.Quote {
		cut := terminal.Cut(terminal.Line(line), columns-2)
		out.WriteString(style.Line(terminal.Part{Text: margin}, terminal.Part{Text: "| " + cut, Colour: terminal.Dim}))
	}
}

func colour(l Level) terminal.Colour {
	switch l {
	case OK:
		return terminal.Green
	case Note:
		return terminal.Yellow
	}
	return terminal.Red
}

// title returns the first line for people.
func (r Report) title() string {
	title := "examining"
	if len(r.Command) == 0 {
		title = "acpshim " + r.Acpshim + ", " + r.System
	}
	if r.Client != "" {
		title += " for " + r.Client
	}
	if len(r.Command) > 0 {
		title += ": " + strings.Join(r.Command, " ")
	}
	return terminal.Plain(title, 80)
}

// summary returns the last line for people. Left is how many findings are left out.
func (r Report) summary(left int) string {
	text := "no problems"
	if r.Problems > 0 {
		text = terminal.Count(r.Problems, "problem", "problems")
	}
	if r.Problems+r.Notes > 0 {
		text += ", " + terminal.Count(r.Notes, "note", "notes")
	}
	if left > 0 {
		text += "; -v also prints " + terminal.Count(left, "detail", "details")
	}
	return text
}
