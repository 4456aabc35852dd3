package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/wire"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A told is what flags tell of a message and of who sends and gets it.
type told struct {
	from, responseTo    string
	client, agent       string // name and version
	clientHas, agentHas []string
	protocol            int

	flags *pflag.FlagSet
}

// addFacts adds the flags that tell it.
func (t *told) addFacts(c *cobra.Command) {
	t.flags = pflag.NewFlagSet("", pflag.ContinueOnError)
	t.flags.SortFlags = false
	t.flags.StringVar(&t.from, "from", "agent", "who sends the message: client or agent, as `SIDE`")
	t.flags.StringVar(&t.responseTo, "response-to", "", "the `METHOD` that the message is an answer to")
	t.flags.StringVar(&t.client, "client", "", "what the client calls itself, as `NAME` or \"NAME VERSION\"")
	t.flags.StringVar(&t.agent, "agent-name", "", "what the agent calls itself, as `NAME` or \"NAME VERSION\"")
	t.flags.StringArrayVar(&t.clientHas, "client-has", nil, "a capability of the client, as `POINTER`; may be given again")
	t.flags.StringArrayVar(&t.agentHas, "agent-has", nil, "a capability of the agent, as `POINTER`; may be given again")
	t.flags.IntVar(&t.protocol, "protocol", 1, "the `VERSION` of the protocol that was agreed on")
	c.Flags().AddFlagSet(t.flags)
	completeWith(c, "from", func(string) ([]string, cobra.ShellCompDirective) { return []string{"client", "agent"}, noFiles })
	completeNothing(c, "response-to", "client", "agent-name", "client-has", "agent-has", "protocol")
}

// first is the first of these flags that was given, or "".
func (t *told) first() (name string) {
	t.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && name == "" {
			name = f.Name
		}
	})
	return name
}

// given are the facts that the flags tell.
func (t *told) given() (facts rule.Facts, err error) {
	if t.from != string(rule.Client) && t.from != string(rule.Agent) {
		return facts, fmt.Errorf("--from: want client or agent, not %q", t.from)
	}
	if t.protocol < 1 || t.protocol > 65535 {
		return facts, fmt.Errorf("--protocol: want a version such as 1, not %d", t.protocol)
	}
	facts = rule.Facts{Protocol: t.protocol, ResponseTo: t.responseTo}
	if facts.Client, err = toldPeer("client", t.client, t.clientHas); err != nil {
		return facts, err
	}
	facts.Agent, err = toldPeer("agent", t.agent, t.agentHas)
	return facts, err
}

// toldPeer reads "NAME" or "NAME VERSION". It is nil if nothing is told.
func toldPeer(side, text string, has []string) (*rule.Peer, error) {
	if text == "" && has == nil {
		return nil, nil
	}
	p := peerNamed(text)
	capabilities := map[string]any{}
	for _, pointer := range has {
		steps, err := wire.ParsePointer(pointer)
		if err != nil || len(steps) == 0 {
			return nil, fmt.Errorf("--%s-has: want a JSON Pointer such as /fs/readTextFile, not %q", side, pointer)
		}
		in := capabilities
		for _, step := range steps[:len(steps)-1] {
			next, ok := in[step].(map[string]any)
			if !ok {
				next = map[string]any{}
				in[step] = next
			}
			in = next
		}
		if last := steps[len(steps)-1]; in[last] == nil {
			in[last] = true
		}
	}
	p.Capabilities, _ = json.Marshal(capabilities)
	return &p, nil
}

// peerNamed is what a flag tells of a peer: a name, and behind a space a version.
func peerNamed(text string) rule.Peer {
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		if _, err := semver.NewVersion(text[i+1:]); err == nil {
			return rule.Peer{Name: text[:i], Version: text[i+1:]}
		}
	}
	return rule.Peer{Name: text}
}

// orUnknown is the peer, or the zero one if it is not known.
func orUnknown(p *rule.Peer) rule.Peer {
	if p == nil {
		return rule.Peer{}
	}
	return *p
}

// unknown names the flag that tells what a rule asked for and nobody told.
func (e *explanation) unknown(s rule.Step) string {
	key := strings.TrimPrefix(s.WhyNot, "when.")
	name, _, _ := strings.Cut(key, " ")
	switch {
	case strings.HasPrefix(key, "client") && e.facts.Client == nil:
		return " (no client is known: --client)"
	case strings.HasPrefix(key, "agent") && e.facts.Agent == nil:
		return " (no agent is known: --agent-name)"
	case name == "client" && e.facts.Client.Version == "" && e.asksForVersion(s.Rule):
		return " (its version is not known: --client \"NAME VERSION\")"
	case name == "agent" && e.facts.Agent.Version == "" && e.asksForVersion(s.Rule):
		return " (its version is not known: --agent-name \"NAME VERSION\")"
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
