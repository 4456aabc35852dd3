package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
	"time"

	"acpshim/filters/rule/explain"
	"acpshim/internal/doctor"
	"acpshim/internal/layers"
	"acpshim/internal/terminal"
	"acpshim/internal/version"

	"github.com/spf13/cobra"
)

func newDoctor() *cobra.Command {
	var f flags
	var client string
	var asJSON bool
	var o doctor.Options
	c := &cobra.Command{
		Use: "doctor [flags] [-- COMMAND [ARG...]]",
		Long: `Start an agent, ask what can be asked without a prompt, end it, and say what works,
what does not, and what to do. No session is opened without --session. Without COMMAND
and --agent only what is around is examined. The exit status is 1 if there is a problem.`,
		RunE: func(_ *cobra.Command, args []string) error { return examine(f, client, args, o, asJSON) },
	}
	c.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	c.Flags().StringVar(&client, "client", "", "for the editor that calls itself `NAME`; its version may follow, as in \"zed 1.5\"")
	addOnce(c.Flags(), &f.agent, "agent", "the name of an agent", "examine the agent that [agents.`NAME`] in the configuration is")
	c.Flags().DurationVar(&o.Timeout, "timeout", 30*time.Second, "wait for its first answer for `TIME`; npx may download it")
	c.Flags().BoolVar(&o.Session, "session", false, "open a session in a temporary folder, too")
	c.Flags().StringVar(&o.EditorPath, "editor-path", "", "the `PATH` that the editor has, if you know it")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, for bug reports; known forms of secrets are taken out")
	f.addLayers(c)
	completeNothing(c, "client", "timeout", "editor-path")
	completeWith(c, "agent", func(string) ([]string, cobra.ShellCompDirective) { return agentNames(f), noFiles })
	return c
}

// examine writes what the doctor finds. The error is an exit with 1 if there is a problem.
func examine(f flags, client string, args []string, o doctor.Options, asJSON bool) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second one ends this process
	o.Config, o.ConfigErr = f.load()
	if e := (*exit)(nil); errors.As(o.ConfigErr, &e) || o.ConfigErr != nil && f.agent != "" {
		return badConfig(o.ConfigErr, ", nothing was examined")
	}
	agent, err := f.chosen(o.Config, args)
	if err != nil {
		return err
	}
	o.Command, o.Env, o.Dir, o.Client = agent.Command, environ(agent), agent.Cwd, explain.Named(client)
	o.Version, o.Files = version.Read().Short(), layers.Layers{File: f.config}.Files()
	o.Explain = func(err error) (string, string) { e := cannotStart(o.Command, err); return e.Error(), e.hint }
	report, err := doctor.Write(ctx, terminal.Stdout(false), o, asJSON)
	switch {
	case err != nil:
		return failed(err)
	case ctx.Err() != nil:
		return &exit{status: 128 + int(syscall.SIGINT)}
	case report.Problems > 0:
		return &exit{status: 1}
	}
	return nil
}
