package watch

import (
	"fmt"
	"time"

	"acpshim/internal/log/view"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

// A rowsPage is the messages of the run that is open.
type rowsPage struct {
	cursor
	goal uint64 // the number of the row that the cursor goes to when all rows are read; or 0
}

// open shows a run from its beginning. [model.follow] begins to read it.
func (m *model) open(files []string) {
	m.run, m.rows = newRun(files, m.Query), &rowsPage{cursor: cursor{follows: true}}
	m.pages = append(m.pages, m.rows)
}

// follow asks for the first batch of the run that is open.
func (m *model) follow() tea.Cmd {
	if m.run == nil {
		return nil
	}
	m.run.feed = newFeed(m.run.files[0])
	return m.run.feed.wait
}

// leave stops reading the run that is open.
func (m *model) leave() {
	m.run.feed.close()
	m.run = nil
}

// take takes in a batch, and asks for the next one.
func (m *model) take(b batch) tea.Cmd {
	if m.run == nil || b.feed != m.run.feed {
		return nil // the run was left
	}
	dropped, wantsMore := m.run.take(b)
	m.rows.at, m.rows.top = max(m.rows.at-dropped, 0), max(m.rows.top-dropped, 0)
	if m.rows.follows {
		m.rows.to(m.run.count(), m.run.count())
	}
	if m.rows.goal > 0 && m.run.isNewest {
		m.rows.to(m.run.place(m.rows.goal), m.run.count())
		m.rows.goal = 0
	}
	if !wantsMore {
		return nil
	}
	return b.feed.wait
}

// pause stops the rows, or continues them.
func (m *model) pause() tea.Cmd {
	r := m.run
	if r == nil {
		return nil
	}
	wasFull, held := r.isFull(), r.held
	r.isPaused, r.held, r.heldBytes, r.heldSent = !r.isPaused, nil, 0, 0
	var next tea.Cmd
	for _, b := range held {
		next = m.take(b)
	}
	if !wasFull {
		return nil // the next batch was requested
	}
	return next
}

func (p *rowsPage) draw(m *model) layout {
	name := terminal.Cut(m.run.name(), 60)
	for _, r := range m.all {
		if r.Record == m.run.name() {
			name = r.Short + "  " + terminal.Plain(r.Agent, 40)
			if r.Client != "" {
				name += " for " + terminal.Plain(r.Client, 40)
			}
		}
	}
	return layout{
		[]string{m.head(name), m.parts(m.run.state(m.now)...)},
		func(height int) []string {
			if m.run.count() == 0 {
				return []string{"", "There is nothing to show yet."}
			}
			return p.window(m.run.count(), height, func(i int) []string {
				return m.row(m.run.row(i), i == p.at, max(height/2, 2))
			})
		},
		"enter open  n failure  s summary  x response  / filter  ? keys  esc runs  q quit",
	}
}

// row draws a row like "acpshim log show", with a clock if it is a pending request, in so many
// lines at most. The last line says how many are left out.
func (m *model) row(row view.Row, isSelected bool, most int) []string {
	hidden := max(len(row.Below)-most, 0) // a plan may have very many entries
	row.Below = row.Below[:len(row.Below)-hidden]
	style := m.style()
	q := row.Message()
	isPending := q != nil && q.IsPending()
	switch {
	case isPending && m.run.last.over:
		row.Text, row.Failed, isPending = "no response: "+row.Text, true, false
	case isPending && m.run.isNewest:
		row.Text = "pending " + clock(m.now.Sub(q.Time)) + ": " + row.Text
	}
	style.Colour = style.Colour && !isSelected && !isPending
	lines := linesOf(row.Draw(style))
	if isSelected {
		lines[0] = m.selected(lines[0])
	} else if isPending {
		lines[0] = m.line(terminal.Yellow, lines[0])
	}
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1:most-1], fmt.Sprintf("%21s… %d more lines", "", len(lines)-most+1+hidden))
}

// clock is a time that is still running.
func clock(d time.Duration) string {
	if d = max(d, 0); d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Truncate(time.Second).String()
}

func (p *rowsPage) key(m *model, key string) tea.Cmd {
	n := m.run.count()
	row := view.Row{}
	if p.at < n {
		row = m.run.row(p.at)
	}
	switch {
	case p.cursor.key(key, n, m.height-6):
	case key == "p":
		return m.pause()
	case key == "P":
		m.pages = append(m.pages, newPlanPage(row.Message()))
	case key == "enter" && row.Seq > 0:
		m.pages = append(m.pages, &messagePage{seq: row.Seq, row: row})
	case key == "n":
		if i := m.run.nextFailure(p.at); i >= 0 {
			p.to(i, n)
		} else {
			m.note = "nothing went wrong after this row"
		}
	case key == "s":
		return m.summarize(m.run.files)
	case key == "x":
		if other := m.partner(row.Message()); other == nil {
		} else if i := m.run.place(other.Seq); i >= 0 && m.run.row(i).Seq == other.Seq {
			p.to(i, n)
		} else {
			m.note = fmt.Sprintf("#%d is not in the list: the filter leaves it out, or it was dropped for newer rows", other.Seq)
		}
	}
	return nil
}
