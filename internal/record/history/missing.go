package history

import (
	"fmt"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/text/terminal"
)

// ListMissing returns a list of what is missing in a record, or "" if nothing is known to be
// missing. GoesOn says that the run has not ended.
func ListMissing(m record.Missing, goesOn bool) string {
	var parts []string
	if m.Before > 0 {
		parts = append(parts, fmt.Sprintf("its beginning is gone (%s)", terminal.Count(m.Before, "entry", "entries")))
	}
	if m.Gaps > 0 {
		parts = append(parts, fmt.Sprintf("%s missing (%s)", terminal.Count(m.Lines, "line is", "lines are"), terminal.Size(m.Bytes)))
	}
	if m.Entries > 0 {
		parts = append(parts, terminal.Count(m.Entries, "entry is", "entries are")+" missing")
	}
	if m.Broken > 0 {
		parts = append(parts, terminal.Count(m.Broken, "line of the file is", "lines of the file are")+" broken or incomplete")
	}
	switch {
	case m.Ended:
	case goesOn:
		parts = append(parts, "the run goes on")
	default:
		parts = append(parts, "it has no end, so the last lines may be missing")
	}
	return strings.Join(parts, "; ")
}

// WarnMissing returns a sentence with the list of [ListMissing], or "".
func WarnMissing(m record.Missing, goesOn bool) string {
	text := ListMissing(m, goesOn)
	if text != "" {
		text = "the record is not whole: " + text
	}
	return text
}

// WarnNewer returns a sentence about a record whose schema is newer than this acpshim, or "".
func WarnNewer(schema int) string {
	if schema <= record.Schema {
		return ""
	}
	return fmt.Sprintf("the record has schema %d, which is newer than this acpshim: unknown parts are left out", schema)
}
