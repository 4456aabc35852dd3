package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/history/replay"
	"acpshim/internal/logging"
	"acpshim/internal/record"
	"acpshim/internal/relay"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// replayChain plays what both peers sent through the chain that a configuration
// makes, and prints what comes out at the client's end, or what is different.
func replayChain(w io.Writer, h *history.History, c config.Config, known names, diff bool) error {
	log, closeLog := logging.New(c, nil, os.Stderr, nil) // a file is for what happens now
	defer closeLog()
	then, now, kept := passages{}, chainOfRecord(c, known, log), true
	for _, m := range lines(h) {
		if m.Message.Line == nil {
			kept = false
			continue
		}
		if m.Message.Sent() {
			then.add(m.Message.Dir, m.Message.Line, m)
		}
		ours := m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() // to a request of acpshim's
		if m.Message.Received() && !ours {
			if err := now.take(m); err != nil {
				return failed(err)
			}
		}
	}
	if !kept {
		note("lines that were too long to be recorded are not played")
	}
	for _, uri := range export.FilePlans(h) {
		note("the text of a plan file is not in the record, it is shown by its name: " + uri)
	}
	if !diff {
		for _, line := range now.went[record.Agent].lines {
			if _, err := w.Write(line); err != nil {
				return failed(err)
			}
		}
		return nil
	}
	differs := false
	for _, dir := range []record.Direction{record.Client, record.Agent} {
		to := map[record.Direction]string{record.Client: "to agent", record.Agent: "to client"}[dir]
		differs = printDiff(w, to, then[dir], now.went[dir]) || differs
	}
	if differs {
		return &exit{status: 1}
	}
	return nil
}

// A passage is what came out at one end, in order.
type passage struct {
	lines [][]byte
	of    []*history.Message // what each is in the record, or came of
}

// passages are by who sent what was made into them.
type passages map[record.Direction]passage

func (p passages) add(dir record.Direction, lines []byte, of *history.Message) {
	end := p[dir]
	for line := range bytes.Lines(lines) {
		end.lines, end.of = append(end.lines, line), append(end.of, of)
	}
	p[dir] = end
}

// A recordedChain is the chain of a configuration, played by hand.
type recordedChain struct {
	options proxy.Options
	went    passages
	replies passages // of rules to the line that is played
}

// chainOfRecord makes a chain that reads no files: those of today are not
// those of the record.
func chainOfRecord(c config.Config, known names, log zerolog.Logger) *recordedChain {
	r := &recordedChain{went: passages{}, replies: passages{}}
	o := relayOptions(known, log)
	o.ReadFile = func(uri string, _ []string) (string, error) {
		return "", fmt.Errorf("the record has no files: %q", uri)
	}
	o.Aside = func([]byte) {} // was moved aside then
	o.Reply = func(_ string, to rule.Side, line []byte) bool {
		by := record.Agent
		if to == rule.Agent {
			by = record.Client
		}
		r.replies.add(by, bytes.Clone(line), nil)
		return true
	}
	r.options = relay.New(c, o).Options()
	return r
}

// take plays a line, and what rules answer to it.
func (r *recordedChain) take(m *history.Message) error {
	look := r.options.FromClient
	if m.Message.Dir == record.Agent {
		look = r.options.FromAgent
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, bytes.NewReader(m.Message.Line), look, r.options.HoldLimit); err != nil {
		return err
	}
	r.went.add(m.Message.Dir, out.Bytes(), m)
	for by, replies := range r.replies {
		for _, line := range replies.lines {
			r.went.add(by, line, m)
		}
	}
	clear(r.replies)
	return nil
}

// renameMessages gives acpshim's own messages in a redacted record the ids that
// they get when it is played through a configuration: these are made of ids of
// sessions and of texts as they were before.
func renameMessages(h *history.History, c config.Config) error {
	at := wire.Pointer{"params", "update", "messageId"}
	without := func(line []byte) string {
		id, ok := at.Find(line)
		if !ok {
			return string(line)
		}
		return string(wire.Splice(nil, line, wire.Edit{Span: id}))
	}
	chain := chainOfRecord(c, names{}, zerolog.Nop())
	ids := map[string][][]byte{} // by the line without its id
	for _, m := range lines(h) {
		if m.Message.Line == nil || !m.Message.Received() {
			continue
		}
		if err := chain.take(m); err != nil {
			return err
		}
	}
	for _, line := range chain.went[record.Agent].lines {
		if id := at.Raw(line); id != nil {
			ids[without(line)] = append(ids[without(line)], id)
		}
	}
	for _, m := range lines(h) {
		if m.Message.Dir != record.Agent || !m.Message.Sent() || at.Raw(m.Message.Line) == nil {
			continue
		}
		same := without(m.Message.Line)
		if len(ids[same]) == 0 {
			continue
		}
		id, _ := at.Find(m.Message.Line)
		m.Message.Line = wire.Splice(nil, m.Message.Line, wire.Edit{Span: id, With: ids[same][0]})
		ids[same] = ids[same][1:]
	}
	return nil
}

// lines are the messages of a record, but one only of each batch.
func lines(h *history.History) (firsts []*history.Message) {
	var seq uint64
	for _, m := range h.Messages {
		if m.Seq != seq {
			firsts = append(firsts, m)
		}
		seq = m.Seq
	}
	return firsts
}

// printDiff prints where two passages differ, and reports whether they do.
func printDiff(w io.Writer, what string, then, now passage) bool {
	differences := replay.Diff(then.lines, now.lines)
	for _, d := range differences {
		at := "at the end"
		if d.At < len(then.of) {
			m := then.of[d.At]
			at = strings.TrimRight(fmt.Sprintf("#%d, %.3fs, %s", m.Seq, m.Mono.Seconds(), terminal.Plain(m.Method+" "+m.Update, 0)), ", ")
		}
		fmt.Fprintf(w, "%s, %s\n", what, at)
		for _, line := range d.Then {
			fmt.Fprintf(w, "- %s\n", terminal.Message(line))
		}
		for _, line := range d.Now {
			fmt.Fprintf(w, "+ %s\n", terminal.Message(line))
		}
	}
	return len(differences) > 0
}
