package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/wrap"
)

// editors says which entries of editors' settings acpshim runs, and which not.
func (x *examination) editors() {
	m, err := wrap.This()
	if err != nil {
		x.note("editors", err.Error(), "")
		return
	}
	x.entries(m.List())
}

// entries says it of the rows of a list.
func (x *examination) entries(rows []wrap.Row) {
	var wrapped, others, files []string
	before := len(x.report.Findings)
	for _, row := range rows {
		name := fmt.Sprintf("%s %q", row.Editor, row.Name)
		if file := short(row.File); !slices.Contains(files, file) {
			files = append(files, file)
		}
		switch {
		case row.Problem != "":
			x.note("editors", short(row.File)+": "+row.Problem, "")
		case row.Name == "":
		case !row.Wrapped():
			others = append(others, name)
		case isGone(row.Command[0]):
			x.problem("editors", fmt.Sprintf("%s starts %s, which is not there", name, row.Command[0]), fmt.Sprintf(`"acpshim unwrap %s" and "wrap" again`, name))
		default:
			wrapped = append(wrapped, name)
			if words := wrap.Relative(row.Command); words != nil {
				x.note("editors", fmt.Sprintf("%s gives %s, relative to the folder in which the editor starts it", name, strings.Join(words, ", ")), "write the absolute path in its settings")
			}
		}
	}
	switch {
	case wrapped != nil:
		x.ok("editors", "acpshim runs the agent of "+strings.Join(wrapped, ", "))
	case others != nil:
		x.note("editors", "acpshim runs none of their agents: "+strings.Join(others, ", "), `"acpshim wrap EDITOR NAME" changes that`)
	case len(x.report.Findings) > before: // what is wrong was said
	case files != nil:
		x.note("editors", "no agents in "+strings.Join(files, ", "), `"acpshim wrap EDITOR NAME -- COMMAND" adds one`)
	default:
		x.ok("editors", `no settings of an editor were found; "acpshim wrap -h"`)
	}
	if wrapped != nil && others != nil {
		x.ok("editors", "not of "+strings.Join(others, ", "))
	}
}

func isGone(program string) bool {
	_, err := os.Stat(program)
	return filepath.IsAbs(program) && os.IsNotExist(err)
}
