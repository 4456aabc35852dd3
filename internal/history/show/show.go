// Package show prints the rows of a record that a filter matches.
package show

import (
	"cmp"
	"fmt"
	"io"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/summary"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/store"
	"acpshim/internal/terminal"
)

// Options say how a record is printed.
type Options struct {
	Raw  bool // the lines as they were
	JSON bool // the lines of the record

	Numbers Numbers           // if there are some, the entries with these in full
	Note    func(text string) // is called with what a person has to know besides, which may be ""
}

// Record prints what a filter matches in a record with these files, below a name if there is
// something and a name is given. It reports whether there is something.
func Record(out *terminal.Output, name string, files []string, q query.Query, o Options) (found bool, err error) {
	goesOn := store.IsWritten(files...)
	open := store.Opener(files)
	rows := !o.Raw && !o.JSON
	p := &printing{Options: o, out: out, query: q, rows: view.New(), matched: map[uint64]bool{}, hasRows: rows}
	if rows && name != "" {
		p.header = name + "\n"
	}
	if rows && (q.Empty() || p.Numbers != nil) {
		return p.whole(open, name, goesOn)
	}
	p.rows.Filtered = true
	if p.meant, err = q.Select(open); err != nil {
		return false, err
	}
	h, err := history.Walk(open, p.add)
	if err != nil {
		return len(p.matched) > 0, err
	}
	p.lacks(h, name, goesOn)
	if o.JSON {
		return len(p.matched) > 0, copyRecords(out, open, q.Empty() && p.Numbers == nil, p.matched)
	}
	p.print(p.rows.Flush())
	return len(p.matched) > 0, p.err
}

// lacks tells what is missing in a record, unless there are rows for it.
func (p *printing) lacks(h *history.History, name string, goesOn bool) {
	p.Note(view.Newer(h.Schema))
	lacks := h.Missing
	if p.hasRows {
		lacks.Gaps, lacks.Ended = 0, true
	}
	if text := view.Missing(lacks, goesOn); text != "" {
		p.Note(cmp.Or(name, "the record") + " is not whole: " + text)
	}
}

// whole prints all of a record, or its entries with numbers.
func (p *printing) whole(open func() (io.ReadCloser, error), name string, goesOn bool) (found bool, err error) {
	h, err := history.Open(open)
	if err != nil {
		return false, err
	}
	p.lacks(h, name, goesOn)
	if p.Numbers != nil {
		return p.entries(h), p.err
	}
	p.meant = &query.Selection{}
	p.write(summary.Of(h, goesOn).Draw(p.out.Style) + "\n")
	for m, r := range h.All() {
		if err := p.add(m, r); err != nil {
			return true, err
		}
	}
	p.print(p.rows.Flush())
	p.write(ending(h, goesOn))
	return len(p.matched) > 0, p.err
}

// printing prints what matches of a record whose messages and other entries it gets in order.
type printing struct {
	Options
	out     *terminal.Output
	query   query.Query
	meant   *query.Selection
	header  string // not yet written
	rows    *view.View
	hasRows bool            // not lines
	matched map[uint64]bool // by number
	err     error           // of writing
}

// add prints what comes next in the record: a message, or if that is nil what is none. The error is
// one of writing.
func (p *printing) add(m *history.Message, r record.Record) error {
	if m != nil {
		p.message(m)
	} else {
		p.other(r)
	}
	return p.err
}

func (p *printing) message(m *history.Message) {
	if !p.meant.Next(m) || !p.Numbers.Has(m.Seq) {
		p.print(p.rows.Skip(m))
		return
	}
	before := p.matched[m.Seq] // in the same batch
	p.match(m.Seq)
	switch {
	case p.JSON:
	case !p.Raw:
		p.print(p.rows.Message(m))
	case !before && p.out.Terminal:
		p.write(terminal.Text(string(m.Message.Line)))
	case !before:
		p.write(string(m.Message.Line))
	}
}

func (p *printing) other(r record.Record) {
	switch {
	case p.Raw:
		return
	case !p.query.MatchOther(r) || !p.Numbers.Has(r.Seq):
		p.print(p.rows.SkipOther())
		return
	}
	p.match(r.Seq)
	if !p.JSON {
		p.print(p.rows.Other(r))
	}
}

func (p *printing) match(seq uint64) {
	p.write(p.header)
	p.header, p.matched[seq] = "", true
}

func (p *printing) print(rows []view.Row) {
	for _, row := range rows {
		p.write(view.Draw(p.out.Style, row))
	}
}

func (p *printing) write(text string) {
	if p.err == nil {
		_, p.err = p.out.WriteString(text)
	}
}

// copyRecords writes the lines of a record's files whose numbers are wanted, and if all of it is
// the first and the last one.
func copyRecords(out *terminal.Output, open func() (io.ReadCloser, error), all bool, wanted map[uint64]bool) error {
	files, err := open()
	if err != nil {
		return err
	}
	defer files.Close()
	r := record.NewReader(files)
	for {
		rec, err := r.Next()
		if err != nil {
			return nil // it was read before
		}
		frame := rec.Start != nil || rec.End != nil
		if !wanted[rec.Seq] && !(frame && all) || frame && !all {
			continue
		}
		line := r.Line()
		if out.Terminal {
			line = terminal.JSON(line)
		}
		out.Write(line)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
}

// ending says how a run ended, if it did.
func ending(h *history.History, goesOn bool) string {
	e := h.End
	switch {
	case e == nil && goesOn:
		return "\nthe run goes on\n"
	case e == nil:
		return "\n" + view.Truncated + "\n"
	}
	killed, missing := "", ""
	if e.Signal != "" {
		killed = fmt.Sprintf(", the agent was killed by a signal (%s)", terminal.Plain(e.Signal, 40))
	}
	if e.Gaps > 0 {
		missing = fmt.Sprintf("; %s missing (%s)", terminal.Count(e.Lost.Lines, "line is", "lines are"), view.Size(e.Lost.Bytes))
	}
	return fmt.Sprintf("\nended with status %d%s; the client sent %s (%s), the agent %d (%s)%s\n", e.Status, killed,
		terminal.Count(e.Client.Lines, "message", "messages"), view.Size(e.Client.Bytes), e.Agent.Lines, view.Size(e.Agent.Bytes), missing)
}
