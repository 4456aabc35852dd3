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
func run(f flags, choose func(config.Config) (target, error)) error {
	r := &agentRun{flags: f, signals: make(chan os.Signal, 16)}
	defer r.end()
	for _, step := range []func() error{
		func() error { return r.configure(choose) }, r.openLogs, r.watchSignals, r.assemble, r.attach, r.play,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.report()
}

// An agentRun is a run of an agent on this process's standard streams. Each step sets the fields
// below the comment with its name.
type agentRun struct {
	flags   flags
	signals chan os.Signal
	ends    []func() // called at the end, the last one first

	// configure
	config config.Config
	agent  target

	// openLogs
	logFile  *os.File             // of the configuration; may be nil
	log      zerolog.Logger       // for people
	recorded *recording.Recording // nil if nothing is recorded

	// assemble
	aside   *lossy.Writer // junk that is moved to standard error
	chain   *relay.Relay
	options proxy.Options

	// attach
	stderr    *agentStderr  // also while nothing is attached
	connected *remote.Agent // nil if the agent is a program

	// play
	ending proxy.Ending
}

func (r *agentRun) atEnd(f func()) { r.ends = append(r.ends, f) }

func (r *agentRun) end() {
	for _, f := range slices.Backward(r.ends) {
		f()
	}
}

// configure reads the configuration and chooses the agent.
func (r *agentRun) configure(choose func(config.Config) (target, error)) (err error) {
	if r.flags.readsStdin() {
		return &exit{exitUsage, fmt.Errorf("--config %s: standard input is the client's", r.flags.config), "name a file"}
	}
	if r.config, err = r.flags.load(); err != nil {
		return badConfig(err, ", the agent was not started")
	}
	r.agent, err = choose(r.config)
	return err
}

// openLogs begins the record and the log. A run on a terminal, where a person tries a command, is
// not recorded.
func (r *agentRun) openLogs() (err error) {
	if r.logFile, err = openLog(r.config); err != nil {
		return err
	}
	onTerminal := terminal.IsTerminal(os.Stdin) && terminal.IsTerminal(os.Stdout)
	var unrecorded error
	if !onTerminal {
		r.recorded, unrecorded = recording.Begin(r.config, version.Read().Short(), r.agent.Command, r.agent.Cwd, r.signals)
		if unrecorded != nil && r.config.Record.Required {
			return &exit{exitFailure, fmt.Errorf("%w, and it is required: the agent was not started", unrecorded), ""}
		}
	}
	var closeLog func()
	r.log, closeLog = logging.New(r.config, r.logFile, os.Stderr, r.recorded.Events())
	r.atEnd(closeLog)
	if r.agent.connect == nil && slices.Contains(r.agent.Command[1:], "--record") {
		r.log.Warn().Msg("--record after the command goes to the agent; acpshim's flags come before the command")
	}
	if onTerminal {
		if r.config.Record.Enabled {
			note("nothing is recorded, because standard input and output are a terminal")
		}
		if r.agent.connect == nil {
			stepAside(r.agent.Agent, r.log)
		}
	}
	if unrecorded != nil {
		r.log.Error().Err(unrecorded).Msg("nothing is recorded")
	}
	for _, w := range r.config.Warnings() {
		if !w.Unnamed || r.flags.peers.agent == "" {
			r.log.Warn().Str("at", w.At()).Msg("the configuration: " + w.Message)
		}
	}
	return nil
}

// watchSignals takes the signals of this process from now on. A client that went away causes an
// error of a write, so SIGPIPE must not end this process. signal.Ignore would do the same, but the
// agent would inherit it.
func (r *agentRun) watchSignals() error {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signal.Notify(r.signals, proxy.Signals()...)
	return nil
}

// assemble makes the chain of adapters, with what it needs of this machine.
func (r *agentRun) assemble() error {
	limitMemory(r.config)
	r.aside = lossy.NewWriter(os.Stderr)
	o := relayOptions(r.flags.peers, r.log)
	o.Events.Plans.FileRead = r.recorded.FileRead
	o.Aside = func(line []byte) { r.aside.Write(line) }
	images := &imagefile.Folder{}
	r.atEnd(func() { images.Remove() })
	o.WriteImage = writeImages(images, r.log)
	commands := runner.ForRun(r.config, r.log)
	r.atEnd(commands.Close)
	o.StartCommand = commands.Start
	disk := &folder.Disk{}
	r.atEnd(func() { disk.Close(time.Second) })
	o.Disk = disk
	o.CanRestart, o.AsksOnce = true, r.agent.connect != nil // many servers accept one initialize a connection
	o.Command, o.LastLine = r.agent.name(), func() string { return lastLine(r.stderr.end(r.config, false)) }
	r.chain = relay.New(r.config, o)
	ctx, cancel := context.WithCancel(context.Background())
	r.atEnd(cancel)
	go r.chain.Run(ctx)
	r.options = r.chain.Options()
	return nil
}

// attach connects the streams of the agent and of this process to the chain and to the record.
func (r *agentRun) attach() (err error) {
	o := &r.options
	o.Log, o.Signals = r.log, r.signals
	o.Command, o.Env, o.Dir = r.agent.Command, environ(r.agent.Agent), r.agent.Cwd
	if r.agent.connect != nil {
		o.Connect = func() (proxy.Peer, error) {
			r.connected = r.agent.connect(r.log)
			return r.connected, nil
		}
	}
	o.Stdin, o.Stdout = os.Stdin, os.Stdout
	r.recorded.Attach(o, r.log)
	if r.stderr, err = teeStderr(o, r.recorded, r.log); err != nil {
		r.recorded.NotStarted(exitFailure, err.Error(), err)
		return &exit{exitFailure, err, ""}
	}
	o.Ended = func(s *proxy.Status) {
		if r.connected != nil {
			r.chain.End(endOfServer(r.connected.End()))
		} else {
			r.chain.End(endOfAgent(r.config, s, r.stderr))
		}
	}
	return nil
}

// play starts the agent and relays until its end. If there are too few files to record it, it is
// not recorded.
func (r *agentRun) play() (err error) {
	starting := r.log.Debug().Strs("agent", r.agent.Command).Str("version", version.Read().Short())
	for key, name := range map[string]string{"name": r.flags.peers.agent, "client": r.flags.peers.client} {
		if name != "" {
			starting.Str(key, name)
		}
	}
	starting.Msg("starting")
	r.ending, err = proxy.Run(r.options)
	for err != nil && (r.stderr.giveWay(&r.options, r.recorded, err) || r.recorded.GiveWay(&r.options, err)) {
		r.ending, err = proxy.Run(r.options)
	}
	if err != nil {
		why := cannotStart(r.agent.Command, err)
		r.stderr.drain(0)
		r.recorded.NotStarted(why.status, why.Error(), err)
		return why
	}
	r.stderr.drain(r.config.Shutdown.Drain)
	return nil
}

// report closes the record and tells how the run ended.
func (r *agentRun) report() (result error) {
	defer func() {
		connection := ""
		if r.connected != nil {
			connection = r.connected.End().Text
		}
		if r.recorded.Close(r.ending, connection) {
			result = &exit{exitFailure, errors.New("the record is required, but not complete"), ""}
		}
	}()
	status := r.ending.Status
	r.log.Debug().Int("status", status.ExitCode()).Msg("the agent has ended")
	if n := r.chain.Junk(); n > 1 {
		r.log.Warn().Int("lines", n).Msg("the agent wrote lines to standard output that are not messages")
	}
	if n := r.aside.Close(time.Second); n > 0 {
		r.log.Warn().Int("lines", n).Msg("dropped lines of junk, because nobody reads standard error")
	}
	if r.flags.countRules {
		printHits(stderr(), r.chain.Hits())
	}
	logging.Hits(r.log, r.chain.Hits())
	if r.connected != nil {
		return endOfConnection(r.connected.End(), r.log)
	}
	if status.Signal != 0 {
		r.log.Warn().Stringer("signal", status.Signal).Msg("the agent was killed by a signal")
	}
	if r.chain.EndedEarly() {
		early := endedEarly(r.agent.Command, status, r.stderr.lastLines())
		logging.Beside(r.config, r.logFile, r.recorded.Events(), early)
		return early
	}
	if code := status.ExitCode(); code != 0 {
		return &exit{status: code}
	}
	return nil
}
