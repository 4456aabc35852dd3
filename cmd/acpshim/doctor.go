package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
	"time"

	"acpshim/internal/check/doctor"
	"acpshim/internal/log/explain"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/version"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/spf13/cobra"
)

func newDoctor() *cobra.Command {
	var f flags
	var to format
	var o doctor.Options
	c := &cobra.Command{
		Use:     "doctor [flags] [-- COMMAND [ARG...]]",
		Example: `acpshim doctor --client "zed 1.5.4" -- codex-acp`,
		Long: `Start an agent, send it requests but no prompt, end it, and report what works,
what does not, and what to do. Without an agent, it checks only this machine.
--json is for bug reports, without known secrets. The exit status is 1 if there
is a problem.`,
		RunE: func(_ *cobra.Command, args []string) error { return examine(f, args, o, !to.isText()) },
	}
	c.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	f.addStart(c)
	f.peers.addFor(c, "as the client", "until the agent sends one")
	c.Flags().DurationVar(&o.Timeout, "timeout", 30*time.Second, "wait `TIME` for the first response")
	c.Flags().BoolVar(&o.Session, "session", false, "also open a session in a temporary folder")
	c.Flags().StringVar(&o.EditorPath, "editor-path", "", "look for programs in `PATH`, as the editor does")
	to.add(c, "text", "json")
	f.addLayers(c)
	completeNothing(c, "timeout", "editor-path")
	return c
}

// examine writes what the doctor finds. The error is an exit with 1 if there is a problem.
func examine(f flags, args []string, o doctor.Options, asJSON bool) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), proxy.EndSignals()...)
	context.AfterFunc(ctx, stop) // a second one ends this process
	o.Config, o.ConfigErr = f.load()
	if e := (*exit)(nil); errors.As(o.ConfigErr, &e) || o.ConfigErr != nil && f.start != "" {
		return badConfig(o.ConfigErr, ", nothing was examined")
	}
	agent, err := f.chosen(o.Config, args)
	if err != nil {
		return err
	}
	o.Command, o.Env, o.Dir, o.Client, o.Agent = agent.Command, environ(agent), agent.Cwd, explain.Named(f.peers.client), explain.Named(f.peers.agent)
	o.Version, o.Files = version.Read().Short(), config.Sources{File: f.config}.Files()
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
