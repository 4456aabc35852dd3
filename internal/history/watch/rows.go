package watch

import (
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/terminal"

	tea "charm.land/bubbletea/v2"
)

// maxHeld is how much is read ahead while the screen is paused, in bytes; the rest stays in the file.
const maxHeld = 8 << 20

// open shows a run, from its beginning. What comes of it has to be asked for with follow.
func (m *model) open(files []string) {
	m.run = newRun(files, m.Query)
	m.paused, m.goal, m.held, m.heldBytes = false, 0, nil, 0
	m.pages = append(m.pages, &rowsPage{cursor{follows: true}})
}

// follow asks for the first batch of the run that is open.
func (m *model) follow() tea.Cmd {
	m.run.feed = newFeed(m.run.files[0])
	return m.run.feed.wait
}

// leave stops reading the run that is open.
func (m *model) leave() {
	if m.run != nil && m.run.feed != nil {
		m.run.feed.close()
	}
	m.run = nil
}

// take takes in a batch, and asks for the next one.
func (m *model) take(b batch) tea.Cmd {
	if m.run == nil || b.feed != m.run.feed {
		return nil // of a run that was left
	}
	if m.paused {
		m.held = append(m.held, b)
		if m.heldBytes += b.bytes; m.heldBytes > maxHeld {
			return nil
		}
	} else {
		m.addBatch(b)
	}
	if b.over {
		return nil
	}
	return b.feed.wait
}

func (m *model) addBatch(b batch) {
	dropped := m.run.add(b)
	for _, p := range m.pages {
		if rows, ok := p.(*rowsPage); ok {
			rows.drop(dropped)
			if m.goal > 0 && m.run.newest {
				rows.to(m.run.place(m.goal), m.run.count())
				m.goal = 0
			}
		}
	}
}

// pause stops the rows, or lets them go on.
func (m *model) pause() tea.Cmd {
	if m.paused = !m.paused; m.paused || len(m.held) == 0 {
		return nil
	}
	wasFull, last := m.heldBytes > maxHeld, m.held[len(m.held)-1]
	for _, b := range m.held {
		m.addBatch(b)
	}
	m.held, m.heldBytes = nil, 0
	if wasFull && !last.over {
		return last.feed.wait
	}
	return nil
}

// A rowsPage is the messages of a run.
type rowsPage struct{ cursor }

// head is the first line of the screen.
func (m *model) head(words string) string {
	parts := []terminal.Part{{Text: words, Colour: terminal.Cyan}}
	if !m.Query.Empty() {
		parts = append(parts, terminal.Part{Text: "  filter: " + m.Query.String(), Colour: terminal.Yellow})
	}
	return m.line(parts...)
}

func (p *rowsPage) title(m *model) []string {
	name, peers := m.run.name(), ""
	for _, r := range m.runs {
		if r.Record == m.run.name() {
			name, peers = r.Short, terminal.Plain(r.Agent, 40)
			if r.Client != "" {
				peers += " for " + terminal.Plain(r.Client, 40)
			}
		}
	}
	state := m.state()
	return []string{m.head(strings.TrimSpace(terminal.Cut(name, 40) + "  " + peers)), m.line(state...), m.rule()}
}

// state says how the run goes.
func (m *model) state() []terminal.Part {
	r := m.run
	counts := ", " + terminal.Count(r.sent, "message", "messages")
	part := terminal.Part{Text: "running" + counts, Colour: terminal.Green}
	var more []terminal.Part
	switch {
	case m.paused:
		came, plus := m.came()
		part = terminal.Part{Text: fmt.Sprintf("paused, %s%s came since", plus, terminal.Count(came, "message", "messages")), Colour: terminal.Yellow}
	case r.last.err != nil:
		part = terminal.Part{Text: "the record cannot be read: " + r.last.err.Error(), Colour: terminal.Red}
	case r.end != nil:
		part = terminal.Part{Text: fmt.Sprintf("ended with status %d after %s", r.end.Status, clock(r.endedAt)) + counts}
		if r.end.Signal != "" {
			part.Text += ", the agent was killed by a signal (" + r.end.Signal + ")"
		}
		if r.end.Status != 0 {
			part.Colour = terminal.Red
		}
	case r.isOver():
		part = terminal.Part{Text: "cut off: the record has no end" + counts, Colour: terminal.Red}
	case r.last.gone:
		part = terminal.Part{Text: "the record was removed" + counts, Colour: terminal.Red}
	case !r.newest:
		part = terminal.Part{Text: "reading" + counts}
	}
	if n := len(r.asked); n > 0 && r.isOver() {
		more = append(more, terminal.Part{Text: ", " + terminal.Count(n, "request", "requests") + " without a response", Colour: terminal.Red})
	} else if n > 0 && r.newest {
		oldest := r.asked[0]
		text := fmt.Sprintf(", %d pending, #%d %s for %s", n, oldest.Seq, view.Name(oldest.Method), clock(m.now.Sub(oldest.Time)))
		more = append(more, terminal.Part{Text: text, Colour: terminal.Yellow})
	}
	missing := r.last.missing
	missing.Ended = true
	if r.kept.dropped > 0 {
		more = append(more, terminal.Part{Text: fmt.Sprintf(", %d older rows dropped", r.kept.dropped), Colour: terminal.Dim})
	}
	for _, text := range []string{view.Missing(missing, true), view.Newer(r.last.schema)} {
		if text != "" {
			more = append(more, terminal.Part{Text: "; " + text, Colour: terminal.Red})
		}
	}
	return append([]terminal.Part{part}, more...)
}

