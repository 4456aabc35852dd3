package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/text/terminal"
)

// A Problem is something wrong with a configuration file.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`           // from 1; 0 if the place is not known
	Column  int    `json:"column"`         // likewise
	Source  string `json:"-"`              // the text of the line
	Message string `json:"message"`        // what is wrong
	Hint    string `json:"hint,omitempty"` // what would be right
	Warning bool   `json:"warning"`        // it has no effect, but is not wrong
	Unnamed bool   `json:"-"`              // it holds only if the command line does not name the agent
}

// At is "FILE:LINE", or the file if the line is not known.
func (p Problem) At() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Problems is everything wrong with a file, in the order of its lines.
type Problems []Problem

// Error lists the problems, each with its place, its line and a caret.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(terminal.Line(p.File))
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		if p.Warning {
			b.WriteString(": warning")
		}
		b.WriteString(": " + p.Message)
		if p.Hint != "" {
			b.WriteString(" (" + p.Hint + ")")
		}
		if p.Line > 0 {
			margin := fmt.Sprintf("%5d | ", p.Line)
			source, before := p.excerpt()
			fmt.Fprintf(&b, "\n%s%s\n%s%s^", margin, source, strings.Repeat(" ", len(margin)-2)+"| ", terminal.Blank(before))
		}
	}
	return terminal.Text(b.String())
}

// excerpt returns the line, or the part of a long line around the column, and the text before the
// column. It escapes control characters.
func (p Problem) excerpt() (source, before string) {
	const most = 160
	runes := []rune(terminal.Line(p.Source))
	at := min(p.Column-1, len(runes))
	if len(runes) > most {
		from := max(0, at-most/2)
		runes, at = runes[from:min(from+most, len(runes))], at-from
	}
	return string(runes), string(runes[:at])
}

// Warnings returns problems with keys that have no effect.
func (c Config) Warnings() Problems {
	if c.Log.Level == "debug" || c.Log.Level == "info" {
		return c.warnings
	}
	for _, r := range c.Rules {
		if r.Log && !r.Off {
			message := fmt.Sprintf("log.level: %q hides what rules log, such as rule %q", c.Log.Level, r.Name)
			return append(slices.Clip(c.warnings), Problem{File: c.From("log.level").String(), Message: message, Warning: true})
		}
	}
	return c.warnings
}

// maxProblems is how many problems are listed.
const maxProblems = 100

// sorted returns problems in the order of the file, with the text of their lines.
func (f *configFile) sorted(problems Problems) Problems {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems:maxProblems],
			Problem{File: f.name, Message: fmt.Sprintf("has %d more problems", more), Warning: problems[len(problems)-1].Warning})
	}
	lines := strings.Split(f.source, "\n")
	for i := range problems {
		if p := &problems[i]; f.isFlag {
			p.Line, p.Column = 0, 0
		} else {
			p.Source = sourceLine(lines, p.Line)
		}
	}
	return problems
}

func sourceLine(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}
