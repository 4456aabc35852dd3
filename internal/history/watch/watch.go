// Package watch shows runs live on a terminal: the runs of this machine, the messages of one as
// they come, and what is known of a message and of plans.
//
// One goroutine reads a record, another one draws. The screen takes what has come at most some
// dozens of times a second, so that frames are left out and never messages.
package watch

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"acpshim/internal/history/listing"
	"acpshim/internal/history/query"
	"acpshim/internal/terminal"

	tea "charm.land/bubbletea/v2"
)

// Options say what is watched.
type Options struct {
	Folder string      // of records; "" is none
	Files  []string    // those of the record that is open at first; nil shows the list
	Query  query.Query // which messages are shown
	Colour bool
}

// Watch shows runs on the terminal of this process until a person quits.
func Watch(o Options) error {
	_, err := tea.NewProgram(newModel(o), tea.WithFPS(framesPerSecond)).Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

const (
	framesPerSecond = 30
	tickTime        = 200 * time.Millisecond
)

// A tick says what time it is.
type tick time.Time

// A page is what a screen shows below its title. The last one of several is seen.
type page interface {
	title(*model) []string
	body(m *model, height int) []string
	hint() string
	key(m *model, key string) tea.Cmd // that is not one for all pages
}

// A model is the state of the screen.
type model struct {
	Options
	width, height int
	now           time.Time
	runs          []listing.Record // the live ones first
	older         int              // runs that are not in runs
	problem       string           // of reading the folder
	run           *run             // nil if the list is shown
	pages         []page
	input         *input // of a filter; or nil
	note          string // about the last key
	held          []batch
	heldBytes     int
	paused        bool
	goal          uint64 // the number of the row that the cursor goes to once all was read
}

func newModel(o Options) *model {
	m := &model{Options: o, width: 80, height: 24, pages: []page{&runsPage{}}}
	if o.Files != nil {
		m.open(o.Files)
	}
	return m
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd {
	commands := []tea.Cmd{m.look, nextTick()}
	if m.run != nil {
		commands = append(commands, m.follow())
	}
	return tea.Batch(commands...)
}

func nextTick() tea.Cmd { return tea.Tick(tickTime, func(t time.Time) tea.Msg { return tick(t) }) }

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		if !m.paused {
			m.now = time.Time(msg)
		}
		return m, nextTick()
	case looked:
		m.took(msg)
		return m, tea.Tick(time.Second, func(time.Time) tea.Msg { return lookAgain{} })
	case lookAgain:
		return m, m.look
	case batch:
		return m, m.take(msg)
	case tea.PasteMsg:
		if m.input != nil {
			m.input.write(msg.Content)
		}
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, nil
}

// page is the one that is seen.
func (m *model) page() page { return m.pages[len(m.pages)-1] }

// style is how lines are drawn.
func (m *model) style() terminal.Style {
	return terminal.Style{Width: max(m.width, 1), Colour: m.Colour}
}

// View implements [tea.Model].
func (m *model) View() tea.View {
	title, foot := m.page().title(m), m.foot()
	height := max(m.height-len(title)-len(foot), 0)
	body := m.page().body(m, height)
	body = body[:min(len(body), height)]
	lines := slices.Concat(title, body, make([]string, height-len(body)), foot)
	v := tea.NewView(joined(lines[:min(len(lines), max(m.height, 0))]))
	v.AltScreen = true
	return v
}

// foot is the last lines: a filter that is typed, else what the last key did, or the keys.
func (m *model) foot() []string {
	if m.input != nil {
		return m.input.draw(m)
	}
	colour := terminal.Yellow
	if m.note == "" {
		colour = terminal.Dim
	}
	return []string{m.line(terminal.Part{Text: cmp.Or(m.note, m.page().hint()), Colour: colour})}
}
