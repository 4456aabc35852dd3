package main

import (
	"bytes"
	"cmp"
	"os"
	"runtime"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/lossy"
	"acpshim/internal/planfile"
	"acpshim/internal/wire"
	"acpshim/proxy"
	"acpshim/translate"

	"github.com/rs/zerolog"
)

// An assembly is what a configuration makes of the parts of acpshim.
type assembly struct {
	config config.Config
	names  names
	log    zerolog.Logger

	conversation *filters.Conversation
	junk         *filters.Junk
	aside        *lossy.Writer // takes what is moved of it
	rules        *rule.Chain
	live         *planfile.Live

	toClient, toAgent *proxy.Injector
}

func assemble(c config.Config, known names, log zerolog.Logger) *assembly {
	a := &assembly{config: c, names: known, log: log, aside: lossy.NewWriter(os.Stderr)}
	a.toClient, a.toAgent = proxy.NewInjector(a.panicked), proxy.NewInjector(a.panicked)
	a.rules = c.RuleSet().NewChain(a.ruleOptions())
	injected := a.injected()
	a.live = planfile.NewLive(planfile.LiveOptions{
		Inject: func(produce func([]byte) []byte) bool {
			return a.toClient.Inject(func(dst []byte) ([]byte, []string) { return injected(dst, produce) })
		},
		Deaf: func(err error) {
			log.Info().Err(err).Msg("changes of plan files cannot be heard of: they are looked at twice a second")
		},
		GaveUp: func() {
			log.Warn().Msg("the client offers to read files and does not answer: plan files are read from the disk from now on")
		},
	})
	a.conversation = filters.New(a.filterOptions())
	a.junk = &filters.Junk{
		Next:   a.rules.FromAgent(a.conversation.FromAgent()),
		Policy: filters.JunkPolicy(c.Junk),
		Found:  func(line []byte, n int) { logJunk(log, a.junk.Policy, line, n) },
		Aside:  func(line []byte) { a.aside.Write(line) },
	}
	return a
}

// options are those of a run, but for its command and its streams.
func (a *assembly) options() proxy.Options {
	return proxy.Options{
		FromClient: a.fromClient(),
		FromAgent:  proxy.Guard(a.junk, a.panicked),
		ToClient:   a.toClient,
		ToAgent:    a.toAgent,
		Busy:       a.conversation.Busy,
		HoldLimit:  a.config.Limits.InspectBytes,
		InputGrace: a.config.Shutdown.InputGrace,
		TermGrace:  a.config.Shutdown.TermGrace,
		Drain:      a.config.Shutdown.Drain,
		Log:        a.log,
	}
}

// fromClient is what stands in the direction to the agent. Own responses are taken out of it
// behind a mistake, too.
func (a *assembly) fromClient() wire.Interceptor {
	guarded := proxy.Guard(a.rules.FromClient(a.conversation.FromClient()), a.panicked)
	return proxy.Guard(a.conversation.OwnResponses(guarded), a.panicked)
}

// reply answers in a peer's place.
func (a *assembly) reply(name string, to rule.Side, line []byte) bool {
	if to == rule.Agent {
		return a.toAgent.Put(line, name, a.toClient)
	}
	return a.toClient.Put(line, name, a.toAgent)
}

func (a *assembly) ruleOptions() rule.Options {
	return rule.Options{
		Place:      a.config.RulePlace(),
		ClientName: a.names.client,
		AgentName:  a.names.agent,
		Reply:      a.reply,
		Switches: func(client, agent rule.Peer) map[string]bool {
			return a.configFor(client, agent).Switches
		},
		Events: logRules(a.log),
	}
}

// injected returns what appends lines of plans to the client that the agent did
// not send, and names what made them. Rules beside the agent do not see them.
func (a *assembly) injected() func(dst []byte, produce func([]byte) []byte) (out []byte, by []string) {
	if a.config.RulePlace() == rule.BesideAgent {
		return func(dst []byte, produce func([]byte) []byte) ([]byte, []string) {
			return produce(dst), []string{filters.ByPlan}
		}
	}
	rules := a.rules.FromAgent(nil)
	return func(dst []byte, produce func([]byte) []byte) ([]byte, []string) { return through(rules, dst, produce) }
}

// logHits logs which rules matched and how often.
func (a *assembly) logHits() {
	matched, any := zerolog.Dict(), false
	for _, hit := range a.rules.Hits() {
		if hit.Count > 0 {
			matched, any = matched.Int64(hit.Rule, hit.Count), true
		}
	}
	if any {
		a.log.Info().Dict("rules", matched).Msg("rules that matched, and how often")
	}
}

// through appends what rules leave of the session updates among the lines of
// plans that produce appends, and names those that changed one behind the plan.
// Requests of ours are no business of theirs.
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

func (a *assembly) panicked(reason any, stack []byte) {
	a.log.Error().Interface("reason", reason).Bytes("stack", stack).
		Msg("a mistake in acpshim, please report it: from now on nothing is translated, messages go on")
}

func (a *assembly) filterOptions() filters.Options {
	events := logEvents(a.log)
	logged := events.Negotiated
	events.Negotiated = func(n filters.Negotiation) {
		n.Client.Name = cmp.Or(n.Client.Name, a.names.client)
		n.Agent.Name = cmp.Or(n.Agent.Name, a.names.agent)
		c := a.configFor(peerOf(n.Client), peerOf(n.Agent))
		a.junk.Policy = filters.JunkPolicy(c.Junk) // the junk is looked for by who tells us this
		a.live.Negotiated(n, planfile.Settings{
			Reader:    planfile.Reader{Roots: append(temporaryFolders(), c.Plan.File.Roots...)},
			AskClient: c.Plan.File.Read == "client",
		})
		logged(n)
	}
	return filters.Options{
		For: func(client, agent filters.Implementation) filters.Settings {
			return settings(a.configFor(peerOf(client), peerOf(agent)))
		},
		ReadFile:     a.live.ReadFile,
		Rest:         a.live.Rest,
		FilesChanged: a.live.FilesChanged,
		Requests:     a.live.Requests(),
		MaxBytes:     a.config.Limits.StateBytes,
		Events:       events,
	}
}

// configFor is the configuration with the profiles for two peers.
func (a *assembly) configFor(client, agent rule.Peer) config.Config {
	client.Name = cmp.Or(client.Name, a.names.client)
	agent.Name = cmp.Or(agent.Name, a.names.agent)
	return a.config.For(client, agent)
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

// closedGates are the names of the features that are kept from clients that do
// not announce them.
func closedGates(c config.Config) []string {
	var closed []string
	for name, policy := range map[string]string{"notices": c.Gate.Notices, "compaction": c.Gate.Compaction, "subagents": c.Gate.Subagents, "boolean_options": c.Gate.BooleanOptions} {
		if policy == "drop" {
			closed = append(closed, name)
		}
	}
	return closed
}

// temporaryFolders are where agents put plans that belong to no project. TMPDIR
// may be another's than the agent's.
func temporaryFolders() []string {
	if runtime.GOOS == "windows" {
		return []string{os.TempDir()}
	}
	return []string{os.TempDir(), "/tmp"}
}
