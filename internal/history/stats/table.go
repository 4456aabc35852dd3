package stats

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
)

// Write writes the figures for people: each part that is not empty, and what is missing in the
// record. goesOn reports whether the run still goes on.
func (s Stats) Write(w io.Writer, goesOn bool) error {
	type part struct {
		heads []string
		rows  [][]string
	}
	parts := []part{
		{heads: []string{"FROM", "KIND", "MESSAGE", ">MESSAGES", ">SIZE", ">SHARE"}},
		{heads: []string{"FROM", "METHOD", ">RESPONSES", ">FAILED", ">P50", ">P95", ">P99", ">MAX"}},
		{heads: []string{"SLOWEST", ">AT", "FROM", "METHOD", "SESSION", ">TIME"}},
		{heads: []string{"NO RESPONSE", ">AT", "FROM", "METHOD", "SESSION"}},
		{heads: []string{"PROMPT", ">AT", "SESSION", ">FIRST TOKEN", ">DURATION", "ENDED WITH"}},
		{heads: []string{"CHANGED", "FROM", "BY", ">BEFORE", ">SIZE", ">AFTER", ">SIZE"}},
		{heads: []string{"RULE OR ADAPTER", ">HITS"}},
		{heads: []string{"GAP", ">AT", "STREAM", ">LINES", ">SIZE", "WHY"}},
	}
	row := func(part int, cells ...string) { parts[part].rows = append(parts[part].rows, cells) }
	for _, c := range s.Messages {
		row(0, string(c.From), string(c.Kind), terminal.Name(c.Name), fmt.Sprint(c.Messages), terminal.Size(c.Bytes), fmt.Sprintf("%.1f%%", 100*c.Share))
	}
	for _, l := range s.Latencies {
		row(1, string(l.From), terminal.Name(l.Method), fmt.Sprint(l.Requests), fmt.Sprint(l.Failed), Lasted(&l.P50), Lasted(&l.P95), Lasted(&l.P99), Lasted(&l.Max))
	}
	for _, c := range s.Slowest {
		row(2, number(c.Seq), seconds(c.At), string(c.From), terminal.Name(c.Method), sessionNumber(c.Session), Lasted(c.Took))
	}
	for _, c := range s.Unanswered {
		row(3, number(c.Seq), seconds(c.At), string(c.From), terminal.Name(c.Method), sessionNumber(c.Session))
	}
	for _, p := range s.Prompts {
		row(4, number(p.Seq), seconds(p.At), sessionNumber(p.Session), Lasted(p.First), Lasted(p.End), endedWith(p))
	}
	for _, c := range s.Changes {
		row(5, terminal.Name(c.Name), string(c.From), terminal.Plain(strings.Join(c.By, ", "), 60), fmt.Sprint(c.Before), terminal.Size(c.BeforeBytes), fmt.Sprint(c.After), terminal.Size(c.AfterBytes))
	}
	for _, h := range s.Hits {
		row(6, terminal.Plain(h.By, 60), fmt.Sprint(h.Messages))
	}
	for _, g := range s.Gaps {
		row(7, number(g.Seq), seconds(g.At), terminal.Plain(g.Stream, 20), fmt.Sprint(g.Lines), terminal.Size(g.Bytes), terminal.Plain(g.Why, 80))
	}
	between := ""
	for _, p := range parts {
		if len(p.rows) == 0 {
			continue
		}
		io.WriteString(w, between)
		between = "\n"
		if err := terminal.Table(w, p.heads, p.rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, between+cmp.Or(history.ListMissing(s.Lost, goesOn), "nothing is missing"))
	return err
}

func number(seq uint64) string { return fmt.Sprintf("#%d", seq) }

func sessionNumber(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func endedWith(p Prompt) string {
	switch {
	case p.End == nil:
		return "no response"
	case p.Failed:
		return "an error"
	}
	return "a result"
}

func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }

// Lasted formats a time for people. It is "-" for nil.
func Lasted(ms *float64) string {
	switch {
	case ms == nil:
		return "-"
	case *ms < 999.5: // so that no time is shown as 1000 ms
		return fmt.Sprintf("%.3g ms", *ms)
	}
	return fmt.Sprintf("%.2f s", *ms/1000)
}
