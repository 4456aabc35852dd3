package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"acpshim/internal/history/listing"
	"acpshim/internal/store"
	"acpshim/internal/terminal"

	tea "charm.land/bubbletea/v2"
)

// maxRuns is how many runs are listed, the newest ones.
const maxRuns = 500

// looked is what the folder of records has; lookAgain says that it is time for the next look.
type (
	looked struct {
		runs  []listing.Record
		older int
		err   error
	}
	lookAgain struct{}
)

// look looks at the runs in the folder. A record that has not changed is not read again.
func (m *model) look() tea.Msg { return lookIn(m.Folder, m.runs) }

func lookIn(folder string, known []listing.Record) (found looked) {
	all, err := store.Runs(folder)
	if folder == "" || errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	found.err, found.older = err, max(len(all)-maxRuns, 0)
	for i, files := range slices.Backward(all[found.older:]) {
		l, err := lookAt(files, known)
		if err != nil {
			continue // removed meanwhile
		}
		l.Short = store.ShortName(all, i+found.older)
		found.runs = append(found.runs, l)
	}
	slices.SortStableFunc(found.runs, func(a, b listing.Record) int { return rank(a) - rank(b) })
	return found
}

func rank(r listing.Record) int {
	if isLive(r) {
		return 0
	}
	return 1
}

func isLive(r listing.Record) bool { return r.State == "running" }

func lookAt(files []string, known []listing.Record) (listing.Record, error) {
	i := slices.IndexFunc(known, func(r listing.Record) bool { return slices.Equal(r.Files, files) })
	if i < 0 || isLive(known[i]) != store.IsWritten(files...) {
		return listing.Look(files)
	}
	size := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size != known[i].Bytes {
		return listing.Look(files)
	}
	return known[i], nil
}

// took takes in what look found. The cursor stays at its run.
func (m *model) took(found looked) {
	list := m.pages[0].(*runsPage)
	name := ""
	if list.at < len(m.runs) && list.at > 0 {
		name = m.runs[list.at].Record
	}
	m.runs, m.older, m.problem = found.runs, found.older, ""
	if found.err != nil {
		m.problem = found.err.Error()
	}
	if i := slices.IndexFunc(m.runs, func(r listing.Record) bool { return r.Record == name }); i >= 0 {
		list.at = i
	}
	list.follows = false
}

// A runsPage is the list of runs.
type runsPage struct{ cursor }

func (*runsPage) title(m *model) []string {
	live := 0
	for _, r := range m.runs {
		if isLive(r) {
			live++
		}
	}
	words := "acpshim log watch: " + terminal.Count(len(m.runs)+m.older, "run", "runs") + ", " + fmt.Sprint(live) + " live"
	lines := []string{m.head(words)}
	if heads := listing.Rows(m.runs, m.width); heads != nil {
		return append(lines, m.line(terminal.Part{Text: "  " + split(heads[0])[0], Colour: terminal.Dim}))
	}
	return append(lines, m.rule())
}

func (p *runsPage) body(m *model, height int) []string {
	switch {
	case m.problem != "":
		return []string{m.line(terminal.Part{Text: m.problem, Colour: terminal.Red})}
	case len(m.runs) == 0:
		return []string{"", "There are no runs yet. Record one:", "", "  acpshim --record -- COMMAND", "",
			m.line(terminal.Part{Text: "It is listed here as soon as it begins. Records are in " + m.Folder})}
	}
	texts := listing.Rows(m.runs, m.width-2)[1:]
	return p.window(len(m.runs), height, func(i int) []string {
		lines := split(texts[i])
		for n, line := range lines {
			if lines[n] = "  " + line; isLive(m.runs[i]) && n == 0 {
				lines[n] = "* " + line
			}
			lines[n] = terminal.Cut(lines[n], m.width)
		}
		switch r := m.runs[i]; {
		case i == p.at:
			lines[0] = m.selected(lines[0])
		case isLive(r):
			lines[0] = m.line(terminal.Part{Text: lines[0], Colour: terminal.Green})
		case r.Status == nil || *r.Status != 0:
			lines[0] = m.line(terminal.Part{Text: lines[0], Colour: terminal.Red})
		}
		return lines
	})
}

func (*runsPage) hint() string { return "enter open   / filter   ? keys   q quit" }

func (p *runsPage) key(m *model, key string) tea.Cmd {
	if p.cursor.key(key, len(m.runs), m.height-4) {
		p.follows = false
		return nil
	}
	if (key == "enter" || key == "right" || key == "l") && p.at < len(m.runs) {
		m.open(m.runs[p.at].Files)
		return m.follow()
	}
	return nil
}
