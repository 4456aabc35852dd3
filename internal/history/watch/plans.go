package watch

import (
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

// plans are those of a run: what the agent sent, and what the client has.
type plans []*plan

// A plan is the last state of one, on one side.
type plan struct {
	planKey
	seq   uint64 // of the last message about it
	text  string // of a document
	lines []string
}

type planKey struct {
	session int
	isSent  bool // by the agent; else it is what the client has
	id      string
}

const (
	maxPlans    = 64        // that are known
	maxDocument = 256 << 10 // bytes of a document
	maxLines    = 500       // of a plan

	byPlans  = "plan"   // is how records name what shows plans to old clients
	streamID = "\x00as" // stands for the plans that were shown as a text
)

// add takes in a message.
func (p *plans) add(m *history.Message) {
	isStream := m.Streamed() && !m.Message.Received() && slices.Contains(m.Message.By, byPlans)
	u, err := m.Plan()
	if m.Message.Dir != record.Agent || err != nil && !isStream {
		return
	}
	if isStream {
		u = translate.Update{Kind: translate.Markdown, ID: streamID, Text: "\n" + m.Piece(), Delta: true}
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
	before := p.text
	p.seq, p.text, p.lines = m.Seq, "", nil
	switch u.Kind {
	case translate.Removed:
		p.lines = []string{"removed"}
	case translate.File:
		p.lines = []string{terminal.Plain("in the file "+u.URI, 0)}
	case translate.Markdown:
		if p.text = u.Text; u.Delta {
			p.text = before + u.Text
		}
		p.text = p.text[max(len(p.text)-maxDocument, 0):]
		if u.ID != streamID {
			p.lines = view.Entries(document.Read(p.text).Plan())
		}
		if len(p.lines) == 0 {
			p.lines = linesOf(terminal.Text(strings.TrimSpace(p.text)))
		}
	default:
		p.lines = view.Entries(u.Entries)
	}
	p.lines = p.lines[max(len(p.lines)-maxLines, 0):]
}

// A planPage shows the plans of a session: what the agent sent, and what the client has.
type planPage struct {
	text
	session int // of the row where it was opened; 0 if that had none
}

func newPlanPage(at *history.Message) *planPage {
	if at == nil {
		return &planPage{}
	}
	return &planPage{session: at.SessionNumber}
}

func (p *planPage) draw(m *model) layout {
	half := max((m.width-3)/2, 1)
	session := m.run.plans.session(p.session)
	both := func(left, right string) string {
		return m.line(terminal.None, terminal.Pad(terminal.Cut(left, half), half)+" │ "+terminal.Cut(right, half))
	}
	return layout{
		[]string{m.head(fmt.Sprintf("plans of session %d", session)), both("what the agent sent", "what the client has now")},
		func(height int) (lines []string) {
			sent, got := m.run.plans.side(planKey{session, true, ""}, half), m.run.plans.side(planKey{session, false, ""}, half)
			for len(sent)+len(got) > 0 {
				var left, right string
				if len(sent) > 0 {
					left, sent = sent[0], sent[1:]
				}
				if len(got) > 0 {
					right, got = got[0], got[1:]
				}
				lines = append(lines, both(left, right))
			}
			if lines == nil {
				lines = []string{"", "There is no plan yet."}
			}
			return p.window(lines, height)
		},
		"p pause  esc back  ? keys  q quit",
	}
}

// session is a session if it has a plan, else the one whose plan changed last.
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
		for _, line := range one.lines {
			for i, piece := range terminal.Wrap(line, columns-6) {
				lines = append(lines, "  "+strings.Repeat("    ", min(i, 1))+piece)
			}
		}
	}
	return lines
}
