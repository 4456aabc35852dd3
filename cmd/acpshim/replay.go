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

	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/history/replay"
	"acpshim/internal/history/view"
	"acpshim/internal/logging"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
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
		Use: "replay [flags] [RECORD] [-- COMMAND [ARG...]]",
		Long: `Play a record again: what client and agent sent goes through today's
configuration, and what the client would get now is printed, or with --diff only
what differs; the exit status is 1 if anything does. --as-agent is the agent, for
an editor to connect to, and answers a request as the next one with its method was.
--as-client is the editor, and asks the agent COMMAND what it was asked then.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: f.completeRecord,
		RunE: func(c *cobra.Command, args []string) error {
			var command []string
			if n := c.ArgsLenAtDash(); n >= 0 {
				args, command = args[:n], args[n:]
			}
			switch {
			case len(args) > 1:
				return wrongArguments(c, "want one RECORD, not %s", quoted(args))
			case asAgent && asClient:
				return wrongArguments(c, "want --as-agent or --as-client, not both")
			case asClient != (len(command) > 0):
				return &exit{exitUsage, errors.New("log replay: --as-client goes with -- COMMAND"), `"acpshim log replay --as-client -- codex-acp" plays the newest record to codex-acp`}
			case asAgent && diff:
				return wrongArguments(c, "--diff has nothing to compare with --as-agent")
			case timing != "none" && timing != "original":
				return wrongUsage(c, fmt.Errorf("--timing: want none or original, not %q", timing))
			}
			h, goesOn, err := f.read(strings.Join(args, ""))
			if err != nil {
				return err
			}
			note(view.Incomplete(h.Missing, goesOn))
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
			return replayChain(asItIs(), h, effective, f.names, diff)
		},
	}
	c.Flags().BoolVar(&diff, "diff", false, "print only what differs from the record")
	c.Flags().BoolVar(&asAgent, "as-agent", false, "be the agent of the record")
	c.Flags().BoolVar(&asClient, "as-client", false, "be the editor of the record")
	c.Flags().StringVar(&timing, "timing", "none", "`TIMES` between messages: none, or original")
	c.Flags().DurationVar(&wait, "wait", 5*time.Minute, "the longest `TIME` to wait for a response")
	f.names.add(c)
	f.addLayers(c)
	completeWords(c, "timing", "none", "original")
	return c
}

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
	for _, uri := range export.UnknownFiles(h) {
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

// replayClient plays the editor of a record to a command.
func replayClient(w io.Writer, h *history.History, o replay.Options, command []string, diff bool) error {
	var then, now replay.Passage
	for _, m := range h.Messages {
		if m.Message.Dir == record.Agent && m.Message.Received() && m.JSON != nil {
			then.Lines, then.Of = append(then.Lines, m.JSON), append(then.Of, m)
		}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, proxy.Signals()...)
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	status, failure := make(chan proxy.Status, 1), make(chan error, 1)
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
