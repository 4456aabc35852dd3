package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/terminal"
	"acpshim/internal/transcript"
	"acpshim/internal/wire"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

func newExplain() *cobra.Command {
	var f flags
	var e explanation
	c := &cobra.Command{
		Use:                   "explain [flags] [FILE]",
		DisableFlagsInUseLine: true,
		Long: `Tell of each rule what it does with a message on standard input, a line of JSON:
whether it matches, or which of its keys does not, and what it changes; in the end
what becomes of the message. Of the two peers only that is known then which the flags
tell: a client that --client names has the capabilities of --client-has and no others.
A version may follow a name: --client "zed 0.201.5". Your own configuration counts, as
in a run.

A conversation as "acpshim rules test" reads it, in FILE or on standard input (-), is
played in its order, with the configuration that it has there. The exit status is 1 if
there is a line that is no message.`,
		Args: atMostOne("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			e.w = stdout()
			if len(args) > 0 && args[0] != "-" {
				a, err := readTranscript(args[0])
				if err != nil {
					return err
				}
				return e.conversation(f, args[0], a)
			}
			text, err := io.ReadAll(io.LimitReader(os.Stdin, maxTranscript))
			if err != nil {
				return &exit{1, fmt.Errorf("reading the message: %w", err), ""}
			}
			if a := txtar.Parse(text); len(a.Files) > 0 {
				if err := checkTranscript("standard input", a); err != nil {
					return err
				}
				return e.conversation(f, "standard input", a)
			}
			if e.config, err = f.load(); err != nil {
				return badConfig(err, "")
			}
			if e.facts, err = e.given(); err != nil {
				return &exit{exitUsage, err, ""}
			}
			return e.lines(bytes.TrimSpace(text))
		},
	}
	f.addLayers(c)
	e.addFacts(c)
	return c
}

// An explanation tells what rules do.
type explanation struct {
	w      io.Writer
	config config.Config
	told
	facts rule.Facts
}

// lines explains messages of which nothing else is known.
func (e *explanation) lines(text []byte) error {
	first, more, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) == 0:
		return &exit{exitUsage, fmt.Errorf("there is no message on standard input"), `"acpshim rules explain -h" shows how it is used`}
	case len(more) > 0 && !json.Valid(first) && json.Valid(text):
		return &exit{1, errors.New("the message is in several lines: want it in one"), `"jq -c ." makes it one`}
	}
	set, switches := e.config.RuleSet(), e.config.For(orUnknown(e.facts.Client), orUnknown(e.facts.Agent)).Switches
	unclear := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		steps := set.Explain(line, rule.Side(e.from), e.facts, switches)
		err := rule.Unclear(line)
		if err == nil && len(steps) == 0 {
			err = errors.New("none in the list is a message")
		}
		if err != nil {
			unclear++
			fmt.Fprintf(e.w, "from the %s: no clear message, it meets no rule\n  %v\n= %s\n\n", e.from, err, shorten(line))
			continue
		}
		for i := range steps {
			steps[i].WhyNot += e.unknown(steps[i])
		}
		e.messages(steps)
	}
	if unclear > 0 {
		return &exit{1, fmt.Errorf("lines that are no clear message: %d", unclear), ""}
	}
	return nil
}

// conversation explains the messages of one.
func (e *explanation) conversation(f flags, name string, a *txtar.Archive) error {
	if told := e.first(); told != "" {
		return &exit{exitUsage, fmt.Errorf("--%s is for a message alone: a conversation tells it itself", told), ""}
	}
	c, err := f.loadFor(name, a)
	if err != nil {
		return badConfig(err, "")
	}
	var steps []rule.Step
	chain := transcriptChain(c, warnings(stderr(), name), func(s rule.Step) { steps = append(steps, s.Clone()) })
	for _, f := range a.Files {
		// One by one, so that what is told is told before the next is played.
		if _, err := transcript.Play(&txtar.Archive{Files: []txtar.File{f}}, chain); err != nil {
			return &exit{1, fmt.Errorf("%s: %w", name, err), ""}
		}
		e.messages(steps)
		steps = nil
	}
	return nil
}

// messages tells of steps. Those of a message begin with its first rule.
func (e *explanation) messages(steps []rule.Step) {
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].Rule != steps[0].Rule {
			n++
		}
		e.message(steps[:n])
		steps = steps[n:]
	}
}

func (e *explanation) message(steps []rule.Step) {
	fmt.Fprintf(e.w, "from the %s: %s\n", steps[0].From, subject(steps[0].Before))
	var width int
	for _, s := range steps {
		width = max(width, terminal.Width(terminal.Plain(s.Rule, 0)))
	}
	live := [][]byte{steps[0].Before}
	var replies [][]byte
	held := false
	for _, s := range steps {
		fmt.Fprintf(e.w, "  %s  %s\n", terminal.Pad(terminal.Plain(s.Rule, 0), width), terminal.Line(outcome(s)))
		if !s.Matched || s.Err != nil {
			continue
		}
		if len(s.After) == 1 {
			e.changes(s)
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
		fmt.Fprintf(e.w, "= %s\n", shorten(live[0]))
	} else {
		fmt.Fprintf(e.w, "- %s\n", shorten(steps[0].Before))
		for _, line := range live {
			fmt.Fprintf(e.w, "+ %s\n", shorten(line))
		}
	}
	for _, line := range replies {
		fmt.Fprintf(e.w, "to the %s: %s\n", steps[0].From, shorten(line))
	}
	if held {
		fmt.Fprintln(e.w, "it waits, if its session is not open yet")
	}
	fmt.Fprintln(e.w)
}

// subject says what a message is about.
func subject(line []byte) string {
	m, err := wire.Parse(line, "params", "params.update")
	if err != nil {
		return "a message"
	}
	method, ok := m.Text("method")
	update, isUpdate := m.Open("params").Open("update").Text("sessionUpdate")
	switch {
	case !ok:
		return "an answer"
	case isUpdate:
		return terminal.Plain(method, 100) + " " + terminal.Plain(update, 100)
	}
	return terminal.Plain(method, 100)
}

// outcome says whether a rule matched, and in short what it did.
func outcome(s rule.Step) string {
	switch {
	case s.WhyNot == "off":
		return "is off"
	case !s.Matched:
		return "no: " + s.WhyNot
	case s.Err != nil:
		return "matches, and fails: " + s.Err.Error()
	}
	var did []string
	switch {
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

// changes tells what a rule changed in a message.
func (e *explanation) changes(s rule.Step) {
	changes, ok := transcript.Changes(s.Before, s.After[0])
	if ok && len(changes) == 0 && !bytes.Equal(s.Before, s.After[0]) {
		fmt.Fprintln(e.w, "    spelled otherwise, and the same")
	}
	for _, c := range changes {
		switch {
		case c.Before == "":
			fmt.Fprintf(e.w, "    %s: %s is new\n", terminal.Line(c.Where()), shorten([]byte(c.After)))
		case c.After == "":
			fmt.Fprintf(e.w, "    %s: %s is gone\n", terminal.Line(c.Where()), shorten([]byte(c.Before)))
		default:
			fmt.Fprintf(e.w, "    %s: %s becomes %s\n", terminal.Line(c.Where()), shorten([]byte(c.Before)), shorten([]byte(c.After)))
		}
	}
}
