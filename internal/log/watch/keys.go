package watch

import (
	"acpshim/internal/log/query"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

const keys = `up down j k      one up or down          pgup pgdn   a page up or down
g                to the first one        G           to the last one, and follow
enter            open a run, a message   esc         go back
/                show only what a filter matches; an empty filter shows all. In
                 the list: runs whose row has the words, such as  problem
n                to the next row of something that went wrong
s                the summary of the run, as "acpshim log summary" prints it
p                pause, and go on
P                the plans: what the agent sent, and what the client has now
x                to the response of a request, or to the request of a response
left right h l   in a message: the message before or after it
q ctrl+c         quit

In the list, * marks a live run. A request without a response has a clock.
Red is what failed, and a request that never got a response.
At most 48 MiB of messages and 16 MiB of rows are kept of a run. Older ones are
in its record: acpshim log show`

// A keysPage lists the keys.
type keysPage struct{ text }

func (p *keysPage) draw(m *model) layout {
	var lines []string
	for _, line := range linesOf(keys) {
		lines = append(lines, m.line(terminal.None, line))
	}
	return layout{[]string{m.head("keys")}, func(height int) []string { return p.window(lines, height) }, "esc back  q quit"}
}

// key handles the keys of all pages, and gives the other keys to the page.
func (m *model) key(key tea.KeyPressMsg) tea.Cmd {
	m.note = ""
	if m.input != nil {
		return m.input.key(m, key)
	}
	last := len(m.pages) - 1
	switch name := key.String(); name {
	case "q", "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "esc":
		if m.pages[last] == page(m.rows) {
			m.leave()
		}
		m.pages = m.pages[:max(last, 1)]
	case "?":
		m.pages = append(m.pages, &keysPage{})
	case "/":
		if m.input = (&input{text: m.Query.String()}); last == 0 {
			m.input = &input{text: m.words, isOfRuns: true}
		}
	default:
		return m.pages[last].key(m, name)
	}
	return nil
}

// filter shows only what a query matches. It reads the open run again.
func (m *model) filter(q query.Query) tea.Cmd {
	if m.Query = q; m.run == nil {
		return nil
	}
	goal := uint64(0)
	if !m.rows.follows && m.rows.at < m.run.count() {
		goal = m.run.row(m.rows.at).Seq
	}
	files := m.run.files
	m.leave()
	m.pages = m.pages[:1]
	m.open(files)
	m.rows.goal = goal
	return m.follow()
}
