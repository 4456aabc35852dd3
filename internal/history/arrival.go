package history

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"acpshim/internal/record"
	"acpshim/translate"
	"acpshim/translate/document"
)

// arrivals find the messages with which plan updates reached the client. The time grows only with
// the length of the messages, because a session has few plans.
type arrivals struct {
	sessions map[string]map[string]*waitingPlan // by id
	count    int                                // of the updates
}

// A waitingPlan is a plan whose last updates the client has not got.
type waitingPlan struct {
	id      string
	updates []*Message
	text    string   // of a document: what the last update sends of it
	title   string   // its first line
	lines   []string // the first lines of its entries
	missing int      // the index of a line that the last message did not have
	isPart  bool     // the text is a part of the document
	isFile  bool     // the text is not known
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
	plans := a.sessions[m.Session]
	if plans == nil {
		plans = map[string]*waitingPlan{}
		if a.sessions == nil {
			a.sessions = map[string]map[string]*waitingPlan{}
		}
		a.sessions[m.Session] = plans
	}
	p := plans[u.ID]
	if p == nil {
		if p = (&waitingPlan{id: u.ID}); len(plans) >= translate.MaxPlans {
			a.forget(plans, slices.MinFunc(slices.Collect(maps.Values(plans)), byChange))
		}
		plans[u.ID] = p
	}
	p.set(u)
	p.updates = append(p.updates, m)
	a.count++
}

func byChange(p, other *waitingPlan) int {
	return cmp.Compare(p.updates[len(p.updates)-1].Seq, other.updates[len(other.updates)-1].Seq)
}

func (a *arrivals) forget(plans map[string]*waitingPlan, p *waitingPlan) {
	a.count -= len(p.updates)
	delete(plans, p.id)
}

// set sets what a plan is after an update.
func (p *waitingPlan) set(u translate.Update) {
	entries := u.Entries
	if u.Kind == translate.Markdown {
		entries = document.Read(u.Text).Plan()
	}
	if p.isPart = u.Delta; !p.isPart {
		p.title, p.lines = "", nil
	}
	p.text, p.isFile, p.missing = strings.TrimSpace(u.Text), u.Kind == translate.File, 0
	p.title = cmp.Or(p.title, firstLine(u.Text))
	for _, e := range entries {
		if line := firstLine(e.Content); line != "" {
			p.lines = append(p.lines, line)
		}
	}
}

// bring sets Arrived of the updates whose plans a message shows. A plan is shown if the message has
// all its entries, or was made of it and has one of them. The text of a document is not a list, so
// it shows only the plan that is most like it. A text that is like none is that of files.
func (a *arrivals) bring(m *Message) {
	plans := a.sessions[m.Session]
	if len(plans) == 0 {
		return
	}
	shown := map[string]bool{}
	for line := range shownBy(m) {
		shown[line] = true
	}
	best, text := isUnlike, ""
	if m.Streamed() {
		text = strings.TrimSpace(m.Piece())
	}
	brought := map[*waitingPlan]likeness{}
	for _, p := range plans {
		brought[p] = p.like(m, text, shown)
		best = max(best, brought[p])
	}
	for p, is := range brought {
		if best > isUnlike && is == best || best == isUnlike && p.isFile && m.Streamed() {
			for _, update := range p.updates {
				update.Arrived = m
			}
			a.forget(plans, p)
		}
	}
}

// A likeness is how much a message is like a plan.
type likeness int

const (
	isUnlike        likeness = iota
	hasEntries               // all of them
	hasTitle                 // it begins like the document
	hasTitleEntries          // both
	isSame                   // it is the whole document
)

// like compares a plan with a message, which has that text, or "", and shows these lines.
func (p *waitingPlan) like(m *Message, text string, shown map[string]bool) likeness {
	isShown := p.isShown(shown) || m.Of != nil && slices.Contains(p.updates, m.Of) && slices.ContainsFunc(p.lines, func(line string) bool { return shown[line] })
	isTitled := text != "" && p.title != "" && firstLine(text) == p.title
	switch {
	case isTitled && !p.isPart && text == p.text:
		return isSame
	case isTitled && isShown:
		return hasTitleEntries
	case isTitled:
		return hasTitle
	case isShown:
		return hasEntries
	}
	return isUnlike
}

// isShown reports whether a message that shows these lines has all entries. If only a part of the
// document is known, one of them suffices.
func (p *waitingPlan) isShown(shown map[string]bool) bool {
	if p.isPart {
		return slices.ContainsFunc(p.lines, func(line string) bool { return shown[line] })
	}
	if len(p.lines) == 0 || !shown[p.lines[p.missing]] {
		return false
	}
	missing := slices.IndexFunc(p.lines, func(line string) bool { return !shown[line] })
	p.missing = max(missing, 0)
	return missing < 0
}

// shownBy are the lines of a message by which the plans that it shows are recognized. The lines of
// a text are also tried without the marks before and after a step.
func shownBy(m *Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		if m.IsPlan() {
			u, _ := m.Plan()
			for _, e := range u.Entries {
				if !yield(firstLine(e.Content)) {
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

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
