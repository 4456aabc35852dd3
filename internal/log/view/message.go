package view

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A page describes a line of the peers, or another entry of a record.
type page struct {
	style   terminal.Style
	columns int
	run     string // for hints, as --run takes it; "" for the newest run
	strings.Builder
}

// The size of a page: a terminal, with room for a prompt and a note.
const (
	pageLines     = 22
	fewestColumns = 20
	fewestLines   = 6 // of JSON, however much else there is
)

func newPage(style terminal.Style) *page {
	return &page{style: style, columns: max(cmp.Or(style.Width, screen), fewestColumns)}
}

// fact writes a fact with its name, on as many lines as it takes.
func (p *page) fact(name, text string) {
	for _, line := range terminal.Wrap(text, p.columns-12) {
		p.WriteString(p.style.Line(terminal.Part{Text: terminal.Pad(name, 12), Colour: terminal.Dim}, terminal.Part{Text: line}))
		name = ""
	}
}

// drawEntryPage draws an entry that is not a message.
func drawEntryPage(style terminal.Style, r record.Record) string {
	p, row := newPage(style), entryRow(r)
	p.fact(fmt.Sprintf("#%d", r.Seq), row.name+", "+terminal.Duration(r.Mono)+" after the beginning")
	p.fact("", row.Text)
	return p.String()
}

// origin is the number of the message whose place another took, else the message's own number.
func origin(m *history.Message) uint64 { return cmp.Or(m.Message.Of, m.Seq) }

// DrawMessages draws the messages of a line that came, and those that acpshim sent instead: the
// facts about them, the texts of those that are wanted, and the differences. It limits the texts so
// that all takes so many lines, if that is possible. Hints name the run, unless it is "".
func DrawMessages(style terminal.Style, line []*history.Message, lines int, run string, isWanted func(seq uint64) bool) string {
	facts, differences, rest := newPage(style), newPage(style), newPage(style)
	rest.run = run
	facts.facts(line)
	var texts []*history.Message
	last := uint64(0)
	for _, m := range line {
		if m.Seq == last {
			continue // of the same batch
		}
		last = m.Seq
		isCompared := differences.differences(m)
		if isWanted(m.Seq) || !isCompared && m.Seq != line[0].Seq {
			texts = append(texts, m)
		}
	}
	if line[0].Message.Stage == "in" && last == line[0].Seq && line[0].Later == nil {
		differences.WriteString("\nacpshim sent nothing instead\n")
	}
	room := lines - strings.Count(facts.String()+differences.String(), "\n")
	for _, m := range texts {
		rest.text(m, m != line[0], max(room/len(texts)-2, fewestLines))
	}
	return facts.String() + rest.String() + differences.String()
}

// text writes a message in so many lines. If that is not all, it writes how to see the rest.
func (p *page) text(m *history.Message, isInstead bool, lines int) {
	var title []string
	if isInstead {
		title = append(title, fmt.Sprintf("#%d, which acpshim sent instead", m.Seq))
	}
	drawn, shortened := drawLine(m.Message, p.columns, lines)
	if shortened {
		run := ""
		if p.run != "" {
			run = "--run " + terminal.Plain(p.run, 0) + " "
		}
		title = append(title, fmt.Sprintf("shortened; in full: acpshim log show --format raw %s%d", run, m.Seq))
	}
	p.WriteString("\n")
	if title != nil {
		p.WriteString(strings.Join(title, "; ") + "\n")
	}
	p.WriteString(strings.Join(drawn, "\n") + "\n")
}

// drawLine draws a line with its JSON laid out. Another text stays as it is.
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

// facts writes what is known about a line, apart from its text.
func (p *page) facts(line []*history.Message) {
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
			p.fact(fmt.Sprintf("#%d", m.Seq), terminal.Plain(strings.TrimSpace(fmt.Sprintf("%s %s %s", m.Kind, m.Method, m.Update)), 0))
		}
	}
	session := ""
	if first.SessionNumber > 0 {
		session = fmt.Sprintf(", session %d", first.SessionNumber)
	}
	p.fact("", fmt.Sprintf("%s, %s after the beginning%s, %s", way, terminal.Duration(first.Mono), session, terminal.Size(first.Message.Len)))
	p.relations(first)
	for i, name := range first.Message.By {
		p.fact("changed by", strings.TrimSuffix(terminal.Plain(name+": "+first.Message.Reason(i), 0), ":"))
	}
	if first.Message.Stage == "" {
		p.fact("passed", "unchanged, to the "+to)
	}
}

// relations writes which other messages a message belongs to.
func (p *page) relations(m *history.Message) {
	if b := m.AddedTo; b != nil {
		p.fact("put "+map[bool]string{true: "before", false: "after"}[m.Seq < b.Seq], fmt.Sprintf("#%d, %s", b.Seq, terminal.Plain(b.Method, 60)))
	}
	if l := m.Later; l != nil {
		p.fact("sent later", fmt.Sprintf("as #%d, after %s", l.Seq, terminal.Duration(l.Mono-m.Mono)))
	}
	if r := m.Request; r != nil {
		own := ""
		if r.IsOwn() {
			own = ", acpshim's own"
		}
		p.fact("request", fmt.Sprintf("#%d%s, %s earlier", r.Seq, own, terminal.Duration(m.Mono-r.Mono)))
		m = r
	} else if m.Kind == history.Request {
		p.responses(m)
	}
	asker := m.For
	if m.Kind == history.Request && m.Message.Of == 0 {
		asker = cmp.Or(m.Of, asker)
	}
	if asker != nil {
		p.fact("sent for", fmt.Sprintf("#%d, %s of the %s", asker.Seq, terminal.Plain(asker.Method, 60), asker.Sender()))
	}
}

// responses writes the response of the other peer, and the response that the sender got if that is
// a different one.
func (p *page) responses(m *history.Message) {
	end := m.End()
	if end == nil && m.Of == nil {
		p.fact("response", "none")
	}
	if r := m.Response; r != nil {
		text := fmt.Sprintf("#%d, %s later", r.Seq, terminal.Duration(r.Mono-m.Mono))
		if !m.IsOwn() && (m.Got == nil || end != r) {
			text += fmt.Sprintf(", did not reach the %s", m.Sender())
		}
		p.fact("response", text)
	}
	if end != nil && end != m.Response {
		p.fact("response", fmt.Sprintf("#%d, %s later, made by acpshim", end.Seq, terminal.Duration(end.Mono-m.Mono)))
	}
}
