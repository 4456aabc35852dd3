package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

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
	log, err := newLog(c, os.Stderr)
	if err != nil {
		return &exit{exitConfig, err, "log.file has to be in a folder that is there and can be written"}
	}

	// A client that went away is an error of a write, not the end of us.
	// signal.Ignore would do too, but the agent would inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, proxy.Signals()...)

	options := runOptions(c, log)
	options.Command, options.Signals = command, signals
	options.Stdin, options.Stdout, options.Stderr = os.Stdin, os.Stdout, os.Stderr
	status, err := proxy.Run(options)
	if err != nil {
		return cannotStart(command, err)
	}
	log.Debug().Int("status", status.ExitCode()).Msg("the agent has ended")
	if status.Signal != 0 {
		log.Warn().Stringer("signal", status.Signal).Msg("the agent was killed by a signal")
	}
	if code := status.ExitCode(); code != 0 {
		return &exit{status: code}
	}
	return nil
}

// runOptions are what the configuration says of a run.
func runOptions(c config.Config, log zerolog.Logger) proxy.Options {
	conversation := filters.New(filterOptions(c, log))
	return proxy.Options{
		FromClient: conversation.FromClient(),
		FromAgent:  conversation.FromAgent(),
		InputGrace: c.Shutdown.InputGrace,
		TermGrace:  c.Shutdown.TermGrace,
		Drain:      c.Shutdown.Drain,
		Log:        log,
	}
}

func filterOptions(c config.Config, log zerolog.Logger) filters.Options {
	return filters.Options{
		Advertise: c.Plan.Advertise,
		Policy:    translate.Policy(c.Plan.Policy),
		Prose:     c.Plan.Prose == "message",
		ReadFile:  planfile.Reader{Roots: append([]string{os.TempDir()}, c.Plan.File.Roots...)}.Read,
		Events: filters.Events{
			Negotiated: func(n filters.Negotiation) { logNegotiation(log, n) },
			Unreadable: func(session string, err error) {
				log.Warn().Str("session", session).Err(err).Msg("a plan file was not read, its name is shown instead")
			},
			Dropped: func(session string, err error) {
				log.Warn().Str("session", session).Err(err).Msg("a plan update that no client understands was not forwarded")
			},
		},
	}
}

// logNegotiation says in one line what was agreed and what follows from it.
func logNegotiation(log zerolog.Logger, n filters.Negotiation) {
	var does string
	switch {
	case n.Version != 1:
		does = "nothing is translated: only protocol version 1 is"
	case !n.Old:
		does = "nothing is translated: the client knows plan updates"
	case n.Advertised:
		does = "plan updates become the legacy plan, and were announced to the agent"
	default:
		does = "plan updates become the legacy plan"
	}
	log.Info().
		Str("client", describe(n.Client)).Str("agent", describe(n.Agent)).Int("protocol", n.Version).
		Msg("negotiated; " + does)
}

func describe(i filters.Implementation) string {
	switch {
	case i.Name == "":
		return "unnamed"
	case i.Version == "":
		return i.Name
	}
	return i.Name + " " + i.Version
}

// newLog opens the log: for people on stderr, as JSON lines in a file.
func newLog(c config.Config, stderr *os.File) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(c.Log.Level)
	if c.Log.Level == "off" {
		level, err = zerolog.Disabled, nil
	}
	if err != nil {
		return zerolog.Nop(), err
	}
	// A log that cannot be written is no reason to write to stderr for each line.
	zerolog.ErrorHandler = func(error) {}
	var w io.Writer = zerolog.ConsoleWriter{
		Out:           stderr,
		NoColor:       !isatty.IsTerminal(stderr.Fd()) || os.Getenv("NO_COLOR") != "",
		TimeFormat:    time.TimeOnly,
		FormatMessage: func(m any) string { return fmt.Sprintf("acpshim: %v", m) },
	}
	if c.Log.File != "" {
		w, err = os.OpenFile(c.Log.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return zerolog.Nop(), err
		}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}
