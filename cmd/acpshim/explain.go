package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/permission"
	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/log/explain"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
)

func newExplain() *cobra.Command {
	var f flags
	var e explanation
	c := &cobra.Command{
		Use:     "explain [flags] [FILE]",
		Example: "acpshim rules explain conversation.txtar",
		Long: `Explain what each rule and each [[permission]] does with messages. Without FILE,
the messages are lines of JSON on standard input, and only the flags describe
the client and the agent. FILE is a conversation for "acpshim rules test", which
needs no flags. The exit status is 1 if a line is not a message.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] != "-" {
				a, err := readTranscript(args[0])
				if err != nil {
					return err
				}
				return e.conversation(f, args[0], a)
			}
			text, err := readInput("standard input", true)
			if err != nil {
				return err
			}
			if a := txtar.Parse(text); len(a.Files) > 0 {
				if err := checkTranscript("standard input", a); err != nil {
					return err
				}
				return e.conversation(f, "standard input", a)
			}
			if e.config, err = f.load(); err != nil {
				return badConfig(err, "")
			}
			return e.lines(bytes.TrimSpace(text))
		},
	}
	f.addLayers(c)
	e.addFlags(c)
	return c
}

// An explanation holds what rules are explained with.
type explanation struct {
	knownFacts
	config config.Config
}

// lines explains messages about which only the flags say something.
func (e *explanation) lines(text []byte) error {
	known, err := e.known()
	if err != nil {
		return &exit{exitUsage, err, ""}
	}
	first, more, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) == 0:
		return &exit{exitUsage, errors.New("reading standard input: there is no message"), `want a line of JSON, such as {"jsonrpc":"2.0","method":"session/update"}`}
	case len(more) > 0 && !json.Valid(first) && json.Valid(text):
		return &exit{1, errors.New("reading standard input: the message has several lines, but want one line"), `"jq -c ." joins the lines`}
	}
	client, agent := explain.Named(e.client), explain.Named(e.agent)
	known.Switches = e.config.For(client, agent).Switches
	does := func(line []byte) []rule.Step { return e.steps(line, known, client, agent) }
	unclear := explain.Lines(stdout(), text, does, known.From, func(s rule.Step) string { return e.unknown(s, client, agent) })
	if unclear > 0 {
		return &exit{1, fmt.Errorf("reading standard input: lines that are not JSON-RPC messages: %d", unclear), ""}
	}
	return nil
}

// steps returns what permission tables and rules do with a line, in their order.
func (e *explanation) steps(line []byte, known rule.Known, client, agent rule.Peer) (steps []rule.Step) {
	rules := func(line []byte) []rule.Step { return e.config.RuleSet().Explain(line, known) }
	asked := func(line []byte) []rule.Step {
		return permission.Explain(e.config.PermissionRules(), client, agent, line)
	}
	switch {
	case known.From == rule.Client:
		return rules(line)
	case e.config.RulePlace() == rule.BesideAgent:
		return thenExplain(rules(line), line, asked)
	}
	return thenExplain(asked(line), line, rules)
}

// thenExplain adds to the steps of a line those that next returns for each line that they leave.
func thenExplain(steps []rule.Step, line []byte, next func([]byte) []rule.Step) []rule.Step {
	left := [][]byte{line}
	for _, s := range steps {
		at := slices.IndexFunc(left, func(l []byte) bool { return bytes.Equal(l, s.Before) })
		if s.Matched && s.Err == nil && at >= 0 {
			left = slices.Replace(left, at, at+1, s.After...)
		}
	}
	for _, l := range left {
		steps = append(steps, next(l)...)
	}
	return steps
}

// conversation explains the messages of a conversation.
func (e *explanation) conversation(f flags, name string, a *txtar.Archive) error {
	if given := e.given(); given != "" {
		return &exit{exitUsage, fmt.Errorf("--%s: a conversation says this itself; the flag is only for messages on standard input", given), ""}
	}
	c, err := f.loadFor(name, a)
	if err != nil {
		return badConfig(err, "")
	}
	var steps []rule.Step
	step := func(s rule.Step) { steps = append(steps, s) }
	chain := transcriptChain(c, warnings(stderr(), name), func(e *relay.Events) { e.Rules.Step, e.Permission = step, step })
	for _, f := range a.Files {
		// One by one, so that each is explained before the next is played.
		if _, err := transcript.Play(&txtar.Archive{Files: []txtar.File{f}}, chain); err != nil {
			return &exit{1, fmt.Errorf("%s: %w", name, err), ""}
		}
		explain.Steps(stdout(), steps)
		steps = nil
	}
	return nil
}

// A knownFacts holds what flags say about a message and its peers.
type knownFacts struct {
	from, responseTo string
	peers
	clientHas, agentHas []string
	protocol            int

	flags *pflag.FlagSet
}

func (k *knownFacts) addFlags(c *cobra.Command) {
	k.flags = c.Flags()
	addChoice(c, &k.from, "from", "sent by `SIDE`: client or agent (default agent)", string(rule.Client), string(rule.Agent))
	k.flags.StringVar(&k.responseTo, "response-to", "", "the message is a response to `METHOD`")
	k.peers.addFor(c, "as the client", "as the agent")
	k.flags.StringArrayVar(&k.clientHas, "client-has", nil, "a capability `POINTER`, like /terminal; repeatable")
	k.flags.StringArrayVar(&k.agentHas, "agent-has", nil, "a capability `POINTER`, like /loadSession; repeatable")
	k.flags.IntVar(&k.protocol, "protocol", 1, "use `VERSION` of the protocol")
	completeNothing(c, "response-to", "client-has", "agent-has", "protocol")
}

// given returns the first of these flags that was given, or "".
func (k *knownFacts) given() string {
	for _, name := range []string{"from", "response-to", "client", "agent", "client-has", "agent-has", "protocol"} {
		if k.flags.Changed(name) {
			return name
		}
	}
	return ""
}

// known returns what the flags say.
func (k *knownFacts) known() (known rule.Known, err error) {
	if k.protocol < 1 || k.protocol > 65535 {
		return known, fmt.Errorf("--protocol: want a version such as 1, not %d", k.protocol)
	}
	known = rule.Known{From: rule.Side(cmp.Or(k.from, string(rule.Agent))), Peers: conversation.Peers{Version: k.protocol}, ResponseTo: k.responseTo}
	if k.client != "" || k.clientHas != nil {
		if known.Client, err = explain.Peer(k.client, k.clientHas); err != nil {
			return known, fmt.Errorf("--client-has: %w", err)
		}
	}
	if k.agent != "" || k.agentHas != nil {
		if known.Agent, err = explain.Peer(k.agent, k.agentHas); err != nil {
			return known, fmt.Errorf("--agent-has: %w", err)
		}
	}
	return known, nil
}

// unknown returns a hint at the flag that decides a condition of a rule, or "" if it was given.
func (e *explanation) unknown(s rule.Step, client, agent rule.Peer) string {
	key := strings.TrimPrefix(s.WhyNot, "when.")
	name, _, _ := strings.Cut(key, " ")
	switch {
	case strings.HasPrefix(key, "client") && e.client == "" && e.clientHas == nil:
		return " (no client is known: --client)"
	case strings.HasPrefix(key, "agent") && e.agent == "" && e.agentHas == nil:
		return " (no agent is known: --agent)"
	case name == "client" && client.Version == "" && e.asksForVersion(s.Rule):
		return " (its version is not known: --client \"NAME VERSION\")"
	case name == "agent" && agent.Version == "" && e.asksForVersion(s.Rule):
		return " (its version is not known: --agent \"NAME VERSION\")"
	case name == "client_has" && e.clientHas == nil, name == "agent_has" && e.agentHas == nil:
		return fmt.Sprintf(" (no capability is known: --%s)", strings.Replace(name, "_", "-", 1))
	case key == "protocol":
		return fmt.Sprintf(" (it is %d: --protocol)", e.protocol)
	case key == "response_to" && e.responseTo == "":
		return " (no request is known: --response-to)"
	}
	return ""
}

// asksForVersion reports whether a rule of that name has a range of versions.
func (e *explanation) asksForVersion(name string) bool {
	for _, r := range e.config.Rules {
		if r.Name == name {
			return strings.ContainsAny(r.Client+r.Agent+r.When.Client+r.When.Agent, "<>=~^")
		}
	}
	return false
}
