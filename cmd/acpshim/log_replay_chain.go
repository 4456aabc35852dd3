package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/history/replay"
	"acpshim/internal/logging"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// replayChain plays what both peers sent through the chain that a configuration
// makes, and prints what comes out at the client's end, or what is different.
func replayChain(w io.Writer, h *history.History, c config.Config, known names, diff bool) error {
	log, closeLog := logging.New(c, nil, os.Stderr, nil) // a file is for what happens now
	defer closeLog()
	then, now, complete, err := replay.Play(h, c, relayOptions(known, log))
	if err != nil {
		return failed(err)
	}
	if !complete {
		note("lines that were too long to be recorded are not played")
	}
	for _, uri := range export.FilePlans(h) {
		note("the text of a plan file is not in the record, it is shown by its name: " + uri)
	}
	if !diff {
		for _, line := range now[record.Agent].Lines {
			if _, err := w.Write(line); err != nil {
				return failed(err)
			}
		}
		return nil
	}
	differs := false
	for _, dir := range []record.Direction{record.Client, record.Agent} {
		to := map[record.Direction]string{record.Client: "to agent", record.Agent: "to client"}[dir]
		differs = printDiff(w, to, then[dir], now[dir]) || differs
	}
	if differs {
		return &exit{status: 1}
	}
	note("no difference in " + terminal.Count(len(then[record.Client].Lines)+len(then[record.Agent].Lines), "message", "messages"))
	return nil
}

// printDiff prints where two passages differ, and reports whether they do.
func printDiff(w io.Writer, what string, then, now replay.Passage) bool {
	differences := replay.Diff(then.Lines, now.Lines)
	for _, d := range differences {
		at := "at the end"
		if d.At < len(then.Of) {
			m := then.Of[d.At]
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
