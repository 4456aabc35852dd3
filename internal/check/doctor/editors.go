package doctor

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/setup/wrap"
)

// editors reports which agents in the settings of editors start through acpshim, and which do not.
func (x *examination) editors() {
	m, err := wrap.This()
	if err != nil {
		x.note("editors", err.Error(), "")
		return
	}
	rows, err := m.List("")
	if err != nil {
		x.note("editors", err.Error(), "")
		return
	}
	x.entries(rows)
}

// entries reports that for the rows of a list.
func (x *examination) entries(rows []wrap.Row) {
	var wrapped, others, files []string
	var arguments string // of the wrap command for the first of others
	before := len(x.report.Findings)
	for _, row := range rows {
		name := fmt.Sprintf("%s %q", row.Editor, row.Name)
		if file := short(row.File); !slices.Contains(files, file) {
			files = append(files, file)
		}
		switch {
		case row.Problem != "" && !row.Connects():
			x.note("editors", short(row.File)+": "+row.Problem, "")
		case row.Name == "":
		case !row.Wrapped():
			if others = append(others, name); len(others) == 1 {
				arguments = name
				if len(row.Command) == 0 { // the editor installs the agent
					arguments += " -- COMMAND"
				}
			}
		case row.IsGone:
			x.problem("editors", fmt.Sprintf("%s starts %s, which does not exist", name, row.Acpshim), "to mend it, run: acpshim wrap "+name)
		default:
			wrapped = append(wrapped, name)
			if words := wrap.Relative(row.Command); words != nil {
				x.note("editors", fmt.Sprintf("%s has %s, a path relative to the folder in which the editor starts the agent", name, strings.Join(words, ", ")), "write the absolute path in its settings")
			}
		}
	}
	switch {
	case wrapped != nil:
		x.ok("editors", "these start through acpshim: "+strings.Join(wrapped, ", "))
	case others != nil:
		x.note("editors", "none of these starts through acpshim: "+strings.Join(others, ", "), fmt.Sprintf("to add it to %s, run: acpshim wrap %s", others[0], arguments))
	case len(x.report.Findings) > before: // the problems are findings already
	case files != nil:
		x.note("editors", "no agents in "+strings.Join(files, ", "), `run "acpshim wrap EDITOR NAME -- COMMAND" to add one`)
	default:
		x.ok("editors", `found no settings of an editor (acpshim wrap -h lists some)`)
	}
	if wrapped != nil && others != nil {
		x.detail("editors", "these start without acpshim: "+strings.Join(others, ", "))
	}
}
