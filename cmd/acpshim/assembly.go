package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	"acpshim/filters/rule"
	"acpshim/internal/log/explain"
	"acpshim/internal/run/imagefile"
	"acpshim/internal/run/logging"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
)

func relayOptions(known peers, log zerolog.Logger) relay.Options {
	return relay.Options{Client: explain.Named(known.client), Agent: explain.Named(known.agent), Events: logging.Events(log)}
}

// writeImages returns a function that writes images of prompts into a folder and logs failures.
func writeImages(to *imagefile.Folder, log zerolog.Logger) func(string, []byte) (string, error) {
	return func(extension string, image []byte) (string, error) {
		path, err := to.Write(extension, image)
		if err != nil {
			log.Warn().Err(err).Msg("an image stays in a prompt, although the agent does not accept images")
		}
		return path, err
	}
}

// openLog opens the file for the log. It returns nil if the log goes to standard error. The error
// is an exit.
func openLog(c config.Config) (*os.File, error) {
	if c.Log.File == "" {
		return nil, nil
	}
	f, err := os.OpenFile(c.Log.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600) // a FIFO must not block
	if err != nil {
		return nil, &exit{exitConfig, fmt.Errorf("the log cannot be written, so the agent was not started: %w", err),
			"set log.file or --log-file to a file in an existing folder"}
	}
	return f, nil
}

// printHits writes how often each rule matched.
func printHits(w io.Writer, hits []rule.Hit) {
	for _, hit := range hits {
		times := fmt.Sprintf("matched %d times", hit.Count)
		switch {
		case hit.Count == 0 && hit.Off:
			times = "is off"
		case hit.Count == 1:
			times = "matched once"
		}
		fmt.Fprintf(w, "acpshim: rule %q %s\n", hit.Rule, times)
	}
}

// limitMemory lets the collector keep the heap small. By default it lets the heap grow to twice the
// memory in use. A line that is inspected exists up to five times, in both directions together.
func limitMemory(c config.Config) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(c.Limits.StateBytes + 4*c.Limits.InspectBytes + 8<<20))
	}
}
