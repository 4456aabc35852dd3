package watch

import (
	"acpshim/internal/log/view"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"

	tea "charm.land/bubbletea/v2"
)

// A summaryPage shows the summary of a run, as it was when the page was opened.
type summaryPage struct {
	text
	got *summarized // nil until the record was read
}

// summarized is the summary for a page, or the error of reading the record.
type summarized struct {
	page    *summaryPage
	summary view.Summary
	err     error
}

// summarize opens a page with the summary of a run. It reads the whole record.
func (m *model) summarize(files []string) tea.Cmd {
	page := &summaryPage{}
	m.pages = append(m.pages, page)
	return func() tea.Msg {
		if parts, err := store.Parts(files[0]); err == nil && len(parts) > 0 {
			files = parts // there may be more now
		}
		h, err := history.Open(store.Opener(files))
		if err != nil {
			return summarized{page: page, err: err}
		}
		return summarized{page: page, summary: view.Summarize(h, store.IsWritten(files...))}
	}
}

func (p *summaryPage) draw(m *model) layout {
	lines := []string{"reading"}
	switch {
	case p.got == nil:
	case p.got.err != nil:
		lines = []string{p.got.err.Error()}
	default:
		lines = linesOf(p.got.summary.Draw(m.style()))
	}
	return layout{[]string{m.head("summary")}, func(height int) []string { return p.window(lines, height) }, "esc back  ? keys  q quit"}
}
