package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"acpshim/config"
	"acpshim/filters"
	"acpshim/liveplan"
	"acpshim/planfile"
	"acpshim/proxy"
	"acpshim/translate"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
)

// wrap runs an agent on this process's standard streams: args, or the one that
// the flags name with args behind it. The error is an exit with the agent's
// status, unless that is 0.
func wrap(f flags, args []string) error {
	const notStarted = ", the agent was not started"
	c, err := f.load()
	if err != nil {
		return badConfig(err, notStarted)
	}
	agent, err := f.chosen(c, args)
	if err != nil {
		return err
	}
	command := agent.Command
	log, closeLog, err := newLog(c, os.Stderr)
	if err != nil {
		return &exit{exitConfig, fmt.Errorf("the log cannot be written, the agent was not started: %w", err),
			"log.file and --log-file name a file in a folder that is there"}
	}
	defer closeLog()
	if isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stdout.Fd()) {
		stepAside(agent, log)
	}
	for _, w := range c.Warnings() {
		log.Warn().Str("at", fmt.Sprintf("%s:%d", w.File, w.Line)).Msg("the configuration: " + w.Message)
	}

	// A client that went away is an error of a write, not the end of us.
	// signal.Ignore would do too, but the agent would inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, proxy.Signals()...)

	options, junk, keepPlans := runOptions(c, log)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go keepPlans(ctx)
	options.Command, options.Env, options.Dir = command, environ(agent), agent.Cwd
	options.Signals = signals
	options.Stdin, options.Stdout, options.Stderr = os.Stdin, os.Stdout, os.Stderr
	starting := log.Debug().Strs("agent", command).Str("version", version())
	if f.agentName != "" {
		starting = starting.Str("name", f.agentName)
	}
	starting.Msg("starting")
	status, err := proxy.Run(options)
	if err != nil {
		return cannotStart(command, err)
	}
	log.Debug().Int("status", status.ExitCode()).Msg("the agent has ended")
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

// runOptions are what the configuration says of a run. KeepPlans is for a
// goroutine of its own, for as long as the run goes on.
func runOptions(c config.Config, log zerolog.Logger) (options proxy.Options, found *filters.Junk, keepPlans func(context.Context)) {
	panicked := func(reason any, stack []byte) {
		log.Error().Interface("reason", reason).Bytes("stack", stack).
			Msg("a mistake in acpshim, please report it: from now on nothing is translated, messages go on")
	}
	injector := proxy.NewInjector(panicked)
	live := liveplan.New(liveOptions(c, log, injector.Inject))
	conversation := filters.New(filterOptions(c, log, live))
	junk := &filters.Junk{
		Next:   conversation.FromAgent(),
		Policy: filters.JunkPolicy(c.Junk),
		Found:  func(line []byte, n int) { logJunk(log, c, line, n) },
		Aside:  func(line []byte) { os.Stderr.Write(line) },
	}
	return proxy.Options{
		FromClient: proxy.Guard(conversation.FromClient(), panicked),
		FromAgent:  proxy.Guard(junk, panicked),
		Injector:   injector,
		Busy:       conversation.Busy,
		HoldLimit:  c.Limits.InspectBytes,
		InputGrace: c.Shutdown.InputGrace,
		TermGrace:  c.Shutdown.TermGrace,
		Drain:      c.Shutdown.Drain,
		Log:        log,
	}, junk, func(ctx context.Context) { live.Run(ctx, conversation) }
}

func liveOptions(c config.Config, log zerolog.Logger, inject func(func([]byte) []byte) bool) liveplan.Options {
	return liveplan.Options{
		Reader:    planfile.Reader{Roots: append(temporaryFolders(), c.Plan.File.Roots...)},
		AskClient: c.Plan.File.Read == "client",
		Inject:    inject,
		Deaf: func(err error) {
			log.Info().Err(err).Msg("changes of plan files cannot be heard of: they are looked at twice a second")
		},
		GaveUp: func() {
			log.Warn().Msg("the client offers to read files and does not answer: plan files are read from the disk from now on")
		},
	}
}

func filterOptions(c config.Config, log zerolog.Logger, live *liveplan.Live) filters.Options {
	events := logEvents(log)
	logged := events.Negotiated
	events.Negotiated = func(n filters.Negotiation) {
		live.Negotiated(n)
		logged(n)
	}
	return filters.Options{
		Settings:     settings(c),
		ReadFile:     live.ReadFile,
		FilesChanged: live.FilesChanged,
		Requests:     live.Requests(),
		Events:       events,
	}
}

func settings(c config.Config) filters.Settings {
	return filters.Settings{
		Advertise: c.Plan.Advertise,
		Bridge:    c.Plan.Bridge,
		Policy:    translate.Policy(c.Plan.Policy),
		ShowAs:    filters.ShowAs(c.Plan.ShowAs),
		Gates:     closedGates(c),
		Tools:     c.TodoTools(),
		Prose:     c.Plan.Prose == "message",
	}
}

// closedGates are the names of the features that are kept from clients that do
// not announce them.
func closedGates(c config.Config) []string {
	var closed []string
	for name, policy := range map[string]string{"notices": c.Gate.Notices, "compaction": c.Gate.Compaction, "subagents": c.Gate.Subagents, "boolean_options": c.Gate.BooleanOptions} {
		if policy == "drop" {
			closed = append(closed, name)
		}
	}
	return closed
}

// temporaryFolders are where agents put plans that belong to no project. TMPDIR
// may be another's than the agent's.
func temporaryFolders() []string {
	if runtime.GOOS == "windows" {
		return []string{os.TempDir()}
	}
	return []string{os.TempDir(), "/tmp"}
}
