package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"acpshim/internal/log/view"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

// maxRuns is how many runs are listed, the newest ones.
const maxRuns = 500

// A runList is the runs in the folder of records.
type runList struct {
	runs  []view.Run
	older int           // runs that are not listed
	took  time.Duration // for reading the folder
	err   error
}

// A lookTime says that it is time to look again.
type lookTime struct{}

// look reads the runs in the folder. It does not read a record again that has not changed.
func (m *model) look() tea.Cmd {
	folder, known := m.Folder, m.all
	return func() tea.Msg {
		from := time.Now()
		all, err := store.Runs(folder)
		if folder == "" || errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		found := runList{older: max(len(all)-maxRuns, 0), err: err}
		for i := len(all) - 1; i >= found.older; i-- {
			if r, err := lookAt(all[i], known); err == nil { // else it was removed in the meantime
				r.Short = store.ShortName(all, i)
				found.runs = append(found.runs, r)
			}
		}
		slices.SortStableFunc(found.runs, func(a, b view.Run) int {
			switch {
			case isLive(a) == isLive(b):
				return 0
			case isLive(a):
				return -1
			}
			return 1
		})
		found.took = time.Since(from)
		return found
	}
}

func isLive(r view.Run) bool { return r.State == "running" }

func lookAt(files []string, known []view.Run) (view.Run, error) {
	i := slices.IndexFunc(known, func(r view.Run) bool { return slices.Equal(r.Files, files) })
	if i < 0 || isLive(known[i]) != store.IsWritten(files...) {
		return view.ReadRun(files)
	}
	size := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size != known[i].Bytes {
		return view.ReadRun(files)
	}
	r := known[i]
	r.Tick()
	return r, nil
}

// setRuns shows the runs, and looks again later. Looking takes at most a twentieth of the time. The
// cursor stays at its run.
func (m *model) setRuns(found runList) tea.Cmd {
	m.all, m.older, m.problem = found.runs, found.older, found.err
	m.choose(m.words)
	return tea.Tick(max(time.Second, 20*found.took), func(time.Time) tea.Msg { return lookTime{} })
}

// choose lists only the runs whose row in the list has some words. The cursor stays at its run.
func (m *model) choose(words string) {
	list := m.pages[0].(*runsPage)
	name := ""
	if list.at > 0 && list.at < len(m.runs) {
		name = m.runs[list.at].Record
	}
	m.words, m.runs = words, slices.DeleteFunc(slices.Clone(m.all), func(r view.Run) bool { return !r.Has(words) })
	list.at = max(slices.IndexFunc(m.runs, func(r view.Run) bool { return r.Record == name }), 0)
}

// A runsPage is the list of runs.
type runsPage struct{ cursor }

func (p *runsPage) draw(m *model) layout {
	live := 0
	for _, r := range m.all {
		if isLive(r) {
			live++
		}
	}
	head := fmt.Sprintf("acpshim log watch: %s, %d live", terminal.Count(len(m.all)+m.older, "run", "runs"), live)
	l := layout{[]string{m.head(head)}, nil, "enter open  s summary  / filter  ? keys  q quit"}
	rows := view.RunRows(m.runs, m.width-2)
	switch {
	case m.problem != nil:
		l.body = func(int) []string { return []string{m.line(terminal.Red, m.problem.Error())} }
	case rows == nil && len(m.all) > 0:
		l.body = func(int) []string { return []string{"", "No run matches the filter."} }
	case rows == nil:
		l.body = func(int) []string {
			return []string{"", "There are no runs yet. Record one:", "", "  acpshim --record -- COMMAND", "", m.line(terminal.None, "Records are in "+m.Folder)}
		}
	default:
		l.title = append(l.title, m.line(terminal.Dim, "  "+linesOf(rows[0])[0]))
		l.body = func(height int) []string {
			return p.window(len(m.runs), height, func(i int) []string { return m.drawRun(m.runs[i], rows[i+1], i == p.at) })
		}
	}
	return l
}

// drawRun draws the text of a run in the list.
func (m *model) drawRun(r view.Run, text string, isSelected bool) []string {
	mark, colour := "  ", terminal.None
	switch {
	case isLive(r):
		mark, colour = "* ", terminal.Green
	case r.Status == nil || *r.Status != 0 || r.IsWrong():
		colour = terminal.Red
	}
	lines := linesOf(text)
	for i, line := range lines {
		if lines[i] = m.line(colour, mark+line); isSelected && i == 0 {
			lines[i] = m.selected(terminal.Cut(mark+line, m.width))
		}
		mark = "  "
	}
	return lines
}

func (p *runsPage) key(m *model, key string) tea.Cmd {
	if p.cursor.key(key, len(m.runs), m.height-4) {
		p.follows = false
	} else if key == "enter" && p.at < len(m.runs) {
		m.open(m.runs[p.at].Files)
		return m.follow()
	} else if key == "s" && p.at < len(m.runs) {
		return m.summarize(m.runs[p.at].Files)
	}
	return nil
}
