// Package watch shows runs live on a terminal: the runs of this machine, the messages of one run as
// they come, a message with its changes, and the plans.
//
// One goroutine reads the record of a run, and the screen is updated at most some dozens of times a
// second. So frames may be left out, but never messages. What was not read yet stays in the file.
package watch

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"acpshim/internal/log/query"
	"acpshim/internal/log/view"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

// Options say what is watched.
type Options struct {
	Folder string      // of records; "" for none
	Files  []string    // of the record that is open at first; nil shows the list
	Query  query.Query // which messages are shown
	Colour bool
}

// Watch shows runs on the terminal of this process until a person quits.
func Watch(o Options) error {
	p := tea.NewProgram(newModel(o), tea.WithFPS(30))
	defer quitOnSignals(p)()
	_, err := p.Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

// quitOnSignals restores the terminal if a signal comes that would end the process as it is. The
// library knows SIGINT and SIGTERM.
func quitOnSignals(p *tea.Program) (stop func()) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		if _, ok := <-signals; ok {
			p.Quit()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// A page is what the screen shows. Its key method gets the keys that differ between pages.
type page interface {
	draw(*model) layout
	key(m *model, key string) tea.Cmd
}

// A layout is a drawn page: the lines at the top, a function that draws the body in so many lines,
// and the keys.
type layout struct {
	title []string
	body  func(height int) []string
	hint  string
}

// A model is the state of the screen.
type model struct {
	Options
	width, height int
	now           time.Time
	all           []view.Run // the live ones first
	runs          []view.Run // those of all that the filter of the list matches
	words         string     // the filter of the list
	older         int        // runs that are not in runs
	problem       error      // of reading the folder
	run           *run       // nil if none is open
	rows          *rowsPage  // of the run that is open
	pages         []page     // the last one is seen
	input         *input     // nil if no filter is typed
	note          string     // about the last key
}

func newModel(o Options) *model {
	m := &model{Options: o, width: 80, height: 24, pages: []page{&runsPage{}}}
	if o.Files != nil {
		m.open(o.Files)
	}
	return m
}

// A tick has the current time.
type tick time.Time

func nextTick() tea.Cmd {
	return tea.Tick(200*time.Millisecond, func(t time.Time) tea.Msg { return tick(t) })
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd { return tea.Batch(m.look(), nextTick(), m.follow()) }

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
	case tick:
		if m.run == nil || !m.run.isPaused {
			m.now = time.Time(msg)
		}
		return m, nextTick()
	case runList:
		return m, m.setRuns(msg)
	case lookTime:
		return m, m.look()
	case batch:
		return m, m.take(msg)
	case summarized:
		msg.page.got = &msg
	case tea.PasteMsg:
		if m.input != nil {
			m.input.write(msg.Content)
		}
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, nil
}

// View implements [tea.Model].
func (m *model) View() tea.View {
	l := m.pages[len(m.pages)-1].draw(m)
	foot := []string{m.line(terminal.Dim, l.hint)}
	if m.input != nil {
		foot = m.input.draw(m)
	} else if m.note != "" {
		foot = []string{m.line(terminal.Yellow, m.note)}
	}
	lines := append(l.title, m.line(terminal.Dim, strings.Repeat("─", m.width)))
	height := max(m.height-len(lines)-len(foot), 0)
	lines = append(lines, l.body(height)...)
	for len(lines) < m.height-len(foot) {
		lines = append(lines, "")
	}
	lines = append(lines, foot...)
	v := tea.NewView(strings.Join(lines[:min(len(lines), m.height)], "\n"))
	v.AltScreen = true
	return v
}

func (m *model) style() terminal.Style { return terminal.Style{Width: m.width, Colour: m.Colour} }

// line draws a text as a line of the screen.
func (m *model) line(colour terminal.Colour, text string) string {
	return m.parts(terminal.Part{Text: text, Colour: colour})
}

func (m *model) parts(parts ...terminal.Part) string {
	return strings.TrimSuffix(m.style().Line(parts...), "\n")
}

// head draws the first line of a page, with the filter.
func (m *model) head(text string) string {
	filter := ""
	if len(m.pages) == 1 && m.words != "" {
		filter = "  filter: " + m.words
	}
	if !m.Query.Empty() {
		filter += map[bool]string{true: "  filter of messages: ", false: "  filter: "}[len(m.pages) == 1] + m.Query.String()
	}
	return m.parts(terminal.Part{Text: text, Colour: terminal.Cyan}, terminal.Part{Text: filter, Colour: terminal.Yellow})
}

// selected draws the line at the cursor, which has no colours.
func (m *model) selected(line string) string {
	return "\x1b[7m" + terminal.Pad(line, m.width) + "\x1b[0m"
}

// linesOf splits a drawn text.
func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
