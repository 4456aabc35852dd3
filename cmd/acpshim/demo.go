package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/check/clients"
	"acpshim/internal/run/demo"
	"acpshim/internal/run/recording"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var isCapable bool
	c := &cobra.Command{
		Use:     "demo [--plan-updates]",
		Example: "acpshim demo --plan-updates",
		Long: `Play a conversation between a new agent and an old client, and show what reaches
the client. It needs no agent and no editor, and uses the default configuration.
"acpshim demo agent" is a test agent for clients. The exit status is 1 if the
conversation does not go as expected.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return playDemo(isCapable)
		},
	}
	c.Flags().BoolVar(&isCapable, "plan-updates", false, "play a client that supports plan updates (plan_update)")
	c.AddCommand(
		newDemoAgent(),
		// The two processes of the demo.
		&cobra.Command{Use: "scripted-agent PLANFILE PACE", Hidden: true, Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
			pace, err := time.ParseDuration(args[1])
			if err != nil {
				return err
			}
			return demo.Agent(args[0], pace)
		}},
		&cobra.Command{Use: "client CWD [plan-updates]", Hidden: true, Args: cobra.RangeArgs(1, 2), RunE: func(_ *cobra.Command, args []string) error {
			capabilities := map[string]any{}
			if len(args) > 1 {
				capabilities[acp.CapabilityPlan], capabilities[acp.PlanCapabilities] = map[string]any{}, map[string]any{}
			}
			return demo.Client(capabilities, args[0])
		}})
	return c
}

func newDemoAgent() *cobra.Command {
	var reportName string
	c := &cobra.Command{
		Use:     "agent [--check FILE]",
		Example: "acpshim demo agent --check check.xml",
		Long: `Run a test agent for clients on standard input and output. It sends every kind
of plan, and messages that often break clients. A prompt plays the scenes that
it names, or all of them except wait, which lasts until the client cancels it:
` + strings.Join(demo.Scenes(), ", ") + `.
It ends when the client closes its input.

With --check it also judges the client, and writes a report to FILE: as JSON or
JUnit XML if the name ends with .json or .xml, else as text. A prompt first asks
for a permission, and for what the client announces: reading and writing a file
in the session's folder, running "acpshim version". The report is updated after
each finding, because many clients kill their agent. If check.xml exists, the
agent writes check.2.xml. The exit status says nothing about the client.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if reportName == "" {
				return failed(demo.TestAgent(os.Stdin, os.Stdout, nil))
			}
			redactor, err := recording.NewRedactor(config.Default(), false)
			if err != nil {
				return failed(err)
			}
			redact := func(text string) string { return string(redactor.Redact(nil, []byte(text))) }
			check, err := clients.Open(reportName, redact, func(err error) { note(err.Error()) })
			if err != nil {
				return failed(err)
			}
			note("the report on your client is in " + check.Name())
			return failed(check.Run(os.Stdin, os.Stdout))
		},
	}
	c.Flags().StringVar(&reportName, "check", "", "judge the client, and write a report to `FILE`")
	return c
}

func playDemo(isCapable bool) error {
	self, err := os.Executable()
	if err != nil {
		return &exit{exitFailure, err, ""}
	}
	pace := "0s"
	if terminal.IsTerminal(os.Stdout) {
		pace = "400ms" // for the eye
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the demo ends in order if nobody looks any more
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, proxy.EndSignals()...)
	chain := relay.New(config.Default(), relayOptions(peers{}, zerolog.Nop()))
	options := chain.Options()
	options.Signals = signals
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go chain.Run(ctx)
	err = demo.Run(demo.Options{
		Relay:        options,
		Capable:      isCapable,
		Out:          os.Stdout,
		AgentCommand: func(planFile string) []string { return []string{self, "demo", "scripted-agent", planFile, pace} },
		ClientCommand: func(cwd string) []string {
			command := []string{self, "demo", "client", cwd}
			if isCapable {
				command = append(command, "plan-updates")
			}
			return command
		},
	})
	switch {
	case errors.Is(err, demo.ErrScript):
		return &exit{1, err, ""}
	case err != nil:
		return &exit{exitFailure, err, ""}
	}
	return nil
}
