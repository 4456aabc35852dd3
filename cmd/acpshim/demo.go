package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"acpshim"
	"acpshim/internal/config"
	"acpshim/internal/demo"
	"acpshim/internal/relay"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:  "demo [--client old|plan]",
		Long: "Play a conversation between a new agent and an old client, and show what reaches\nthe client. Nothing has to be installed; the default configuration is used. The\nexit status is 0 if the conversation went as scripted, and 1 if it did not.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if client != "old" && client != "plan" {
				return &exit{exitUsage, fmt.Errorf("--client: want old or plan, not %q", client), ""}
			}
			return playDemo(client)
		},
		Annotations: map[string]string{"hint": "the demo takes --client only, behind its name"},
	}
	c.Flags().StringVar(&client, "client", "old", "`KIND` of client: old, or plan if it knows plan updates")
	completeWords(c, "client", "old", "plan")
	c.AddCommand(
		&cobra.Command{
			Use:  "agent",
			Long: "Run a test agent for clients on standard input and output. It sends every kind of\nplan, and messages that often break clients. In each turn it plays the scenes that\nthe prompt names, or all of them:\n" + strings.Join(demo.Scenes(), ", ") + ".\nIt ends when the client closes its input.",
			Args: noArguments,
			RunE: func(*cobra.Command, []string) error { return demo.TestAgent(os.Stdin, os.Stdout) },
		},
		// The two processes of the demo.
		&cobra.Command{Use: "scripted-agent PLANFILE PACE", Hidden: true, Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
			pace, err := time.ParseDuration(args[1])
			if err != nil {
				return err
			}
			return demo.Agent(args[0], pace)
		}},
		&cobra.Command{Use: "client KIND CWD", Hidden: true, Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
			capabilities := map[string]any{}
			if args[0] == "plan" {
				capabilities["plan"], capabilities["planCapabilities"] = map[string]any{}, map[string]any{}
			}
			return demo.Client(capabilities, args[1])
		}})
	return c
}

func playDemo(client string) error {
	self, err := os.Executable()
	if err != nil {
		return &exit{exitFailure, err, ""}
	}
	pace := "0s"
	if isatty.IsTerminal(os.Stdout.Fd()) {
		pace = "400ms" // for the eye
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the demo ends in order if nobody looks any more
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	chain := relay.New(config.Default(acpshim.DefaultConfig), relayOptions(names{}, zerolog.Nop()))
	options := chain.Options()
	options.Signals = signals
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go chain.Run(ctx)
	err = demo.Run(demo.Options{
		Relay:         options,
		Capable:       client == "plan",
		Out:           os.Stdout,
		AgentCommand:  func(planFile string) []string { return []string{self, "demo", "scripted-agent", planFile, pace} },
		ClientCommand: func(cwd string) []string { return []string{self, "demo", "client", client, cwd} },
	})
	switch {
	case errors.Is(err, demo.ErrScript):
		return &exit{1, err, ""}
	case err != nil:
		return &exit{exitFailure, err, ""}
	}
	return nil
}
