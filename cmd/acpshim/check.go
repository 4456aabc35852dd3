package main

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/agents"
	"acpshim/internal/check/conformance"
	"acpshim/internal/system/version"
	"acpshim/internal/text/spelling"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/spf13/cobra"
)

func newCheck() *cobra.Command {
	var f flags
	var to format
	var isList bool
	var o agents.Options
	c := &cobra.Command{
		Use:     "check [flags] -- COMMAND [ARG...]",
		Example: "acpshim check -- codex-acp",
		Long: `Check whether an agent keeps the rules of the Agent Client Protocol. acpshim
starts the agent several times in a new temporary folder, sends it requests and
up to five prompts, and refuses its permission requests. It never logs in or
out. Sessions that the agent stores are not deleted. An agent that does not ask
for permission runs its tools, and nothing keeps it in that folder.

Each finding has the rule, what was sent, what came, and what the protocol
says. Numbers such as #21 are those of "acpshim log show", because all messages
are recorded. "failed" is a broken MUST, and "warning" a SHOULD. MUST+ follows
from the schema or JSON-RPC, and SHOULD+ from what other programs rely on. The
exit status is 1 if a rule failed. --case NAME shows all faults of a rule.`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkCases(c, o.Rules); err != nil {
				return err
			}
			if isList {
				return listRules(o.Rules)
			}
			return checkAgent(c, f, args, o, to)
		},
	}
	c.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	f.addStart(c)
	c.Flags().StringSliceVar(&o.Rules, "case", nil, "check only the rule `NAME`; repeatable")
	c.Flags().BoolVar(&isList, "list", false, "list the rules, and start nothing")
	c.Flags().StringVar(&o.Prompt, "prompt", agents.DefaultPrompt, "send `TEXT` as the prompt; \"\" sends none")
	c.Flags().Lookup("prompt").DefValue = "" // the text is long: see docs/plugin-authors.md
	c.Flags().DurationVar(&o.Timeout, "timeout", time.Minute, "wait `TIME` for the end of a prompt")
	to.add(c, "text", "json", "junit")
	f.addLayers(c)
	completeWith(c, "case", func(string) ([]string, cobra.ShellCompDirective) { return conformance.Names(wire.Agent), noFiles })
	completeNothing(c, "prompt", "timeout")
	return c
}

// checkCases returns an error if a rule does not exist.
func checkCases(c *cobra.Command, names []string) error {
	all := conformance.Names(wire.Agent)
	for _, name := range names {
		if !slices.Contains(all, name) {
			hint := `"acpshim check --list" lists them`
			if near := spelling.DidYouMean(name, all); near != "" {
				hint = near
			}
			return &exit{exitUsage, fmt.Errorf("--case: there is no rule %q for agents", name), hint}
		}
	}
	return nil
}

// listRules writes the rules for agents.
func listRules(names []string) error {
	out := terminal.Stdout(true)
	var rows [][]string
	for _, r := range conformance.Rules(wire.Agent) {
		if len(names) == 0 || slices.Contains(names, r.ID) {
			rows = append(rows, []string{r.ID, string(r.Level), r.Line, r.Source})
		}
	}
	return failed(out.Close(terminal.Table(out, []string{"RULE", "LEVEL", "WHAT IS RIGHT", "SOURCE"}, rows)))
}

// checkAgent checks an agent and writes the report. The error is an exit with 1 if a rule failed.
func checkAgent(c *cobra.Command, f flags, args []string, o agents.Options, to format) (err error) {
	if f.start == "" && (len(args) == 0 || args[0] == "") {
		return wrongArguments(c, "want the command of an agent after --")
	}
	if o.Config, err = f.load(); err != nil {
		return badConfig(err, ", the agent was not started")
	}
	agent, err := f.chosen(o.Config, args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), proxy.EndSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second one ends this process
	o.Command, o.Env, o.Version = agent.Command, environ(agent), version.Read().Short()
	o.Prompting = func() { note(`up to five prompts are sent, which may cost money; --prompt "" sends none`) }
	report, err := agents.Check(ctx, o)
	if err != nil {
		return cannotStart(agent.Command, err)
	}
	out := terminal.Stdout(to.isText())
	switch to {
	case "json":
		err = report.WriteJSON(out)
	case "junit":
		err = report.WriteJUnit(out)
	default:
		err = report.WriteText(out, out.Style, out.Terminal)
	}
	if err = out.Close(err); err != nil {
		return failed(err)
	}
	switch {
	case ctx.Err() != nil:
		return &exit{status: 128 + int(syscall.SIGINT)}
	case report.Status() > 0:
		return &exit{status: report.Status()}
	}
	return nil
}
