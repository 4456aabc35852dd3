package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"acpshim/internal/check/doctor"
	"acpshim/internal/log/explain"
	"acpshim/internal/run/remote"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/version"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/spf13/cobra"
)

func newDoctor() *cobra.Command {
	var f flags
	var as format
	var to connectFlags
	var isLong bool
	var o doctor.Options
	c := &cobra.Command{
		Use:     "doctor [flags] [URL | -- COMMAND [ARG...]]",
		Example: `acpshim doctor --client "zed 1.5.4" -- codex-acp`,
		Long: `Start an agent, send it requests but no prompt, end it, and report what works,
what does not, and what to do. Without an agent, it checks only this machine.
With the URL of an agent on another machine, the flags of "acpshim connect" work,
too. --json is for bug reports, without known secrets. The exit status is 1 if
there is a problem.`,
		RunE: func(c *cobra.Command, args []string) error {
			form := doctor.Short
			switch {
			case !as.isText():
				form = doctor.JSON
			case isLong:
				form = doctor.Long
			}
			var err error
			if o.Remote, err = to.examined(c, f, args); err != nil {
				return err
			}
			if o.Remote != nil {
				args = nil
			}
			return examine(f, args, o, form)
		},
	}
	c.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	f.addStart(c)
	f.peers.addFor(c, "as the client", "until the agent sends one")
	c.Flags().DurationVar(&o.Timeout, "timeout", 30*time.Second, "wait `TIME` for the first response")
	c.Flags().BoolVar(&o.Session, "session", false, "also open a session in a temporary folder")
	c.Flags().StringVar(&o.EditorPath, "editor-path", "", "look for programs in `PATH`, as the editor does")
	c.Flags().BoolVarP(&isLong, "verbose", "v", false, "also print what acpshim does for every agent")
	as.add(c, "text", "json")
	f.addLayers(c)
	addHidden(c, to.add)
	completeNothing(c, "timeout", "editor-path")
	return c
}

// examined returns the agent on another machine if the arguments are its URL, and nil for others.
// The flags of connect are wrong without a URL.
func (to connectFlags) examined(c *cobra.Command, f flags, args []string) (*doctor.Remote, error) {
	isURL := false
	if len(args) == 1 && f.start == "" {
		_, isURL = asURL(args[0])
	}
	switch {
	case !isURL && to.isSet():
		return nil, wrongArguments(c, "--transport, --header-file, --header and --ca need the URL of an agent")
	case !isURL:
		return nil, nil
	}
	u, err := to.url(c, args)
	if err != nil {
		return nil, err
	}
	o, err := to.options(u)
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("doctor: %w", err), ""}
	}
	var last *remote.Agent
	r := &doctor.Remote{URL: remote.Shown(u), Transport: "WebSocket", Warnings: to.warnings(o)}
	if o.HTTP {
		r.Transport = "streamable HTTP"
	}
	r.Connect = func() (proxy.Peer, error) {
		last = remote.Connect(o)
		return last, nil
	}
	r.Ended = func() (what, do string) {
		end := last.End()
		return end.Text, end.Hint
	}
	return r, nil
}

// examine writes what the doctor finds. The error is an exit with 1 if there is a problem.
func examine(f flags, args []string, o doctor.Options, form doctor.Form) (err error) {
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
	report, err := doctor.Write(ctx, terminal.Stdout(false), o, form)
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
