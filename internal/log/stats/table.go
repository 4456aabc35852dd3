package stats

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
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
		{heads: []string{"WAITED FOR", ">PERSON", ">CLIENT", ">ACPSHIM", ">AGENT"}},
		{heads: []string{"USED BY", ">SESSION", ">INPUT", ">OUTPUT", ">TOTAL", ">COST", ">CONTEXT"}},
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
		row(5, number(p.Seq), Lasted(&p.Waits.Person), Lasted(&p.Waits.Client), Lasted(&p.Waits.Acpshim), Lasted(&p.Waits.Agent))
	}
	isKnown := slices.ContainsFunc(s.Usage, Usage.IsKnown)
	for _, u := range s.Usage {
		if !isKnown {
			break
		}
		for _, p := range s.Prompts {
			if p.Session == u.Session {
				row(6, append(append([]string{number(p.Seq), sessionNumber(p.Session)}, p.Tokens.cells()...), p.Cost.String(), "")...)
			}
		}
		row(6, append(append([]string{"all", sessionNumber(u.Session)}, u.Tokens.cells()...), u.Cost.String(), u.Context.String())...)
	}
	for _, c := range s.Changes {
		row(7, terminal.Name(c.Name), string(c.From), terminal.Plain(strings.Join(c.By, ", "), 60), fmt.Sprint(c.Before), terminal.Size(c.BeforeBytes), fmt.Sprint(c.After), terminal.Size(c.AfterBytes))
	}
	for _, h := range s.Hits {
		row(8, terminal.Plain(h.By, 60), fmt.Sprint(h.Messages))
	}
	for _, g := range s.Gaps {
		row(9, number(g.Seq), seconds(g.At), terminal.Plain(g.Stream, 20), fmt.Sprint(g.Lines), terminal.Size(g.Bytes), terminal.Plain(g.Why, 80))
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
	for _, text := range s.unknown() {
		fmt.Fprintln(w, between+text)
		between = ""
	}
	_, err := fmt.Fprintln(w, between+cmp.Or(history.ListMissing(s.Lost, goesOn), "nothing is missing"))
	return err
}

// unknown says what is not known of tokens and cost.
func (s Stats) unknown() (lines []string) {
	if len(s.Usage) > 0 && !slices.ContainsFunc(s.Usage, Usage.IsKnown) {
		return []string{"tokens and cost are not known: the agent does not report them"}
	}
	for _, u := range s.Usage {
		if u.Reported > 1 && u.Tokens == nil {
			lines = append(lines, fmt.Sprintf("the tokens of session %d are not added up: "+
				"each number may be of one turn, or of the session so far", u.Session))
		}
	}
	return lines
}

// cells are the numbers for a table; "-" for those that are not known.
func (t *Tokens) cells() []string {
	if t == nil {
		return []string{"-", "-", "-"}
	}
	return []string{orDash(t.Input), orDash(t.Output), fmt.Sprint(t.Total)}
}

func orDash(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// String is the cost for people; "-" if it is not known.
func (c *Cost) String() string {
	if c == nil {
		return "-"
	}
	return terminal.Plain(strings.TrimSpace(strconv.FormatFloat(c.Amount, 'f', -1, 64)+" "+c.Currency), 20)
}

// String is the context for people; "-" if it is not known.
func (c *Context) String() string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%d of %d", c.Used, c.Size)
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
