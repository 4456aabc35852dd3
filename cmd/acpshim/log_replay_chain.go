package main

import (
	"io"
	"os"

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
	if replay.WriteDiff(w, then, now) {
		return &exit{status: 1}
	}
	note("no difference in " + terminal.Count(len(then[record.Client].Lines)+len(then[record.Agent].Lines), "message", "messages"))
	return nil
}
