package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

const filterHelp = `A FILTER is terms that all have to hold; a minus before a term negates it:
  dir:agent dir:client         who sent it
  kind:request                 or notification, answer, other
  method:session/*             a glob; of an answer, what it answers
  update:plan*                 of session/update, which one
  id:7  session:2              the second session, or the beginning of its id
  changed:yes  rule:"a name"   by acpshim; which rule or translation did it
  failed:yes                   answers that are errors
  since:10s  until:14:30       since the beginning, or by the clock
  text  "some text"            is in the line, or in what a peer says in pieces, without
                               regard to case`

// shown says how messages are printed.
type shown struct{ raw, json bool }

func (s *shown) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&s.raw, "raw", false, "print the lines as they were")
	c.Flags().BoolVar(&s.json, "json", false, "print the lines of the record")
}

func (s *shown) check(c *cobra.Command) error {
	if s.raw && s.json {
		return wrongArguments(c, "want --raw or --json, not both")
	}
	return nil
}

func newLogShow() *cobra.Command {
	var f finder
	var how shown
	c := &cobra.Command{
		Use: "show [--raw | --json] [RECORD] [FILTER...]",
		Long: `Show a record: a row a message, with its number, the seconds since the run began,
-> if it went to the agent and <- if to the client, what it is, the number of its
session, and what it says. A row with - is a message that acpshim changed, as it
came, with the names of what changed it; one with + is what went on.

` + filterHelp,
	}
	how.addFlags(c)
	takeFilter(c, &f, func(name string, q query.Query) error {
		if err := how.check(c); err != nil {
			return err
		}
		parts, err := f.find(name)
		if err != nil {
			return err
		}
		out := newOutput(!how.json)
		found, err := how.show("", out, parts, q)
		if err = out.Close(err); err == nil && !found {
			noteNothing(q)
		}
		return err
	})
	return c
}

func newLogGrep() *cobra.Command {
	var f finder
	var how shown
	var all bool
	c := &cobra.Command{
		Use: "grep [--all] [--raw | --json] TEXT... [RECORD]",
		Long: `Show what has a text in it, in one record or in all. TEXT may be any FILTER. The
exit status is 1 if there is nothing.

` + filterHelp,
	}
	how.addFlags(c)
	c.Flags().BoolVar(&all, "all", false, "look in all records")
	takeFilter(c, &f, func(name string, q query.Query) error {
		if err := how.check(c); err != nil {
			return err
		}
		switch {
		case q.Empty():
			return wrongArguments(c, "want a text to look for")
		case all && name != "":
			return wrongArguments(c, "want either --all or the record %q", name)
		}
		var records [][]string
		var err error
		if all {
			records, err = f.records()
		}
		if len(records) == 0 && err == nil { // of none at all it says so
			records = make([][]string, 1)
			records[0], err = f.find(name)
		}
		if err != nil {
			return failed(err)
		}
		out := newOutput(!how.json)
		found, err := how.grep(out, records, q, all)
		if err = out.Close(err); err == nil && !found {
			return &exit{status: 1}
		}
		return err
	})
	return c
}

// grep shows what matches in records, under their names if it is to tell them.
func (s shown) grep(out *output, records [][]string, q query.Query, tell bool) (found bool, err error) {
	for _, parts := range records {
		name := ""
		if tell {
			name = filepath.Base(parts[0])
		}
		some, err := s.show(name, out, parts, q)
		if found = found || some; err != nil {
			return found, err
		}
	}
	return found, nil
}

// show prints what matches in a record, below its name if there is something and a name
// is given, and reports whether there is.
func (s shown) show(name string, out *output, parts []string, q query.Query) (found bool, err error) {
	goesOn := isWritten(parts)
	open := recordOpener(parts)
	h, err := readRecord(open)
	if err != nil {
		return false, err
	}
	framed := q.Empty() && !s.raw && !s.json
	lacks, header := h.Missing, ""
	if !s.raw && !s.json {
		lacks.Gaps, lacks.Ended = 0, true // there are rows for that
		if name != "" {
			header = name + "\n"
		}
	}
	if text := missing(lacks, goesOn); text != "" {
		note(cmp.Or(name, "the record") + " is not whole: " + text)
	}
	if framed {
		out.WriteString(beginning(h))
	}
	p := &showing{shown: s, out: out, q: q, meant: q.In(h), header: header, rows: view.New(), wanted: map[uint64]bool{}}
	others := h.Others
	for _, m := range h.Messages {
		for ; len(others) > 0 && others[0].Seq < m.Seq; others = others[1:] {
			p.other(others[0])
		}
		p.message(m)
		if p.err != nil {
			return true, p.err
		}
	}
	for _, r := range others {
		p.other(r)
	}
	if s.json {
		return len(p.wanted) > 0, copyRecords(out, open, q, p.wanted)
	}
	p.print(p.rows.Flush())
	if framed {
		out.WriteString(ending(h, goesOn))
	}
	return len(p.wanted) > 0, p.err
}

