package main

import (
	"fmt"
	"os"
	"time"

	"acpshim"
	"acpshim/config"
	"acpshim/internal/demo"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:  "demo [--client old|plan]",
		Long: "Play a conversation between an agent of today and an old client, and show what\nreaches the client. Nothing has to be installed; the default configuration is\nused. The exit status is 0 if the conversation went as scripted.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if client != "old" && client != "plan" {
				return &exit{exitUsage, fmt.Errorf("--client: want old or plan, not %q", client), ""}
			}
			return playDemo(client == "plan")
		},
	}
	c.Flags().StringVar(&client, "client", "old", "`WHICH` client: old, or plan for one that knows plan updates")
	c.Flags().BoolP("help", "h", false, "print this")
	c.AddCommand(
		// The two processes of the demo.
		&cobra.Command{Use: "agent PLANFILE PACE", Hidden: true, Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
			pace, err := time.ParseDuration(args[1])
			if err != nil {
				return err
			}
			return demo.Agent(args[0], pace)
		}},
		&cobra.Command{Use: "client KIND CWD", Hidden: true, Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
			capabilities := map[string]any{}
			if args[0] == "plan" {
				capabilities["plan"] = map[string]any{}
			}
			return demo.Client(capabilities, args[1])
		}})
	return c
}

func playDemo(capable bool) error {
	self, err := os.Executable()
	if err != nil {
		return &exit{exitFailure, err, ""}
	}
	kind, pace := "old", "0s"
	if capable {
		kind = "plan"
	}
	if isatty.IsTerminal(os.Stdout.Fd()) {
		pace = "400ms" // for the eye
	}
	relay, _ := runOptions(config.Default(acpshim.DefaultConfig), zerolog.Nop())
	err = demo.Run(demo.Options{
		Relay:         relay,
		Capable:       capable,
		Out:           os.Stdout,
		AgentCommand:  func(planFile string) []string { return []string{self, "demo", "agent", planFile, pace} },
		ClientCommand: func(cwd string) []string { return []string{self, "demo", "client", kind, cwd} },
	})
	if err != nil {
		return &exit{1, fmt.Errorf("the demo did not go as scripted: %w", err), ""}
	}
	return nil
}
