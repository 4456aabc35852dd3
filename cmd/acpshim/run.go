package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"acpshim/internal/run/folder"
	"acpshim/internal/run/imagefile"
	"acpshim/internal/run/logging"
	"acpshim/internal/run/recording"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/remote"
	"acpshim/internal/run/runner"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/lossy"
	"acpshim/internal/system/version"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// A target is the agent of a run: a command, or a connection that Command describes for people.
type target struct {
	config.Agent
	connect func(zerolog.Logger) *remote.Agent // nil to start the command
}

// name names the agent for people, without its arguments, which may be secret.
func (t target) name() string {
	if t.connect != nil {
		return t.Command[1] // the URL
	}
	return t.Command[0]
}

// run runs the agent that choose returns on this process's standard streams. The error is an exit
// with the agent's status, unless that is 0.
func run(f flags, choose func(config.Config) (target, error)) (result error) {
	const notStarted = ", the agent was not started"
	if f.readsStdin() {
		return &exit{exitUsage, fmt.Errorf("--config %s: standard input is the client's", f.config), "name a file"}
	}
	c, err := f.load()
	if err != nil {
		return badConfig(err, notStarted)
	}
	agent, err := choose(c)
	if err != nil {
		return err
	}
	logFile, err := openLog(c)
	if err != nil {
		return err
	}
	command := agent.Command
	signals := make(chan os.Signal, 16)
	onTerminal := terminal.IsTerminal(os.Stdin) && terminal.IsTerminal(os.Stdout)
	var recorded *recording.Recording
	var unrecorded error
	if !onTerminal {
		recorded, unrecorded = recording.Begin(c, version.Read().Short(), command, agent.Cwd, signals)
		if err := unrecorded; err != nil && c.Record.Required {
			return &exit{exitFailure, fmt.Errorf("%w, and it is required: the agent was not started", err), ""}
		}
	}
	log, closeLog := logging.New(c, logFile, os.Stderr, recorded.Events())
	defer closeLog()
	if agent.connect == nil && slices.Contains(command[1:], "--record") {
		log.Warn().Msg("--record after the command goes to the agent; acpshim's flags come before the command")
	}
	if onTerminal {
		if c.Record.Enabled {
			note("nothing is recorded, because standard input and output are a terminal")
		}
		if agent.connect == nil {
			stepAside(agent.Agent, log)
		}
	}
	if unrecorded != nil {
		log.Error().Err(unrecorded).Msg("nothing is recorded")
	}
	for _, w := range c.Warnings() {
		if !w.Unnamed || f.peers.agent == "" {
			log.Warn().Str("at", w.At()).Msg("the configuration: " + w.Message)
		}
	}

	// A client that went away causes an error of a write. SIGPIPE must not end this process.
	// signal.Ignore would do the same, but the agent would inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signal.Notify(signals, proxy.Signals()...)

	limitMemory(c)
	aside := lossy.NewWriter(os.Stderr) // for junk that is moved to standard error
	o := relayOptions(f.peers, log)
	o.Events.Plans.FileRead = recorded.FileRead
	o.Aside = func(line []byte) { aside.Write(line) }
	images := &imagefile.Folder{}
	defer images.Remove()
	o.WriteImage = writeImages(images, log)
	commands := runner.ForRun(c, log)
	defer commands.Close()
	o.StartCommand = commands.Start
	disk := &folder.Disk{}
	defer disk.Close(time.Second)
	o.Disk = disk
	o.CanRestart, o.AsksOnce = true, agent.connect != nil // many servers accept one initialize a connection
	var errs *agentStderr
	o.Command, o.LastLine = agent.name(), func() string { return lastLine(errs.end(c, false)) }
	chain := relay.New(c, o)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go chain.Run(ctx)
	options := chain.Options()
	options.Log = log
	options.Command, options.Env, options.Dir = command, environ(agent.Agent), agent.Cwd
	var connected *remote.Agent
	if agent.connect != nil {
		options.Connect = func() (proxy.Peer, error) {
			connected = agent.connect(log)
			return connected, nil
		}
	}
	options.Signals = signals
	options.Stdin, options.Stdout = os.Stdin, os.Stdout
	recorded.Attach(&options, log)
	errs, err = teeStderr(&options, recorded, log)
	if err != nil {
		recorded.NotStarted(exitFailure, err.Error(), err)
		return &exit{exitFailure, err, ""}
	}
	options.Ended = func(s *proxy.Status) {
		if connected != nil {
			chain.End(endOfServer(connected.End()))
		} else {
			chain.End(endOfAgent(c, s, errs))
		}
	}
	starting := log.Debug().Strs("agent", command).Str("version", version.Read().Short())
	for key, name := range map[string]string{"name": f.peers.agent, "client": f.peers.client} {
		if name != "" {
			starting.Str(key, name)
		}
	}
	starting.Msg("starting")
	ending, err := proxy.Run(options)
	for err != nil && (errs.giveWay(&options, recorded, err) || recorded.GiveWay(&options, err)) {
		ending, err = proxy.Run(options)
	}
	if err != nil {
		why := cannotStart(command, err)
		errs.drain(0)
		recorded.NotStarted(why.status, why.Error(), err)
		return why
	}
	status := ending.Status
	errs.drain(c.Shutdown.Drain)
	defer func() {
		connection := ""
		if connected != nil {
			connection = connected.End().Text
		}
		if recorded.Close(ending, connection) {
			result = &exit{exitFailure, errors.New("the record is required, but not complete"), ""}
		}
	}()
	log.Debug().Int("status", status.ExitCode()).Msg("the agent has ended")
	if n := chain.Junk(); n > 1 {
		log.Warn().Int("lines", n).Msg("the agent wrote lines to standard output that are not messages")
	}
	if n := aside.Close(time.Second); n > 0 {
		log.Warn().Int("lines", n).Msg("dropped lines of junk, because nobody reads standard error")
	}
	if f.countRules {
		printHits(stderr(), chain.Hits())
	}
	logging.Hits(log, chain.Hits())
	if connected != nil {
		return endOfConnection(connected.End(), log)
	}
	if status.Signal != 0 {
		log.Warn().Stringer("signal", status.Signal).Msg("the agent was killed by a signal")
	}
	if chain.EndedEarly() {
		early := endedEarly(command, status, errs.lastLines())
		logging.Beside(c, logFile, recorded.Events(), early)
		return early
	}
	if code := status.ExitCode(); code != 0 {
		return &exit{status: code}
	}
	return nil
}
