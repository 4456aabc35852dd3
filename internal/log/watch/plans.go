package watch

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
	"acpshim/translate/document"
)

// plans are the plans of a run: as the agent sent them, and as the client has them.
type plans []*plan

// A plan is the last state of a plan, on one side.
type plan struct {
	planKey
	seq  uint64           // of the last message about it
	last translate.Update // without its text
	text []byte           // of a document
}

type planKey struct {
	session int
	isSent  bool // by the agent; else the client has it
	id      string
}

const (
	maxPlans    = 64       // that are known
	maxDocument = 64 << 10 // bytes of a document, at its end
	maxLines    = 500      // of a plan
	streamID    = "\x00as" // is the id of the plans that were shown as a text
)

// add takes in a message.
func (p *plans) add(m *history.Message) {
	isStream := m.ShowsPlans()
	if m.Message.Dir != record.Agent || !isStream && !m.IsPlan() {
		return
	}
	u, err := m.Plan()
	if isStream {
		u = translate.Update{Kind: translate.Markdown, ID: streamID, Text: "\n" + m.ChunkText(), Delta: true}
	} else if err != nil {
		return
	}
	if m.Message.Received() {
		p.of(planKey{m.SessionNumber, true, u.ID}).change(m, u)
	}
	if m.Message.Sent() {
		p.of(planKey{m.SessionNumber, false, u.ID}).change(m, u)
	}
}

func (p *plans) of(key planKey) *plan {
	if i := slices.IndexFunc(*p, func(o *plan) bool { return o.planKey == key }); i >= 0 {
		return (*p)[i]
	}
	*p = append((*p)[max(len(*p)-maxPlans+1, 0):], &plan{planKey: key})
	return (*p)[len(*p)-1]
}

// change takes in an update.
func (p *plan) change(m *history.Message, u translate.Update) {
	if !u.Delta {
		p.text = nil
	}
	p.text = append(p.text, u.Text...)
	if over := len(p.text) - maxDocument; over > maxDocument {
		p.text = slices.Delete(p.text, 0, over)
	}
	u.Text = ""
	p.seq, p.last = m.Seq, u
}

// lines draws the steps of a plan, or the text of a document without steps.
func (p *plan) lines() (lines []string) {
	text := string(p.text)
	switch p.last.Kind {
	case translate.Removed:
		return []string{"removed"}
	case translate.File:
		return []string{terminal.Plain("in the file "+p.last.URI, 0)}
	case translate.Markdown:
		if p.id != streamID {
			lines = view.Entries(document.Read(text).Plan())
		}
		if len(lines) == 0 {
			lines = linesOf(terminal.Text(strings.TrimSpace(text)))
		}
	default:
		lines = view.Entries(p.last.Entries)
	}
	return lines[max(len(lines)-maxLines, 0):]
}

// session is the wanted session if it has a plan, else the one whose plan changed last.
func (p plans) session(wanted int) (found int) {
	last := uint64(0)
	for _, one := range p {
		if one.session == wanted {
			return wanted
		}
		if one.seq >= last {
			last, found = one.seq, one.session
		}
	}
	return found
}

// side draws the plans of one side of a session, each with the number of its last message.
func (p plans) side(key planKey, columns int) (lines []string) {
	for _, one := range p {
		if one.session != key.session || one.isSent != key.isSent {
			continue
		}
		name := "the plan"
		if one.id == streamID {
			name = "plans as a text"
		} else if one.id != "" {
			name = terminal.Quote(one.id)
		}
		lines = append(lines, fmt.Sprintf("%s, #%d", terminal.CutMiddle(name, max(columns-10, 10)), one.seq))
		for _, line := range one.lines() {
			for i, piece := range terminal.Wrap(line, columns-6) {
				lines = append(lines, "  "+strings.Repeat("    ", min(i, 1))+piece)
			}
		}
	}
	return lines
}
