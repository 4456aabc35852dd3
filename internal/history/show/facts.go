package show

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// A sheet is what is written of a line, before it is known how much that is.
type sheet struct {
	style   terminal.Style
	columns int
	written strings.Builder
}

func (s *sheet) write(text string) { s.written.WriteString(text) }

// take returns what was written, and begins anew.
func (s *sheet) take() string {
	defer s.written.Reset()
	return s.written.String()
}

// facts writes what is known of a line besides its text.
func (s *sheet) facts(line []*history.Message) {
	first := line[0]
	from, to := "client", "agent"
	if first.Message.Dir == record.Agent {
		from, to = to, from
	}
	way := "from the " + from
	if !first.Message.Received() {
		way = "made by acpshim, to the " + to
	}
	for _, m := range line {
		if m.Seq == first.Seq {
			s.fact(fmt.Sprint(m.Seq), terminal.Plain(strings.TrimSpace(fmt.Sprintf("%s %s %s", m.Kind, m.Method, m.Update)), 0))
		}
	}
	session := ""
	if first.SessionNumber > 0 {
		session = fmt.Sprintf(", session %d", first.SessionNumber)
	}
	s.fact("", fmt.Sprintf("%s, %s after the beginning%s, %s", way, view.Duration(first.Mono), session, view.Size(first.Message.Len)))
	s.relations(first)
	for i, name := range first.Message.By {
		s.fact("changed by", strings.TrimSuffix(terminal.Plain(name+": "+first.Message.Reason(i), 0), ":"))
	}
	if first.Message.Stage == "" {
		s.fact("passed", "unchanged, to the "+to)
	}
}

// relations writes which other messages a message belongs to.
func (s *sheet) relations(m *history.Message) {
	if b := m.Beside; b != nil {
		s.fact("put "+map[bool]string{true: "before", false: "behind"}[m.Seq < b.Seq], fmt.Sprintf("%d, %s", b.Seq, terminal.Plain(b.Method, 60)))
	}
	if r := m.Request; r != nil {
		own := ""
		if r.IsOwn() {
			own = ", acpshim's own"
		}
		s.fact("request", fmt.Sprintf("%d%s, %s before", r.Seq, own, view.Duration(m.Mono-r.Mono)))
		m = r
	} else if m.Kind == history.Request {
		s.responses(m)
	}
	asker := m.For
	if m.Kind == history.Request && m.Message.Of == 0 {
		asker = cmp.Or(m.Of, asker)
	}
	if asker != nil {
		s.fact("asks for", fmt.Sprintf("%d, %s of the %s", asker.Seq, terminal.Plain(asker.Method, 60), asker.Sender()))
	}
}

// responses writes what came of a request: what the other peer responded, and what its sender got
// if that is not what came of it.
func (s *sheet) responses(m *history.Message) {
	end := m.End()
	if end == nil && m.Of == nil {
		s.fact("response", "none")
	}
	if r := m.Response; r != nil {
		text := fmt.Sprintf("%d, %s later", r.Seq, view.Duration(r.Mono-m.Mono))
		if !m.IsOwn() && (m.Got == nil || end != r) {
			text += fmt.Sprintf(", did not reach the %s", m.Sender())
		}
		s.fact("response", text)
	}
	if end != nil && end != m.Response {
		s.fact("response", fmt.Sprintf("%d, %s later, made by acpshim", end.Seq, view.Duration(end.Mono-m.Mono)))
	}
}

func (s *sheet) fact(name, text string) {
	for _, line := range terminal.Wrap(text, s.columns-12) {
		s.write(s.style.Line(terminal.Part{Text: terminal.Pad(name, 12), Colour: terminal.Dim}, terminal.Part{Text: line}))
		name = ""
	}
}

const (
	mostDifferences = 8 // that are written
	linesOfValue    = 3
)

// differences writes where a message differs from the one whose place it took, and reports whether
// there is one that is like it.
func (s *sheet) differences(m *history.Message) bool {
	if m.Of == nil || m.Method != m.Of.Method {
		return false
	}
	found := wire.Differences(m.Of.JSON, m.JSON)
	s.write(fmt.Sprintf("\n%d, what went on instead, differs in:\n", m.Seq))
	for _, d := range found[:min(len(found), mostDifferences)] {
		s.difference(d)
	}
	if more := len(found) - mostDifferences; more > 0 {
		s.write(fmt.Sprintf("and %d more\n", more))
	}
	return true
}

// difference writes a place with what was there and what is, on one line if there is room.
func (s *sheet) difference(d wire.Difference) {
	colour := map[string]terminal.Colour{"+": terminal.Green, "-": terminal.Red, "~": terminal.Yellow}[d.Sign()]
	place := d.Sign() + " " + terminal.Plain(d.Pointer.String(), 0)
	var values, lines []string
	for _, side := range [][]byte{d.Before, d.After} {
		if side != nil {
			values = append(values, oneLine(side, s.columns))
			drawn, _ := pretty(side, s.columns-4, linesOfValue)
			lines = append(lines, drawn...)
		}
	}
	if line := place + " " + strings.Join(values, " -> "); terminal.Width(line) <= s.columns {
		place, lines = line, nil
	}
	s.write(s.style.Line(terminal.Part{Text: place, Colour: colour}))
	for _, line := range lines {
		s.write(s.style.Line(terminal.Part{Text: "    " + line}))
	}
}
