// Package explain describes what rules do with messages, for people.
package explain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
)

// Lines explains every line of a text from one side. It returns how many lines are not clear
// messages. Unknown names facts that a rule needs but that are unknown, or returns "".
func Lines(w io.Writer, text []byte, explain func(line []byte) []rule.Step, from rule.Side, unknown func(rule.Step) string) (unclear int) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		steps := explain(line)
		err := rule.Unclear(line)
		if err == nil && len(steps) == 0 {
			err = errors.New("none in the list is a message")
		}
		if err != nil {
			unclear++
			fmt.Fprintf(w, "from the %s: no clear message, it meets no rule\n  %v\n= %s\n\n", from, err, transcript.Shorten(line))
			continue
		}
		for i := range steps {
			if what := unknown(steps[i]); what != "" {
				steps[i].WhyNot, steps[i].Want = steps[i].WhyNot+what, ""
			}
		}
		Steps(w, steps)
	}
	return unclear
}

// Steps writes what rules did with messages, in order.
func Steps(w io.Writer, steps []rule.Step) {
	for len(steps) > 0 {
		n := lengthOf(steps)
		message(w, steps[:n])
		steps = steps[n:]
	}
}

// lengthOf returns how many steps belong to the first step's message: they are about it or a
// message made of it, and the first rule is not among them again.
func lengthOf(steps []rule.Step) int {
	made := map[string]bool{string(steps[0].Before): true}
	for n, s := range steps {
		if !made[string(s.Before)] || n > 0 && s.Rule == steps[0].Rule {
			return n
		}
		for _, line := range s.After {
			made[string(line)] = true
		}
	}
	return len(steps)
}

func message(w io.Writer, steps []rule.Step) {
	fmt.Fprintf(w, "from the %s: %s\n", steps[0].From, subject(steps[0].Before))
	var width int
	for _, s := range steps {
		width = max(width, terminal.Width(terminal.Plain(s.Rule, 0)))
	}
	live := [][]byte{steps[0].Before}
	var replies [][]byte
	held := false
	for _, s := range steps {
		fmt.Fprintf(w, "  %s  %s\n", terminal.Pad(terminal.Plain(s.Rule, 0), width), terminal.Line(outcome(s)))
		if !s.Matched || s.Err != nil {
			continue
		}
		if len(s.After) == 1 {
			changes(w, s)
		}
		held = held || s.Held
		if s.Reply != nil {
			replies = append(replies, s.Reply)
		}
		if i := slices.IndexFunc(live, func(line []byte) bool { return bytes.Equal(line, s.Before) }); i >= 0 {
			live = slices.Replace(live, i, i+1, s.After...)
		}
	}
	if len(live) == 1 && bytes.Equal(live[0], steps[0].Before) {
		fmt.Fprintf(w, "= %s\n", transcript.Shorten(live[0]))
	} else {
		fmt.Fprintf(w, "- %s\n", transcript.Shorten(steps[0].Before))
		for _, line := range live {
			fmt.Fprintf(w, "+ %s\n", transcript.Shorten(line))
		}
	}
	for _, line := range replies {
		fmt.Fprintf(w, "to the %s: %s\n", steps[0].From, transcript.Shorten(line))
	}
	if held {
		fmt.Fprintln(w, "it waits, if its session is not open yet")
	}
	fmt.Fprintln(w)
}

// subject returns the kind of a message.
func subject(line []byte) string {
	m, err := wire.Parse(line, "params", "params.update")
	if err != nil {
		return "a message"
	}
	method, ok := m.Text("method")
	update, isUpdate := m.Open("params").Open("update").Text("sessionUpdate")
	switch {
	case !ok:
		return "a response"
	case isUpdate:
		return terminal.Plain(method, 100) + " " + terminal.Plain(update, 100)
	}
	return terminal.Plain(method, 100)
}

// outcome says whether a rule matched and what it did.
func outcome(s rule.Step) string {
	switch {
	case s.WhyNot == "off":
		return "is off"
	case !s.Matched && s.Want != "" && s.Is != "":
		return fmt.Sprintf("no: %s, want %s, is %s", s.WhyNot, transcript.Shorten([]byte(s.Want)), transcript.Shorten([]byte(s.Is)))
	case !s.Matched:
		return "no: " + s.WhyNot
	case s.Err != nil:
		return "matches, and fails: " + s.Err.Error()
	}
	var did []string
	switch {
	case s.Did != "":
		did = append(did, s.Did)
	case s.Reply != nil:
		did = append(did, "replies")
	case len(s.After) == 0:
		did = append(did, "drops it")
	case len(s.After) > 1:
		did = append(did, fmt.Sprintf("makes %d of it", len(s.After)))
	case !bytes.Equal(s.Before, s.After[0]):
		did = append(did, "changes it")
	}
	if s.Logged {
		did = append(did, "logs it")
	}
	if s.Held {
		did = append(did, "holds it")
	}
	if did == nil {
		return "matches, and finds nothing to change"
	}
	return "matches: " + strings.Join(did, ", ")
}

// changes writes what a rule changed in a message.
func changes(w io.Writer, s rule.Step) {
	changes, ok := transcript.Changes(s.Before, s.After[0])
	if ok && len(changes) == 0 && !bytes.Equal(s.Before, s.After[0]) {
		fmt.Fprintln(w, "    spelled otherwise, and the same")
	}
	for _, c := range changes {
		before, after := transcript.Shorten([]byte(c.Before)), transcript.Shorten([]byte(c.After))
		change := before + " becomes " + after
		switch {
		case c.Before == "":
			change = after + " is new"
		case c.After == "":
			change = before + " is gone"
		}
		fmt.Fprintf(w, "    %s: %s\n", terminal.Line(c.Where()), change)
	}
}
