package view

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// Truncated is what became of a run that does not go on and has no end.
const Truncated = "the record has no end: the run was cut off, and the last lines may be missing"

// Missing says what is missing in the record of a run that goes on or not; "" if nothing is known
// to be.
func Missing(m record.Missing, goesOn bool) string {
	var said []string
	if m.Before > 0 {
		said = append(said, fmt.Sprintf("its beginning is gone (%s)", terminal.Count(m.Before, "entry", "entries")))
	}
	if m.Gaps > 0 {
		said = append(said, fmt.Sprintf("%s missing (%s)", terminal.Count(m.Lines, "line is", "lines are"), Size(m.Bytes)))
	}
	if m.Entries > 0 {
		said = append(said, terminal.Count(m.Entries, "entry is", "entries are")+" missing")
	}
	if m.Broken > 0 {
		said = append(said, terminal.Count(m.Broken, "line of the file is", "lines of the file are")+" broken, or not all there")
	}
	switch {
	case m.Ended:
	case goesOn:
		said = append(said, "the run goes on")
	default:
		said = append(said, "it has no end, so the last lines may be missing")
	}
	return strings.Join(said, "; ")
}

// Incomplete is a sentence with what Missing says, or "".
func Incomplete(m record.Missing, goesOn bool) string {
	text := Missing(m, goesOn)
	if text != "" {
		text = "the record is not whole: " + text
	}
	return text
}

// Newer says that a record is of a schema that is not known here; "" if it is not.
func Newer(schema int) string {
	if schema <= record.Schema {
		return ""
	}
	return fmt.Sprintf("the record has schema %d, which this acpshim does not know: what is new in it is left out", schema)
}

// Name is the name of a method or an update for people.
func Name(name string) string { return cmp.Or(terminal.Plain(name, 60), "-") }
