package listing

import (
	"fmt"
	"io"
	"strings"
	"time"

	"acpshim/internal/terminal"
)

// width is how wide a list is, in columns.
const width = 80

// Write writes a list of records for people, no wider than 80 columns unless the name of a record
// is long.
func Write(w io.Writer, records []Record) error {
	for _, text := range Rows(records, width) {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the head of a list of records in so many columns, and then a text for each record:
// its row, and a line with what is missing at first sight. It returns nil for no records.
func Rows(records []Record, columns int) (texts []string) {
	if len(records) == 0 {
		return nil
	}
	heads := []string{"RECORD", "BEGUN", ">TIME", "AGENT", "CLIENT", ">MESSAGES", "END"}
	const agent, client = 3, 4
	var rows [][]string
	for _, r := range records {
		rows = append(rows, r.row())
	}
	widths := make([]int, len(heads))
	for _, row := range append([][]string{heads}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], terminal.Width(strings.TrimPrefix(cell, ">")))
		}
	}
	room := columns - 2*(len(heads)-1) + widths[agent] + widths[client]
	for _, n := range widths {
		room -= n
	}
	room = max(room, 16)
	most := max(room-widths[client], room-room/2) // for the agent: what the client leaves, at least half
	for _, row := range rows {
		row[agent] = shortened(row[agent], most)
		row[client] = shortened(row[client], room-min(most, widths[agent]))
	}
	var b strings.Builder
	terminal.Table(&b, heads, rows)
	texts = strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
	texts[len(texts)-1] += "\n"
	for i, r := range records {
		if missing := r.missing(); missing != "" {
			texts[i+1] += fmt.Sprintf("  missing: %s\n", missing)
		}
	}
	return texts
}

func (r Record) row() []string {
	took := time.Duration(r.Seconds * float64(time.Second))
	begun := ""
	if !r.Begun.IsZero() {
		begun = r.Begun.Local().Format("Mon 15:04")
	}
	return []string{r.Short, begun, lasted(took), peer(r.Agent), peer(r.Client), fmt.Sprint(r.Messages), r.ending()}
}

// lasted is a time in at most six columns.
func lasted(d time.Duration) string {
	switch {
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour-500*time.Millisecond:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// peer is a name without the scope that a package's name begins with.
func peer(name string) string {
	name = terminal.Plain(name, 200)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// shortened is a peer's name with as much of the version as there is room for. A name that does not
// fit keeps both ends: those of different programs may begin or end alike.
func shortened(peer string, columns int) string {
	name := peer[:max(strings.LastIndexByte(peer, ' '), 0)]
	switch width := terminal.Width(name); {
	case terminal.Width(peer) <= columns || name == "":
		name = peer
	case width+3 <= columns: // a space, a digit and …
		return terminal.Cut(peer, columns)
	}
	return terminal.CutMiddle(name, columns)
}

// ending says how a run ended.
func (r Record) ending() string {
	if r.Status == nil {
		return r.State
	}
	return fmt.Sprintf("exit %d", *r.Status)
}

// missing says what is missing at first sight.
func (r Record) missing() string {
	var said []string
	if r.Before > 0 {
		said = append(said, "the beginning")
	}
	if r.Gone > 0 {
		said = append(said, terminal.Count(r.Gone, "file", "files"))
	}
	if r.Lost > 0 {
		said = append(said, terminal.Count(r.Lost, "line", "lines"))
	}
	return strings.Join(said, ", ")
}
