// Package transcript runs written conversations through acpshim's chain. A
// transcript is a txtar file that reads from top to bottom:
//
//	a comment
//	-- config.toml --
//	keys that differ from the default; optional
//	-- file /tmp/plan.md --
//	a file that an agent may name; later sections replace its text
//	-- unnoticed file /tmp/plan.md --
//	the same, but acpshim does not notice the change by itself
//	-- busy file /tmp/plan.md --
//	the file cannot be read until a later section gives it a text
//	-- client --
//	what the client sends, one message per line
//	-- to agent --
//	what the agent receives
//	-- agent --
//	what the agent sends
//	-- agent ends --
//	the error that the client's pending requests get; no more messages of the agent come
//	-- to client --
//	what the client receives
//	-- shows --
//	the plan that the client now shows, as a checklist
//
// Inputs and outputs may be repeated. An empty output is left out.
package transcript

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/translate"
	"acpshim/translate/entry"

	"golang.org/x/tools/txtar"
)

// Names of the sections.
const (
	Config    = "config.toml"
	AgentEnds = "agent ends"
	file      = "file "
	unnoticed = "unnoticed "
	busy      = "busy "
	client    = "client"
	toAgent   = "to agent"
	agent     = "agent"
	toClient  = "to client"
	shows     = "shows"
)

// A Chain is what a conversation is played through: a relay.Offline.
type Chain interface {
	Send(from wire.Side, lines []byte, went func(from wire.Side, lines []byte)) error
	SetFile(f record.File) (toClient []byte)
	End(failure []byte, went func(from wire.Side, lines []byte))
}

// Play runs the inputs of a transcript through the chain. It returns a transcript with the same
// inputs and the new outputs.
func Play(a *txtar.Archive, chain Chain) (*txtar.Archive, error) {
	went := &txtar.Archive{Comment: a.Comment}
	add := func(section string, text []byte) {
		switch last := len(went.Files) - 1; {
		case len(text) == 0:
		case last >= 0 && went.Files[last].Name == section:
			went.Files[last].Data = append(went.Files[last].Data, text...)
		default:
			went.Files = append(went.Files, txtar.File{Name: section, Data: text})
		}
	}
	addWent := func(from wire.Side, lines []byte) {
		if from == wire.Client {
			add(toAgent, lines)
			return
		}
		add(toClient, lines)
		add(shows, []byte(Checklist(lines)))
	}
	for _, f := range a.Files {
		if isOutput(f.Name) {
			continue // the chain makes it from the inputs
		}
		if err := checkName(f.Name); err != nil {
			return nil, err
		}
		went.Files = append(went.Files, f)
		switch of, isFile := FileOf(f.Name); {
		case isFile:
			of.Text = string(f.Data)
			addWent(wire.Agent, chain.SetFile(of))
		case f.Name == Config:
		case f.Name == AgentEnds:
			chain.End(f.Data, addWent)
		default:
			if err := chain.Send(wire.Side(f.Name), f.Data, addWent); err != nil {
				return nil, err
			}
		}
	}
	return went, nil
}

// FileSection returns the name of a section with the text of a file.
func FileSection(f *record.File) string {
	switch {
	case f.Busy:
		return busy + file + f.Path
	case !f.Noticed:
		return unnoticed + file + f.Path
	}
	return file + f.Path
}

// FileOf reads a FileSection. The file has no text yet.
func FileOf(section string) (f record.File, ok bool) {
	section, f.Busy = strings.CutPrefix(section, busy)
	section, isUnnoticed := strings.CutPrefix(section, unnoticed)
	f.Noticed = !isUnnoticed
	f.Path, ok = strings.CutPrefix(section, file)
	return f, ok
}

// Checklist draws the last legacy plan among lines, one step per line: "[ ] step", with ~ for in
// progress and x for completed. It returns "" if there is no plan, and "(no plan)" for an empty
// plan.
func Checklist(lines []byte) string {
	var drawn string
	for line := range bytes.Lines(lines) {
		msg, err := wire.Parse(line, translate.Paths...)
		if err != nil {
			continue
		}
		if u, err := translate.Decode(msg.Open("params").Open("update")); err == nil && u.Kind == translate.Legacy {
			drawn = Draw(u.Entries)
		}
	}
	return drawn
}

// Draw draws entries as Checklist does.
func Draw(entries []entry.Entry) string {
	if len(entries) == 0 {
		return "(no plan)\n"
	}
	var b strings.Builder
	for _, e := range entries {
		box := map[entry.Status]string{entry.InProgress: "[~]", entry.Completed: "[x]"}[e.Status]
		if box == "" {
			box = "[ ]"
		}
		fmt.Fprintf(&b, "%s %s\n", box, strings.ReplaceAll(e.Content, "\n", "\n    "))
	}
	return b.String()
}
