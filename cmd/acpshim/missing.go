package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// missing says what is not in a record, of a run that goes on or not; "" if nothing is
// known to be.
func missing(m record.Missing, goesOn bool) string {
	var said []string
	if m.Before > 0 {
		said = append(said, fmt.Sprintf("its beginning is gone (%s)", counted(m.Before, "entry", "entries")))
	}
	if m.Gaps > 0 {
		said = append(said, fmt.Sprintf("%s missing (%s)", counted(m.Lines, "line is", "lines are"), view.Size(m.Bytes)))
	}
	if m.Entries > 0 {
		said = append(said, counted(m.Entries, "entry is", "entries are")+" missing")
	}
	if m.Broken > 0 {
		said = append(said, counted(m.Broken, "line of the file is", "lines of the file are")+" broken, or not all there")
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

// counted is a number with the words for one or for several.
func counted[N int | uint64](n N, one, several string) string {
	if n == 1 {
		several = one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// tellMissing says what is not in a record, for a command whose output does not.
func tellMissing(m record.Missing, goesOn bool) {
	if text := missing(m, goesOn); text != "" {
		note("the record is not whole: " + text)
	}
}

// cutOff is what became of a run that does not go on and has no end.
const cutOff = "the record has no end: the run was cut off, and the last lines may be missing"

// noteNothing says that a filter was too narrow.
func noteNothing(q query.Query) {
	if !q.Empty() {
		note("nothing in the record matches " + terminal.Plain(q.String(), 100))
	}
}

// tellNewer says that a record is of a schema that is not known here.
func tellNewer(schema int) {
	if schema > record.Schema {
		note(fmt.Sprintf("the record has schema %d, which this acpshim does not know: what is new in it is left out", schema))
	}
}

// tellRead reads a record and says what is not in it, for a command that may see only
// a part of it, and that there is no end unless its output does.
func tellRead(parts []string, open func() (io.ReadCloser, error), saysEnd bool) error {
	goesOn := isWritten(parts)
	from, err := open()
	if err != nil {
		return err
	}
	defer from.Close()
	r := record.NewReader(from)
	for err == nil {
		_, err = r.Next()
	}
	lacks := r.Missing()
	lacks.Ended = lacks.Ended || saysEnd
	tellNewer(r.Schema)
	tellMissing(lacks, goesOn)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
