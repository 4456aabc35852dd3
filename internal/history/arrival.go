package history

import (
	"iter"
	"slices"
	"strings"

	"acpshim/internal/record"
	"acpshim/translate"
	"acpshim/translate/document"
)

// arrivals find the messages with which plan updates reached the client. The time grows only with
// the length of the messages.
type arrivals struct {
	sessions map[string]*waitingPlans
	count    int // of the updates
}

// waitingPlans are the plans of a session whose last updates the client has not got.
type waitingPlans struct {
	all    map[string]*waitingPlan   // by id
	owners map[string][]*waitingPlan // by a line that shows them; some have arrived
}

// A waitingPlan is a plan that the client has not got.
type waitingPlan struct {
	id         string
	updates    []*Message
	lines      map[string]bool
	isFile     bool // its text is not known
	hasArrived bool
}

// byPlans is the name, in records, of the adapter that shows plans to old clients.
const byPlans = "plan"

// add takes in a message, and sets Arrived of the updates that it brings to the client.
func (a *arrivals) add(m *Message) {
	switch {
	case m.Message.Dir != record.Agent:
	case m.IsPlan() && m.Message.Received() && m.Message.Sent():
		m.Arrived = m
	case m.IsPlan() && m.Message.Received():
		if u, err := m.Plan(); err == nil && u.Kind != translate.Removed && a.count < maxKnown {
			a.wait(m, u)
		}
	case m.Message.Sent() && (m.IsPlan() || m.Streamed()) && slices.Contains(m.Message.By, byPlans):
		a.bring(m)
	}
}

func (a *arrivals) wait(m *Message, u translate.Update) {
	s := a.sessions[m.Session]
	if s == nil {
		s = &waitingPlans{map[string]*waitingPlan{}, map[string][]*waitingPlan{}}
		if a.sessions == nil {
			a.sessions = map[string]*waitingPlans{}
		}
		a.sessions[m.Session] = s
	}
	p := s.all[u.ID]
	if p == nil {
		p = &waitingPlan{id: u.ID, lines: map[string]bool{}}
		s.all[u.ID] = p
	}
	p.updates, p.isFile = append(p.updates, m), u.Kind == translate.File
	for _, line := range linesOf(u) {
		if !p.lines[line] {
			p.lines[line] = true
			s.owners[line] = append(s.owners[line], p)
		}
	}
	a.count++
}

// bring sets Arrived of the updates whose plans a message shows: it has a step of the plan, or the
// beginning. A text with no known step and no known beginning is that of files.
func (a *arrivals) bring(m *Message) {
	s := a.sessions[m.Session]
	if s == nil {
		return
	}
	isFound := false
	for line := range shownBy(m) {
		for _, p := range s.owners[line] {
			isFound = isFound || !p.hasArrived
			a.arrived(s, p, m)
		}
		delete(s.owners, line)
	}
	if !isFound && m.Streamed() {
		for _, p := range s.all {
			if p.isFile {
				a.arrived(s, p, m)
			}
		}
	}
}

func (a *arrivals) arrived(s *waitingPlans, p *waitingPlan, m *Message) {
	if p.hasArrived {
		return
	}
	p.hasArrived = true
	for _, update := range p.updates {
		update.Arrived = m
	}
	a.count -= len(p.updates)
	delete(s.all, p.id)
}

// shownBy are the lines of a message by which the plans that it shows are recognized. The lines of
// a text are also tried without the marks before and after a step.
func shownBy(m *Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		if m.IsPlan() {
			u, _ := m.Plan()
			for _, line := range linesOf(u) {
				if !yield(line) {
					return
				}
			}
			return
		}
		for line := range strings.Lines(m.Piece()) {
			rest, ok := strings.TrimSpace(line), true
			for i := 0; ok && i < 4; i++ { // as in "- [ ] Read"
				if !yield(rest) || !yield(strings.TrimSuffix(rest, " (in progress)")) {
					return
				}
				_, rest, ok = strings.Cut(rest, " ")
			}
		}
	}
}

// linesOf are the first lines of the steps of a plan that an update sends, and of its text.
func linesOf(u translate.Update) (lines []string) {
	entries := u.Entries
	if u.Kind == translate.Markdown {
		entries = document.Read(u.Text).Plan()
	}
	for _, e := range entries {
		lines = append(lines, firstLine(e.Content))
	}
	return slices.DeleteFunc(append(lines, firstLine(u.Text)), func(line string) bool { return line == "" })
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
