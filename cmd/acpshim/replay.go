package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"acpshim/internal/log/explain"
	"acpshim/internal/log/export"
	"acpshim/internal/log/replay"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/logging"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func newReplay() *cobra.Command {
	var f finder
	var asAgent, asClient, diff bool
	var timing string
	var wait time.Duration
	c := &cobra.Command{
		Use:     "replay [flags] [-- COMMAND [ARG...]]",
		Example: "acpshim log replay --diff",
		Long: `Play a run again with today's configuration, and print what the client would
get now. --diff prints only the differences; then the exit status is 1 if there
are any. --as-agent plays the agent for an editor: for each method, requests get
the recorded responses in order. --as-client plays the editor for the agent
COMMAND. --diff --client NAME shows what another client would get.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var command []string
			if n := c.ArgsLenAtDash(); n >= 0 {
				args, command = args[:n], args[n:]
			}
			const asClientTo = `run "acpshim log replay --as-client -- %s"`
			if asClient && command == nil && len(args) > 0 {
				return &exit{exitUsage, fmt.Errorf("log replay: want -- before the command %q", args[0]), fmt.Sprintf(asClientTo, strings.Join(args, " "))}
			}
			if err := noRecord(c, args); err != nil {
				return err
			}
			switch {
			case asAgent && asClient:
				return wrongArguments(c, "want --as-agent or --as-client, not both")
			case asClient != (len(command) > 0):
				return &exit{exitUsage, errors.New("log replay: want --as-client and -- COMMAND together"), fmt.Sprintf(asClientTo, "codex-acp")}
			case asAgent && diff:
				return wrongArguments(c, "want --diff or --as-agent, not both")
			}
			h, goesOn, err := f.read()
			if err != nil {
				return err
			}
			note(history.WarnMissing(h.Missing, goesOn))
			client, agent := explain.Named(f.peers.client), explain.Named(f.peers.agent)
			replay.Rename(h, replay.Name(client), replay.Name(agent))
			o := replay.Options{Original: timing == "original", Wait: wait, Note: note}
			switch {
			case asAgent:
				return failed(replay.ServeAgent(os.Stdin, os.Stdout, h.Messages, o))
			case asClient:
				return replayClient(asItIs(), h, o, command, diff)
			}
			effective, err := f.load()
			if err != nil {
				return badConfig(err, "")
			}
			return replayChain(asItIs(), h, effective, f.peers, diff)
		},
	}
	c.Flags().BoolVar(&diff, "diff", false, "print only the differences")
	c.Flags().BoolVar(&asAgent, "as-agent", false, "play the agent on standard input and output")
	c.Flags().BoolVar(&asClient, "as-client", false, "play the editor for COMMAND")
	addChoice(c, &timing, "timing", "pause for `TIMES`: none or original (default none)", "none", "original")
	c.Flags().DurationVar(&wait, "wait", 5*time.Minute, "wait at most `TIME` for a response")
	f.peers.addFor(c, "instead of the recorded client", "instead of the recorded agent")
	f.addRun(c)
	return c
}

// replayChain plays the messages of both peers through the adapters of a configuration, and prints
// what the client receives, or with diff what differs from the record.
func replayChain(w io.Writer, h *history.History, c config.Config, known peers, diff bool) error {
	log, closeLog := logging.New(c, nil, os.Stderr, nil) // log.file is for real runs
	defer closeLog()
	then, now, complete, err := replay.Play(h, c, relayOptions(known, log))
	if err != nil {
		return failed(err)
	}
	if !complete {
		note("lines that were too long to be recorded are not played")
	}
	for _, uri := range export.UnknownFiles(h) {
		note("the record does not have the text of a plan file, so its name is shown: " + uri)
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

// replayClient plays the editor of a record for an agent.
func replayClient(w io.Writer, h *history.History, o replay.Options, command []string, diff bool) error {
	var then, now replay.Output
	for _, m := range h.Messages {
		if m.Message.Dir == record.Agent && m.Message.Received() && m.JSON != nil {
			then.Lines, then.Messages = append(then.Lines, m.JSON), append(then.Messages, m)
		}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, proxy.Signals()...)
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	status, failure := make(chan proxy.Ending, 1), make(chan error, 1)
	go func() {
		got, err := proxy.Run(proxy.Options{
			Command: command, Stdin: agentIn, Stdout: agentOut, Stderr: os.Stderr, Signals: signals,
			InputGrace: 5 * time.Second, TermGrace: 5 * time.Second, Drain: time.Second, Log: zerolog.Nop(),
		})
		agentIn.CloseWithError(io.ErrClosedPipe)
		agentOut.Close()
		status <- got
		failure <- err
	}()
	var broken error
	done, err := replay.PlayClient(toAgent, fromAgent, h.Messages, o, func(line []byte, was [][]byte) {
		now.Lines = append(now.Lines, was...)
		if !diff {
			_, err := w.Write(line)
			broken = cmp.Or(broken, err)
		}
	})
	toAgent.Close()
	<-done
	got := <-status
	if started := <-failure; started != nil {
		return cannotStart(command, started)
	}
	if diff && then.WriteDiff(w, "from agent", now) && err == nil {
		return &exit{status: 1}
	}
	if code := got.ExitCode(); code != 0 && err == nil {
		err = fmt.Errorf("the agent ended with status %d", code)
	}
	return failed(errors.Join(err, broken))
}