// came is how many messages of the peers came while the screen was paused; plus says that there may
// be more.
func (m *model) came() (n int, plus string) {
	for _, b := range m.held {
		for _, rec := range b.records {
			if rec.Message != nil && rec.Message.Received() {
				n++
			}
		}
	}
	if m.heldBytes > maxHeld {
		plus = "more than "
	}
	return n, plus
}

func (p *rowsPage) body(m *model, height int) []string {
	if m.run.count() == 0 && m.run.newest {
		if m.Query.Empty() {
			return []string{"", "Nothing has come yet."}
		}
		return []string{"", "The filter matches nothing yet."}
	}
	return p.window(m.run.count(), height, func(i int) []string { return short(p.draw(m, i), height/2) })
}

// draw draws a row as "acpshim log show" does, with a clock if it is a request that is pending.
func (p *rowsPage) draw(m *model, i int) []string {
	row, style := m.run.row(i), m.style()
	isPending := false
	if q := m.run.kept.message(row.Seq); q != nil && !row.Divider && q.Kind == history.Request && isUnanswered(q) {
		if isPending = !m.run.isOver(); isPending && m.run.newest {
			row.Text = "pending " + clock(m.now.Sub(q.Time)) + ": " + row.Text
		} else if !isPending {
			row.Text, row.Failed = "no response: "+row.Text, true
		}
	}
	if isPending || i == p.at {
		style.Colour = false
	}
	lines := split(view.Draw(style, row))
	switch {
	case i == p.at:
		lines[0] = m.selected(lines[0])
	case isPending:
		lines[0] = m.line(terminal.Part{Text: lines[0], Colour: terminal.Yellow})
	}
	return lines
}

func (*rowsPage) hint() string {
	return "enter open  x response  p pause  P plan  / filter  ? keys  esc runs  q quit"
}

func (p *rowsPage) key(m *model, key string) tea.Cmd {
	n := m.run.count()
	if p.cursor.key(key, n, max(m.height-6, 1)) {
		return nil
	}
	if p.at >= n {
		return m.always(key, 0)
	}
	row := m.run.row(p.at)
	switch key {
	case "enter", "right", "l":
		m.pages = append(m.pages, &messagePage{seq: row.Seq, row: row})
	case "x":
		p.exchange(m, row)
	default:
		return m.always(key, row.Seq)
	}
	return nil
}

// always does what keys are for also in a run without rows.
func (m *model) always(key string, seq uint64) tea.Cmd {
	switch key {
	case "p":
		return m.pause()
	case "P":
		session := 0
		if at := m.run.kept.message(seq); at != nil {
			session = at.SessionNumber
		}
		m.pages = append(m.pages, &planPage{session: session})
	}
	return nil
}

// exchange moves the cursor to the response of a request, or to the request of a response.
func (p *rowsPage) exchange(m *model, row view.Row) {
	other, why := m.partner(row.Seq)
	if other == nil {
		m.note = why
		return
	}
	if i := m.run.place(other.Seq); i >= 0 && m.run.row(i).Seq == other.Seq {
		p.to(i, m.run.count())
		return
	}
	m.note = fmt.Sprintf("#%d is not in the list: the filter leaves it out, or it was dropped", other.Seq)
}

// partner is the other message of an exchange; if there is none, why says that.
func (m *model) partner(seq uint64) (other *history.Message, why string) {
	at := m.run.kept.message(seq)
	if at == nil {
		return nil, fmt.Sprintf("#%d is not kept any more", seq)
	}
	if other = partner(at); other != nil {
		return other, ""
	}
	switch at.Kind {
	case history.Request:
		return nil, fmt.Sprintf("#%d has no response yet", seq)
	case history.Response:
		return nil, fmt.Sprintf("the request of #%d is not known", seq)
	}
	return nil, fmt.Sprintf("#%d is neither a request nor a response", seq)
}
