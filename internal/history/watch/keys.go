package watch

import (
	"slices"

	"acpshim/internal/history/query"

	tea "charm.land/bubbletea/v2"
)

const keys = `Everywhere
  up down j k            one row up or down
  pgup pgdn              a page up or down
  g G                    the first row; the last one, and then follow what comes
  /                      show only what a filter matches; an empty one shows all
  ?                      this list
  esc                    go back
  q ctrl+c               quit

In the list of runs
  enter                  open the run

In a run
  enter                  open the message: what it is, who changed it, why and where
  x                      go to the response of a request, or to the request of a response
  p                      pause, and go on
  P                      the plans: what the agent sent, and what the client has now

In a message
  x                      open its response or its request
  left right h l         the message before, or after

At most 32 MiB of messages and 8 MiB of rows are kept of a run. Older ones are in its
record: acpshim log show`

// A keysPage lists the keys.
type keysPage struct{ text }

func (*keysPage) title(m *model) []string { return []string{m.head("keys"), m.rule()} }

func (p *keysPage) body(m *model, height int) (lines []string) {
	return p.window(split(keys), height)
}

func (*keysPage) hint() string { return "esc back  q quit" }

func (p *keysPage) key(m *model, key string) tea.Cmd {
	p.text.key(key, m.height)
	return nil
}

// key does what a key is for on all pages, or gives it to the page.
func (m *model) key(key tea.KeyPressMsg) tea.Cmd {
	m.note = ""
	if m.input != nil {
		return m.input.key(m, key)
	}
	switch name := key.String(); name {
	case "q", "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "esc":
		m.back()
	case "?":
		if _, isKeys := m.page().(*keysPage); !isKeys {
			m.pages = append(m.pages, &keysPage{})
		}
	case "/":
		m.input = &input{text: m.Query.String()}
	default:
		return m.page().key(m, name)
	}
	return nil
}

// back goes to the page before. A run that is left is not read any more.
func (m *model) back() {
	if len(m.pages) == 1 {
		return
	}
	if _, isRun := m.page().(*rowsPage); isRun {
		m.leave()
	}
	m.pages = m.pages[:len(m.pages)-1]
}

// filter shows what a query means, in the run that is open, too. That is read again.
func (m *model) filter(q query.Query) tea.Cmd {
	m.Query = q
	i := slices.IndexFunc(m.pages, func(p page) bool { _, isRun := p.(*rowsPage); return isRun })
	if m.run == nil || i < 0 {
		return nil
	}
	rows := m.pages[i].(*rowsPage)
	goal := uint64(0)
	if !rows.follows && rows.at < m.run.count() {
		goal = m.run.row(rows.at).Seq
	}
	files := m.run.files
	m.leave()
	m.pages = m.pages[:i]
	m.open(files)
	m.goal = goal
	return m.follow()
}
