package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/stats"
	"acpshim/internal/record/history"
	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
)

// A Comparison is where two runs differ, and how long both took. Names, counts of the same message
// in a row, and times are not differences.
type Comparison struct {
	Runs        [2]Compared  `json:"runs"`
	Differences []Difference `json:"differences"` // never nil
	Times       []Times      `json:"times"`       // never nil
}

// A Difference is a place where two runs differ. Before has the lines of the first run, After those
// of the second run.
type Difference struct {
	Part   string   `json:"part"`   // client, agent, messages, plans or turns
	At     uint64   `json:"at"`     // of messages: the first in the first run; 0 at its end
	Before []string `json:"before"` // never nil
	After  []string `json:"after"`  // never nil
}

// Times are how long the same thing took in two runs, in milliseconds; nil if it did not happen.
type Times struct {
	Name   string   `json:"name"`
	Before *float64 `json:"before_ms"`
	After  *float64 `json:"after_ms"`
}

// Compared is a run that is compared.
type Compared struct {
	Record   string  `json:"record"`
	Agent    string  `json:"agent"`
	Client   string  `json:"client"`
	Messages int     `json:"messages"` // that the peers sent
	Took     float64 `json:"took_ms"`

	title string
	parts map[string][]step
	times stats.Rows[namedTime]
}

// A step is a line of a part. Steps are compared by key.
type step struct {
	seq       uint64 // of the message, or 0
	key, text string
	count     int
}

type namedTime struct {
	name string
	took *float64
}

var comparedParts = []string{"client", "agent", "messages", "plans", "turns"}

// ReadCompared reads what is compared of a run. Name is the name of its record.
func ReadCompared(name string, h *history.History) Compared {
	s := Summarize(h, false)
	peer := func(p Peer) string { return strings.TrimSpace(p.Name + " " + p.Version) }
	c := Compared{
		Record: name, Agent: peer(s.Agent), Client: peer(s.Client),
		Messages: s.Messages, Took: s.Took, title: s.title(),
		parts: map[string][]step{"messages": stepsOf(h)},
	}
	add := func(part, text string) {
		c.parts[part] = append(c.parts[part], step{key: text, text: text, count: 1})
	}
	if s.Version != "" {
		add("agent", "protocol "+s.Version)
	}
	for part, p := range map[string]Peer{"client": s.Client, "agent": s.Agent} {
		for _, name := range slices.Sorted(slices.Values(p.Capabilities)) {
			add(part, name)
		}
	}
	for _, p := range s.Plans {
		add("plans", p.compared())
	}
	c.time("the run", &c.Took)
	for i, t := range s.Turns {
		turn := fmt.Sprintf("turn %d", i+1)
		add("turns", fmt.Sprintf("%s: %s", turn, cmp.Or(t.Got, t.Failed, t.Stop, "no response")))
		c.time(turn+", first token", t.First)
		c.time(turn, t.Took)
	}
	for _, l := range stats.Of(h).Latencies {
		if l.Method != acp.SessionPrompt { // the turns
			c.time(fmt.Sprintf("%s of the %s, median", l.Method, l.From), &l.P50)
		}
	}
	return c
}

func (c *Compared) time(name string, took *float64) {
	c.times.Of(namedTime{name, took}, name)
}

// stepsOf returns the messages that the peers sent, by kind and in order. The same message several
// times in a row is one step.
func stepsOf(h *history.History) (steps []step) {
	for _, m := range h.Messages {
		if !m.Message.Received() || m.Kind == history.Other {
			continue
		}
		kind := string(m.Kind)
		if m.Failed {
			kind = "error"
		}
		key := fmt.Sprintf("%s %s %s", m.Message.Dir, kind, terminal.Name(m.Name()))
		if last := len(steps) - 1; last >= 0 && steps[last].key == key {
			steps[last].count++
			continue
		}
		steps = append(steps, step{m.Seq, key, key, 1})
	}
	return steps
}

