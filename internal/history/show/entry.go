package show

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// entries prints what has the numbers, each on a screen: of a message that was changed where both
// sides differ, of a request its response, who changed it and why, its size and how long it took.
// It reports whether there is something.
func (p *printing) entries(h *history.History) (found bool) {
	done := map[uint64]bool{}
	lines := map[uint64][]*history.Message{} // what came or was made alone, with what took its place
	for _, m := range h.Messages {
		lines[origin(m)] = append(lines[origin(m)], m)
	}
	for m, r := range h.All() {
		of := r.Seq
		if m != nil {
			of = origin(m)
		}
		if !p.Numbers.Has(r.Seq) || done[of] {
			continue
		}
		if len(done) > 0 {
			p.write("\n")
		}
		if done[of] = true; m != nil {
			p.write(Messages(p.out.Style, lines[of], screenLines, p.Numbers.Has))
		} else {
			p.entry(r)
		}
	}
	return len(done) > 0
}

// entry prints what is no message.
func (p *printing) entry(r record.Record) {
	s := &sheet{style: p.out.Style, columns: cmp.Or(p.out.Style.Width, screenColumns)}
	for _, row := range p.rows.Other(r) {
		s.fact(fmt.Sprint(r.Seq), row.What+", "+view.Duration(r.Mono)+" after the beginning")
		s.fact("", row.Text)
	}
	p.write(s.take())
}

// origin is the number of the message that another took the place of, else its own.
func origin(m *history.Message) uint64 {
	if m.Message.Of > 0 {
		return m.Message.Of
	}
	return m.Seq
}

// How much is printed of a message and of what became of it: rows of a terminal, with room for a
// prompt and a note.
const (
	screenLines   = 22
	screenColumns = 80
	fewestColumns = 20
	fewestLines   = 6 // of JSON, however much else there is
)

// Messages draws the messages of a line that came, and of those that went on instead: which they
// are, the texts of those that are wanted, in so many lines if there is room, and where they
// differ.
func Messages(style terminal.Style, line []*history.Message, lines int, isWanted func(seq uint64) bool) string {
	s := &sheet{style: style, columns: max(cmp.Or(style.Width, screenColumns), fewestColumns)}
	s.facts(line)
	facts := s.take()
	var texts []*history.Message
	last := uint64(0)
	for _, m := range line {
		if m.Seq == last {
			continue // of the same batch
		}
		last = m.Seq
		isCompared := s.differences(m)
		if isWanted(m.Seq) || !isCompared && m.Seq != line[0].Seq {
			texts = append(texts, m)
		}
	}
	if line[0].Message.Stage == "in" && last == line[0].Seq {
		s.write("\nnothing went on in its place\n")
	}
	differences := s.take()
	room := lines - strings.Count(facts+differences, "\n")
	for _, m := range texts {
		s.text(m, m != line[0], max(room/len(texts)-2, fewestLines))
	}
	return facts + s.take() + differences
}

// text writes a message in so many lines, and how all of it is shown.
func (s *sheet) text(m *history.Message, isInstead bool, lines int) {
	var title []string
	if isInstead {
		title = append(title, fmt.Sprintf("%d, what went on instead", m.Seq))
	}
	drawn, shortened := drawLine(m.Message, s.columns, lines)
	if shortened {
		title = append(title, fmt.Sprintf("shortened; in full: acpshim log show --format raw %d", m.Seq))
	}
	s.write("\n")
	if title != nil {
		s.write(strings.Join(title, "; ") + "\n")
	}
	s.write(strings.Join(drawn, "\n") + "\n")
}

// drawLine is a line with its JSON as a layout, and as it is otherwise.
func drawLine(m *record.Message, columns, lines int) (drawn []string, shortened bool) {
	text := bytes.TrimSpace(bytes.TrimPrefix(m.Line, []byte("\ufeff")))
	switch _, values := parts(text); {
	case m.Line == nil:
		return []string{"too long to be kept; it begins:", terminal.Line(string(m.Head))}, false
	case values != nil:
		return pretty(text, columns, lines)
	}
	whole := terminal.Line(string(text))
	cut := terminal.Cut(whole, columns*lines)
	return []string{cut}, cut != whole
}
