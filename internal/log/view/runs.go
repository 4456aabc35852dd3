package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/text/terminal"
)

// RunRows returns the heads of a list of runs, and a text for each run: its row, and a line with
// what is missing. They are at most so many columns wide unless the name of a record is long. It
// returns nil for no runs.
func RunRows(runs []Run, columns int) (texts []string) {
	if len(runs) == 0 {
		return nil
	}
	heads := []string{"RECORD", "STARTED", ">TIME", "AGENT", "CLIENT", ">MSGS", "END", "WRONG"}
	const agent, client, wrong = 3, 4, 7
	const fewest = 12 // columns for agent and client
	rows := [][]string{heads}
	for _, r := range runs {
		rows = append(rows, r.row())
	}
	widths := make([]int, len(heads))
	room := columns - 2*(len(heads)-1)
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], terminal.Width(strings.TrimPrefix(row[i], ">")))
		}
		if i != agent && i != client {
			room -= widths[i]
		}
	}
	for _, row := range rows[1:] {
		row[wrong] = terminal.Cut(row[wrong], max(widths[wrong]-max(fewest-room, 0), 10))
	}
	room = max(room, fewest)
	most := max(room-widths[client], room-room/2) // for the agent: what the client leaves, at least half
	for _, row := range rows[1:] {
		row[agent] = shortened(row[agent], most)
		row[client] = shortened(row[client], room-min(most, widths[agent]))
	}
	var b strings.Builder
	terminal.Table(&b, heads, rows[1:])
	texts = slices.Collect(strings.Lines(b.String()))
	for i, r := range runs {
		if missing := r.missing(); missing != "" {
			texts[i+1] += fmt.Sprintf("  missing: %s\n", missing)
		}
	}
	return texts
}

// Has reports whether the row of a run has some words, in small or capital letters.
func (r Run) Has(words string) bool {
	return strings.Contains(strings.ToLower(strings.Join(r.row(), " ")), strings.ToLower(strings.TrimSpace(words)))
}

func (r Run) row() []string {
	took := time.Duration(r.Seconds * float64(time.Second))
	begun := ""
	if !r.Begun.IsZero() {
		begun = r.Begun.Local().Format("Mon 15:04")
	}
	return []string{r.Short, begun, lasted(took), shortName(r.Agent), shortName(r.Client), fmt.Sprint(r.Messages), r.ending(), r.Wrong}
}

// lasted writes a time in at most six columns.
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

// shortName is the name of a peer without the scope of a package.
func shortName(name string) string {
	name = terminal.Plain(name, 200)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// shortened is a peer's name with as much of the version as fits. A name that does not fit keeps
// both ends, because the names of different programs may begin or end alike.
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

// ending describes how a run ended.
func (r Run) ending() string {
	if r.Status == nil {
		return r.State
	}
	return fmt.Sprintf("exit %d", *r.Status)
}

// missing lists what is known to be missing.
func (r Run) missing() string {
	var parts []string
	if r.Before > 0 {
		parts = append(parts, "the beginning")
	}
	if r.Gone > 0 {
		parts = append(parts, terminal.Count(r.Gone, "file", "files"))
	}
	if r.Lost > 0 {
		parts = append(parts, terminal.Count(r.Lost, "line", "lines"))
	}
	return strings.Join(parts, ", ")
}