// compared describes what became of a plan, without the numbers of messages.
func (p Plan) compared() string {
	text := fmt.Sprintf("session %d, %s: ", p.Session, p.name())
	if p.Got > 0 {
		text += "the client got it " + cmp.Or(forms[p.GotAs], "as "+p.GotAs)
	} else {
		text += "the client did not get it" + inBrackets(p.Why)
	}
	if text = strings.TrimSpace(text); p.Removed {
		text += ", removed"
	}
	return text
}

// Compare compares two runs.
func Compare(before, after Compared) Comparison {
	c := Comparison{Runs: [2]Compared{before, after}, Differences: []Difference{}, Times: []Times{}}
	for _, part := range comparedParts {
		c.align(part, before.parts[part], after.parts[part])
	}
	var rows stats.Rows[Times]
	for _, t := range before.times.All() {
		rows.Of(Times{Name: t.name}, t.name).Before = t.took
	}
	for _, t := range after.times.All() {
		rows.Of(Times{Name: t.name}, t.name).After = t.took
	}
	c.Times = rows.All()
	return c
}

// align adds where the steps of a part differ.
func (c *Comparison) align(part string, before, after []step) {
	keys := func(steps []step) (keys [][]byte) {
		for _, s := range steps {
			keys = append(keys, []byte(s.key))
		}
		return keys
	}
	shift := 0 // from an index in before to the one in after
	for _, gap := range transcript.Align(keys(before), keys(after)) {
		from, to := gap.At, gap.At+shift
		was, is := texts(before[from:from+len(gap.Then)]), texts(after[to:to+len(gap.Now)])
		d := Difference{part, 0, append([]string{}, was...), append([]string{}, is...)}
		if shift += len(gap.Now) - len(gap.Then); from < len(before) {
			d.At = before[from].seq
		}
		c.Differences = append(c.Differences, d)
	}
}

// String is the line of a step for people.
func (s step) String() string {
	if s.count > 1 {
		return fmt.Sprintf("%s, %d times", s.text, s.count)
	}
	return s.text
}

// Write writes the comparison for people: "-" is the first run, "+" the second one.
func (c Comparison) Write(w io.Writer, style terminal.Style) error {
	var b bytes.Buffer
	columns := cmp.Or(style.Width, screen)
	line := func(sign, text string) {
		for _, row := range terminal.Wrap(terminal.Plain(text, 0), columns-2) {
			part := terminal.Part{Text: sign + " " + row, Colour: colours[sign[0]]}
			b.WriteString(style.Line(part))
			sign = " "
		}
	}
	for i, r := range c.Runs {
		messages := terminal.Count(r.Messages, "message", "messages")
		line("-+"[i:i+1], fmt.Sprintf("%s: %s, %s", r.Record, r.title, messages))
	}
	for i, d := range c.Differences {
		if i == 0 || d.Part != c.Differences[i-1].Part || d.Part == "messages" {
			fmt.Fprintf(&b, "\n%s%s\n", d.Part, d.where())
		}
		for _, text := range d.Before {
			line("-", text)
		}
		for _, text := range d.After {
			line("+", text)
		}
	}
	b.WriteString("\n")
	var rows [][]string
	for _, t := range c.Times {
		before, after := stats.Lasted(t.Before), stats.Lasted(t.After)
		rows = append(rows, []string{terminal.Plain(t.Name, 48), before, after})
	}
	terminal.Table(&b, []string{"TIME", ">- BEFORE", ">+ AFTER"}, rows)
	_, err := w.Write(b.Bytes())
	return err
}

// where says from which message of the first run on messages differ.
func (d Difference) where() string {
	switch {
	case d.Part == "client", d.Part == "agent":
		return " announces"
	case d.Part != "messages":
		return ""
	case d.At == 0:
		return " at the end"
	}
	return fmt.Sprintf(" at #%d", d.At)
}
