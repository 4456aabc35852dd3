package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"acpshim/config"
	"acpshim/filters"
	"acpshim/planfile"
	"acpshim/proxy"
	"acpshim/translate"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
)

// wrap runs an agent on this process's standard streams. The error is an exit
// with the agent's status, unless that is 0.
func wrap(f flags, command []string) error {
	c, err := f.load()
	if err != nil {
		var e *exit
		if errors.As(err, &e) {
			return err
		}
		return badConfig(err)
	}
	log, closeLog, err := newLog(c, os.Stderr)
	if err != nil {
		return &exit{exitConfig, err, "log.file has to be in a folder that is there and can be written"}
	}
	defer closeLog()
	if isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stdout.Fd()) {
		stepAside(command, log)
	}

	// A client that went away is an error of a write, not the end of us.
	// signal.Ignore would do too, but the agent would inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, proxy.Signals()...)

	options, junk := runOptions(c, log)
	options.Command, options.Signals = command, signals
	options.Stdin, options.Stdout, options.Stderr = os.Stdin, os.Stdout, os.Stderr
	status, err := proxy.Run(options)
	if err != nil {
		return cannotStart(command, err)
	}
	if n := junk.Number(); n > 1 {
		log.Warn().Int("lines", n).Msg("the agent wrote lines to its standard output that were no messages")
	}
	if status.Signal != 0 {
		log.Warn().Stringer("signal", status.Signal).Msg("the agent was killed by a signal")
	}
	if code := status.ExitCode(); code != 0 {
		return &exit{status: code}
	}
	return nil
}

// runOptions are what the configuration says of a run.
func runOptions(c config.Config, log zerolog.Logger) (proxy.Options, *filters.Junk) {
	conversation := filters.New(filterOptions(c, log))
	junk := &filters.Junk{
		Next:   conversation.FromAgent(),
		Policy: filters.JunkPolicy(c.Junk),
		Found:  func(line []byte, n int) { logJunk(log, c, line, n) },
		Aside:  func(line []byte) { os.Stderr.Write(line) },
	}
	return proxy.Options{
		FromClient: conversation.FromClient(),
		FromAgent:  junk,
		HoldLimit:  c.Limits.InspectBytes,
		InputGrace: c.Shutdown.InputGrace,
		TermGrace:  c.Shutdown.TermGrace,
		Drain:      c.Shutdown.Drain,
		Log:        log,
	}, junk
}

func filterOptions(c config.Config, log zerolog.Logger) filters.Options {
	return filters.Options{
		Advertise: c.Plan.Advertise,
		Policy:    translate.Policy(c.Plan.Policy),
		Prose:     c.Plan.Prose == "message",
		ReadFile:  planfile.Reader{Roots: append([]string{os.TempDir()}, c.Plan.File.Roots...)}.Read,
		Events:    logEvents(log),
	}
}
