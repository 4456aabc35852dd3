package relay

import (
	"bytes"
	"cmp"
	"os"
	"runtime"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/planfile"
	"acpshim/internal/wire"
	"acpshim/translate"
)

func (r *Relay) ruleOptions() rule.Options {
	return rule.Options{
		Place:      r.config.RulePlace(),
		ClientName: r.opts.ClientName,
		AgentName:  r.opts.AgentName,
		Reply:      r.reply,
		Switches: func(client, agent rule.Peer) map[string]bool {
			return r.configFor(client, agent).Switches
		},
		Events: r.opts.Events.Rules,
	}
}

func (r *Relay) filterOptions() filters.Options {
	events := r.opts.Events.Plans
	events.Negotiated = r.negotiated
	o := filters.Options{
		For: func(client, agent filters.Implementation) filters.Settings {
			return settings(r.configFor(peerOf(client), peerOf(agent)))
		},
		ReadFile:     r.live.ReadFile,
		Rest:         r.live.Rest,
		FilesChanged: r.live.FilesChanged,
		Requests:     r.live.Requests(),
		MaxBytes:     r.config.Limits.StateBytes,
		Events:       events,
	}
	if r.opts.ReadFile != nil {
		o.ReadFile, o.Rest, o.FilesChanged = r.opts.ReadFile, nil, nil
	}
	return o
}

// negotiated has the junk and the plan files handled as it is configured for the two peers.
func (r *Relay) negotiated(n filters.Negotiation) {
	n.Client.Name = cmp.Or(n.Client.Name, r.opts.ClientName)
	n.Agent.Name = cmp.Or(n.Agent.Name, r.opts.AgentName)
	c := r.configFor(peerOf(n.Client), peerOf(n.Agent))
	r.junk.Policy = filters.JunkPolicy(c.Junk) // the junk is looked for by who reports this
	r.live.Negotiated(n, planfile.Settings{
		Reader:    planfile.Reader{Roots: append(temporaryFolders(), c.Plan.File.Roots...)},
		AskClient: c.Plan.File.Read == "client",
	})
	if r.opts.Events.Plans.Negotiated != nil {
		r.opts.Events.Plans.Negotiated(n)
	}
}

// producer returns what appends lines of plans to the client that the agent did not send, and
// names what made them. Rules beside the agent do not see them.
func (r *Relay) producer() producer {
	if r.config.RulePlace() == rule.BesideAgent {
		return func(dst []byte, produce func([]byte) []byte) ([]byte, []string) {
			return produce(dst), []string{filters.ByPlan}
		}
	}
	rules := r.rules.FromAgent(nil)
	return func(dst []byte, produce func([]byte) []byte) ([]byte, []string) { return through(rules, dst, produce) }
}

// through appends what rules leave of the session updates among the lines of plans that produce
// appends, and names those that changed one behind the plan. Requests of ours meet none.
func through(rules wire.Interceptor, dst []byte, produce func([]byte) []byte) (out []byte, by []string) {
	by = []string{filters.ByPlan}
	for line := range bytes.Lines(produce(nil)) {
		h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil })
		if string(h.Method) != "session/update" {
			dst = append(dst, line...)
			continue
		}
		before := len(dst)
		var changedBy []string
		if dst, changedBy = wire.Apply(rules, dst, line); !bytes.Equal(line, dst[before:]) {
			by = append(by, changedBy...)
		}
	}
	return dst, by
}

func peerOf(i filters.Implementation) rule.Peer { return rule.Peer{Name: i.Name, Version: i.Version} }

func settings(c config.Config) filters.Settings {
	return filters.Settings{
		Advertise: c.Plan.Advertise,
		Bridge:    c.Plan.Bridge,
		Policy:    translate.Policy(c.Plan.Policy),
		ShowAs:    filters.ShowAs(c.Plan.ShowAs),
		Gates:     closedGates(c),
		Tools:     c.TodoTools(),
		Prose:     c.Plan.Prose == "message",
	}
}

// closedGates are the names of the features that are kept from clients that do not announce them.
func closedGates(c config.Config) []string {
	var closed []string
	for name, policy := range map[string]string{"notices": c.Gate.Notices, "compaction": c.Gate.Compaction, "subagents": c.Gate.Subagents, "boolean_options": c.Gate.BooleanOptions} {
		if policy == "drop" {
			closed = append(closed, name)
		}
	}
	return closed
}

// temporaryFolders are where agents put plans that belong to no project. TMPDIR may be another's
// than the agent's.
func temporaryFolders() []string {
	if runtime.GOOS == "windows" {
		return []string{os.TempDir()}
	}
	return []string{os.TempDir(), "/tmp"}
}
