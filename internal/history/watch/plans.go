package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
	"acpshim/translate"
	"acpshim/translate/document"
)

// plans are the plans of a run: what the agent sent, and what the client has.
type plans struct{ all []*plan }

// A plan is the last state of one, on one side.
type plan struct {
	session  int
	isSent   bool // by the agent, not what the client has
	id       string
	seq      uint64 // of the last message about it
	text     string // of a document
	lines    []string
	isStream bool // acpshim showed it as a text
}

// Bounds of what is kept of plans.
const (
	maxPlans    = 64
	maxDocument = 256 << 10
	maxLines    = 500
)

// streamID stands for the plans that acpshim showed as a text.
const streamID = "\x00"

// byPlans is how records name what shows plans to old clients.
const byPlans = "plan"

// add takes in a message.
func (p *plans) add(m *history.Message) {
	if m.Message.Dir != record.Agent {
		return
	}
	if m.Streamed() && !m.Message.Received() && slices.Contains(m.Message.By, byPlans) {
		shown := p.of(m, false, streamID)
		shown.seq, shown.isStream = m.Seq, true
		shown.write(strings.TrimPrefix(shown.text+"\n"+m.Piece(), "\n"))
		return
	}
	u, err := m.Plan()
	if err != nil {
		return
	}
	if m.Message.Received() {
		p.of(m, true, u.ID).change(m, u)
	}
	if m.Message.Sent() {
		p.of(m, false, u.ID).change(m, u)
	}
}

// of is the plan of a message's session with an id, on one side.
func (p *plans) of(m *history.Message, isSent bool, id string) *plan {
	i := slices.IndexFunc(p.all, func(o *plan) bool {
		return o.session == m.SessionNumber && o.isSent == isSent && o.id == id
	})
	if i >= 0 {
		return p.all[i]
	}
	if len(p.all) == maxPlans {
		oldest := slices.MinFunc(p.all, func(a, b *plan) int { return cmp.Compare(a.seq, b.seq) })
		p.all = slices.DeleteFunc(p.all, func(o *plan) bool { return o == oldest })
	}
	p.all = append(p.all, &plan{session: m.SessionNumber, isSent: isSent, id: id})
	return p.all[len(p.all)-1]
}

// change takes in an update.
func (p *plan) change(m *history.Message, u translate.Update) {
	text := ""
	if u.Delta {
		text = p.text
	}
	*p = plan{session: p.session, isSent: p.isSent, id: p.id, seq: m.Seq}
	switch u.Kind {
	case translate.Removed:
		p.lines = []string{"removed"}
	case translate.File:
		p.lines = []string{terminal.Plain("in the file "+u.URI, 0)}
	case translate.Markdown:
		p.write(text + u.Text)
	default:
		p.lines = view.Entries(u.Entries)
	}
	p.lines = p.lines[:min(len(p.lines), maxLines)]
}

// write sets the text of a document, and shows its steps, or the text if it has none.
func (p *plan) write(text string) {
	p.text = text[max(len(text)-maxDocument, 0):]
	if p.lines = view.Entries(document.Read(p.text).Plan()); len(p.lines) > 0 && !p.isStream {
		return
	}
	p.lines = nil
	for line := range strings.Lines(p.text) {
		p.lines = append(p.lines, terminal.Line(strings.TrimRight(line, "\r\n")))
	}
	p.lines = p.lines[max(len(p.lines)-maxLines, 0):]
}

// sides draws the plans of a session, each with its id, the number of its last message and its
// steps: those that the agent sent, and those that the client has.
func (p *plans) sides(session int) (sent, got []string) {
	for _, one := range p.all {
		if one.session != session {
			continue
		}
		name := "the plan"
		switch {
		case one.isStream:
			name = "shown as a text"
		case one.id != "":
			name = terminal.Quote(one.id)
		}
		lines := append([]string{fmt.Sprintf("%s, #%d", name, one.seq)}, one.lines...)
		if lines = append(lines, ""); one.isSent {
			sent = append(sent, lines...)
		} else {
			got = append(got, lines...)
		}
	}
	return sent, got
}

// session is the session whose plan changed last, or the given one if it has a plan; 0 if there is
// none.
func (p *plans) latest(session int) (found int) {
	last := uint64(0)
	for _, one := range p.all {
		if one.session == session {
			return session
		}
		if one.seq >= last {
			last, found = one.seq, one.session
		}
	}
	return found
}
