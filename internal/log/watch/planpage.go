package watch

import (
	"fmt"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A planPage shows the plans of a session: what the agent sent, and what the client has.
type planPage struct {
	text
	session int // of the row where it was opened; 0 for none
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
