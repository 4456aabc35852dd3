// Package transcript runs written conversations through acpshim's chain. A
// transcript is a txtar file that reads from top to bottom:
//
//	words for the reader
//	-- config.toml --
//	keys that differ from the default; may be left out
//	-- file /tmp/plan.md --
//	a file that an agent may name; again, the file as it is from there on
//	-- client --
//	what the client sends, a message a line
//	-- to agent --
//	what reaches the agent of it
//	-- agent --
//	what the agent sends
//	-- to client --
//	what reaches the client of it
//	-- shows --
//	the plan that the client now shows, as a checklist
//
// Inputs and outputs follow each other as often as the conversation needs. An
// output that is empty is left out.
package transcript

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/wire"
	"acpshim/proxy"
	"acpshim/translate"
	"acpshim/translate/entry"

	"golang.org/x/tools/txtar"
)

// Names of the sections.
const (
	Config   = "config.toml"
	file     = "file "
	client   = "client"
	toAgent  = "to agent"
	agent    = "agent"
	toClient = "to client"
	shows    = "shows"
)

// A Chain is what stands in the two directions of a conversation.
type Chain struct {
	FromClient, FromAgent wire.Interceptor

	// Write gives a file a text, and returns the lines to the client that come
	// of it.
	Write func(path, text string) []byte

	// Replies returns the lines that acpshim sent by itself since the last call, by their
	// receiver.
	Replies func() (toClient, toAgent []byte)
}

// Play runs the inputs of a transcript through the chain and returns the
// transcript as it went: the same inputs with the outputs that came of them.
func Play(a *txtar.Archive, chain Chain) (*txtar.Archive, error) {
	went := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		switch {
		case f.Name == Config:
			went.Files = append(went.Files, f)
		case strings.HasPrefix(f.Name, file):
			went.Files = append(went.Files, f)
			if out := chain.Write(strings.TrimPrefix(f.Name, file), string(f.Data)); len(out) > 0 {
				went.Files = append(went.Files, txtar.File{Name: toClient, Data: out})
				draw(went)
			}
		case f.Name == client:
			if err := relay(went, f, toAgent, chain.FromClient); err != nil {
				return nil, err
			}
			replied(went, chain)
		case f.Name == agent:
			if err := relay(went, f, toClient, chain.FromAgent); err != nil {
				return nil, err
			}
			draw(went)
			replied(went, chain)
		case isOutput(f.Name):
			// Outputs are what this run makes of the inputs.
		default:
			return nil, checkName(f.Name)
		}
	}
	return went, nil
}

// draw adds the checklist that the last section shows, if it has a plan for the client.
func draw(went *txtar.Archive) {
	last := went.Files[len(went.Files)-1]
	if drawn := Checklist(last.Data); last.Name == toClient && drawn != "" {
		went.Files = append(went.Files, txtar.File{Name: shows, Data: []byte(drawn)})
	}
}

// replied adds what acpshim sent by itself upon an input.
func replied(went *txtar.Archive, chain Chain) {
	client, agent := chain.Replies()
	for _, f := range []txtar.File{{Name: toClient, Data: client}, {Name: toAgent, Data: agent}} {
		if len(f.Data) > 0 {
			went.Files = append(went.Files, f)
		}
	}
}

// relay sends an input through one direction and adds what comes out.
func relay(went *txtar.Archive, f txtar.File, output string, look wire.Interceptor) error {
	went.Files = append(went.Files, f)
	var out bytes.Buffer
	if err := proxy.Relay(&out, bytes.NewReader(f.Data), look, 1<<20); err != nil {
		return err
	}
	if out.Len() > 0 {
		went.Files = append(went.Files, txtar.File{Name: output, Data: out.Bytes()})
	}
	return nil
}

// Checklist draws the last legacy plan among lines, a step a line: "[ ] step",
// with ~ for in progress and x for completed. It is empty if there is no plan,
// and "(no plan)" for an empty one.
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
