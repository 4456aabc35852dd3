package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// entries prints in full what has the numbers: of a message that was changed both sides and where
// they differ, of a request its response, who changed it and why, its size and how long it took.
// It reports whether there is something.
func (p *printing) entries(h *history.History) (found bool) {
	done := map[uint64]bool{}
	lines := map[uint64][]*history.Message{} // what came or was made alone, with what took its place
	for _, m := range h.Messages {
		lines[origin(m)] = append(lines[origin(m)], m)
	}
	h.Each(func(m *history.Message) {
		if of := origin(m); p.Numbers.Has(m.Seq) && !done[of] {
			p.separate(len(done) > 0)
			done[of] = true
			p.line(lines[of])
		}
	}, func(r record.Record) {
		if p.Numbers.Has(r.Seq) {
			p.separate(len(done) > 0)
			done[r.Seq] = true
			p.print(p.rows.Other(r))
			p.print(p.rows.Flush())
			if r.Text != nil {
				p.write("\n" + terminal.Text(string(r.Text.Bytes)) + "\n")
			}
		}
	})
	return len(done) > 0
}

// origin is the number of the message that another took the place of, else its own.
func origin(m *history.Message) uint64 {
	if m.Message.Of > 0 {
		return m.Message.Of
	}
	return m.Seq
}

func (p *printing) separate(more bool) {
	if more {
		p.write("\n")
	}
}

// line prints the messages of a line that came, and of those that went on instead.
func (p *printing) line(line []*history.Message) {
	first := line[0]
	p.facts(line)
	last := uint64(0)
	for _, m := range line {
		if m.Seq == last {
			continue // of the same batch
		}
		last = m.Seq
		if m.Seq != first.Seq {
			p.write(fmt.Sprintf("\n%d, what went on instead:\n", m.Seq))
		}
		p.write(pretty(m.Message))
		p.differences(m)
	}
	if gone := first.Message.Stage == "in" && last == first.Seq; gone {
		p.write("\nnothing went on in its place\n")
	}
}

// facts prints what is known of a line besides its text.
func (p *printing) facts(line []*history.Message) {
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
			p.fact(fmt.Sprint(m.Seq), terminal.Plain(strings.TrimSpace(fmt.Sprintf("%s %s %s", m.Kind, m.Method, m.Update)), 0))
		}
	}
	session := ""
	if first.SessionNumber > 0 {
		session = fmt.Sprintf(", session %d", first.SessionNumber)
	}
	p.fact("", fmt.Sprintf("%s, %s after the beginning%s, %s", way, view.Duration(first.Mono), session, view.Size(first.Message.Len)))
	p.relations(first)
	for i, name := range first.Message.By {
		p.fact("changed by", strings.TrimSuffix(terminal.Plain(name+": "+first.Message.Reason(i), 0), ":"))
	}
	p.write("\n")
}

// relations prints which other messages a message belongs to.
func (p *printing) relations(m *history.Message) {
	if b := m.Beside; b != nil {
		p.fact("put "+map[bool]string{true: "before", false: "behind"}[m.Seq < b.Seq], fmt.Sprintf("%d, %s", b.Seq, terminal.Plain(b.Method, 60)))
	}
	if r := m.Request; r != nil {
		p.fact("request", fmt.Sprintf("%d, %s before", r.Seq, view.Duration(m.Mono-r.Mono)))
	}
	if r := m.Response; r != nil {
		p.fact("response", fmt.Sprintf("%d, %s later", r.Seq, view.Duration(r.Mono-m.Mono)))
	}
	if r := m.Own; r != nil {
		p.fact("response", fmt.Sprintf("%d, made by acpshim", r.Seq))
	}
	if m.Kind == history.Request && m.Response == nil && m.Own == nil && m.Of == nil {
		p.fact("response", "none")
	}
}

func (p *printing) fact(name, text string) {
	p.write(p.out.Style.Line(terminal.Part{Text: terminal.Pad(name, 12), Colour: terminal.Dim}, terminal.Part{Text: text}))
}

// differences prints where a message differs from the one whose place it took.
func (p *printing) differences(m *history.Message) {
	if m.Of == nil || m.Method != m.Of.Method {
		return
	}
	p.write("\ndifferent are:\n")
	colours := map[string]terminal.Colour{"+": terminal.Green, "-": terminal.Red, "~": terminal.Yellow}
	for _, d := range view.Differences(m.Of.JSON, m.JSON) {
		p.write(p.out.Style.Line(terminal.Part{Text: d.Sign() + " " + terminal.Plain(d.Pointer.String(), 0), Colour: colours[d.Sign()]}))
		for _, side := range [][]byte{d.Before, d.After} {
			if side != nil {
				p.write(p.out.Style.Line(terminal.Part{Text: "    " + terminal.Message(side)}))
			}
		}
	}
}

// pretty is a line with its JSON indented, and as it is otherwise.
func pretty(m *record.Message) string {
	var b bytes.Buffer
	switch {
	case m.Line == nil:
		return fmt.Sprintf("too long to be kept; it begins:\n%s\n", terminal.Text(string(m.Head)))
	case json.Indent(&b, bytes.TrimSpace(m.Line), "", "  ") != nil:
		return terminal.Text(string(bytes.TrimRight(m.Line, "\n"))) + "\n"
	}
	return string(terminal.JSON(b.Bytes())) + "\n"
}
