package view

import (
	"cmp"
	"io"

	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"
)

// Options say how a record is printed.
type Options struct {
	Raw  bool // the lines of the peers
	JSON bool // the lines of the record

	Numbers Numbers           // if there are any, only these entries, each on a page
	Run     string            // the run, as --run names it; "" is the newest
	Note    func(text string) // is called with what else a person has to know, which may be ""
}

// Print prints what a query matches in the record with these files. It prints the name first if it
// is not empty and something matches. It reports whether something matches.
func Print(out *terminal.Output, name string, files []string, q query.Query, o Options) (found bool, err error) {
	goesOn, open := store.IsWritten(files...), store.Opener(files)
	p := &printer{Options: o, out: out, query: q, view: &View{}, matched: map[uint64]bool{}, hasRows: !o.Raw && !o.JSON}
	if p.hasRows && name != "" {
		p.header = name + "\n"
	}
	if p.hasRows && (q.Empty() || p.Numbers != nil) {
		return p.whole(open, name, goesOn)
	}
	p.view.Filtered = true
	if p.selection, err = q.Select(open); err != nil {
		return false, err
	}
	h, err := history.Walk(open, p.add)
	if err != nil {
		return len(p.matched) > 0, err
	}
	p.noteMissing(h, name, goesOn)
	if o.JSON {
		return len(p.matched) > 0, p.copyEntries(open)
	}
	p.print(p.view.Flush())
	return len(p.matched) > 0, p.err
}

// A printer prints what matches of a record whose entries it gets in order.
type printer struct {
	Options
	out       *terminal.Output
	query     query.Query
	selection *query.Selection
	header    string // not yet written
	view      *View
	hasRows   bool            // and not lines
	matched   map[uint64]bool // by number
	err       error           // of writing
}

// noteMissing notes what is missing in a record, unless there are rows for it.
func (p *printer) noteMissing(h *history.History, name string, goesOn bool) {
	p.Note(history.WarnNewer(h.Schema))
	missing := h.Missing
	if p.hasRows {
		missing.Gaps, missing.Ended = 0, true
	}
	if text := history.ListMissing(missing, goesOn); text != "" {
		p.Note(cmp.Or(name, "the record") + " is not whole: " + text)
	}
}

// whole prints all of a record, or its entries with the numbers.
func (p *printer) whole(open func() (io.ReadCloser, error), name string, goesOn bool) (found bool, err error) {
	h, err := history.Open(open)
	if err != nil {
		return false, err
	}
	p.noteMissing(h, name, goesOn)
	if p.Numbers != nil {
		return p.pages(h), p.err
	}
	p.selection = &query.Selection{}
	p.write(Summarize(h, goesOn).Draw(p.out.Style) + "\n")
	for m, r := range h.All() {
		if err := p.add(m, r); err != nil {
			return true, err
		}
	}
	p.print(p.view.Flush())
	p.write("\n" + endLine(h, goesOn) + "\n")
	return len(p.matched) > 0, p.err
}

// pages prints the entries with the numbers, each on a page, and reports whether there are any. A
// message that was changed is on one page with what acpshim sent instead.
func (p *printer) pages(h *history.History) (found bool) {
	done := map[uint64]bool{}
	lines := map[uint64][]*history.Message{} // by the number of the message that came
	for _, m := range h.Messages {
		lines[origin(m)] = append(lines[origin(m)], m)
	}
	for m, r := range h.All() {
		number := r.Seq
		if m != nil {
			number = origin(m)
		}
		if !p.Numbers.Has(r.Seq) || done[number] {
			continue
		}
		if len(done) > 0 {
			p.write("\n")
		}
		if done[number] = true; m != nil {
			p.write(DrawMessages(p.out.Style, lines[number], pageLines, p.Run, p.Numbers.Has))
		} else {
			p.write(drawEntryPage(p.out.Style, r))
		}
	}
	return len(done) > 0
}

// add prints the next entry of the record: the message m, or r if m is nil. The error is one of
// writing.
func (p *printer) add(m *history.Message, r record.Record) error {
	var isMatch bool
	if m != nil {
		isMatch = p.selection.Next(m)
	} else {
		isMatch = !p.Raw && p.query.MatchOther(r)
	}
	isMatch = isMatch && p.Numbers.Has(r.Seq)
	isNew := !p.matched[r.Seq] // not in the same batch
	if isMatch {
		p.write(p.header)
		p.header, p.matched[r.Seq] = "", true
	}
	if p.hasRows {
		p.print(p.view.Add(m, r, isMatch))
	} else if p.Raw && isMatch && isNew {
		line := string(m.Message.Line)
		if p.out.Terminal {
			line = terminal.Text(line)
		}
		p.write(line)
	}
	return p.err
}

func (p *printer) print(rows []Row) {
	for _, row := range rows {
		p.write(row.Draw(p.out.Style))
	}
}

func (p *printer) write(text string) {
	if p.err == nil {
		_, p.err = p.out.WriteString(text)
	}
}

// copyEntries writes the lines of the record that match. The start and the end match if nothing is
// filtered.
func (p *printer) copyEntries(open func() (io.ReadCloser, error)) error {
	files, err := open()
	if err != nil {
		return err
	}
	defer files.Close()
	r := record.NewReader(files)
	for p.err == nil {
		rec, err := r.Next()
		if err != nil {
			return nil // it was read before
		}
		isMatch := p.matched[rec.Seq]
		if rec.Start != nil || rec.End != nil {
			isMatch = p.query.Empty() && p.Numbers == nil
		}
		if isMatch {
			line := r.Line()
			if p.out.Terminal {
				line = terminal.JSON(line)
			}
			p.write(string(line) + "\n")
		}
	}
	return p.err
}