// showing prints what matches of a record that it is given in order.
type showing struct {
	shown
	out    *output
	q      query.Query
	meant  func(*history.Message) bool
	header string // not yet written
	rows   *view.View
	wanted map[uint64]bool // the numbers of what matched
	err    error           // of writing
}

func (p *showing) message(m *history.Message) {
	if !p.meant(m) {
		p.rows.Skip(m)
		return
	}
	before := p.wanted[m.Seq] // in the same batch
	p.want(m.Seq)
	switch {
	case p.json:
	case !p.raw:
		p.print(p.rows.Message(m))
	case !before && p.out.terminal:
		p.write(terminal.Text(string(m.Message.Line)))
	case !before:
		p.write(string(m.Message.Line))
	}
}

func (p *showing) other(r record.Record) {
	if p.raw || !p.q.MatchOther(r) {
		return
	}
	p.want(r.Seq)
	if !p.json {
		p.print(p.rows.Other(r))
	}
}

func (p *showing) want(seq uint64) {
	p.write(p.header)
	p.header, p.wanted[seq] = "", true
}

func (p *showing) print(rows []view.Row) {
	for _, row := range rows {
		p.write(view.Draw(p.out.style, row))
	}
}

func (p *showing) write(text string) {
	if p.err == nil {
		_, p.err = p.out.WriteString(text)
	}
}

// copyRecords writes the lines of a record's file that are wanted.
func copyRecords(out *output, open func() (io.ReadCloser, error), q query.Query, wanted map[uint64]bool) error {
	files, err := open()
	if err != nil {
		return &exit{1, err, ""}
	}
	defer files.Close()
	r := record.NewReader(files)
	for {
		rec, err := r.Next()
		if err != nil {
			return nil // it was read before
		}
		frame := rec.Start != nil || rec.End != nil
		if !wanted[rec.Seq] && !(frame && q.Empty()) || frame && !q.Empty() {
			continue
		}
		line := r.Line()
		if out.terminal {
			line = terminal.JSON(line)
		}
		out.Write(line)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
}

// beginning says in two lines what run a record is of.
func beginning(h *history.History) string {
	s := h.Start
	if s == nil {
		return ""
	}
	at := ""
	if len(h.Messages) > 0 {
		at = h.Messages[0].Time.Add(-h.Messages[0].Mono).Local().Format(time.DateTime) + ", "
	}
	return fmt.Sprintf("%s\n%sacpshim %s, %s/%s, in %s\n\n", terminal.Plain(strings.Join(s.Argv, " "), 200), at,
		terminal.Plain(s.Acpshim, 60), terminal.Plain(s.OS, 20), terminal.Plain(s.Arch, 20), terminal.Plain(s.Cwd, 200))
}

// ending says how a run ended, if it did.
func ending(h *history.History, goesOn bool) string {
	e := h.End
	switch {
	case e == nil && goesOn:
		return "\nthe run goes on\n"
	case e == nil:
		return "\n" + cutOff + "\n"
	}
	killed := ""
	if e.Signal != "" {
		killed = fmt.Sprintf(", the agent was killed by a signal (%s)", terminal.Plain(e.Signal, 40))
	}
	missing := ""
	if e.Gaps > 0 {
		missing = fmt.Sprintf("; %s missing (%s)", counted(e.Lost.Lines, "line is", "lines are"), view.Size(e.Lost.Bytes))
	}
	return fmt.Sprintf("\nended with status %d%s; the client sent %s (%s), the agent %d (%s)%s\n", e.Status, killed,
		counted(e.Client.Lines, "line", "lines"), view.Size(e.Client.Bytes), e.Agent.Lines, view.Size(e.Agent.Bytes), missing)
}
