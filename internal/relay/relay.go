// Package relay makes the chain that a configuration describes, once: for a run, for transcripts,
// and for records that are played again. What differs is in [Options].
package relay

import (
	"context"
	"runtime"
	"sync"

	"acpshim/filters"
	"acpshim/filters/permission"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/planfile"
	"acpshim/internal/wire"
	"acpshim/proxy"
	"acpshim/translate/choices"
	"acpshim/translate/commands"
	"acpshim/translate/dialect"
	"acpshim/translate/files"
	"acpshim/translate/images"
	"acpshim/translate/login"
	"acpshim/translate/opening"
	"acpshim/translate/output"
	"acpshim/translate/paths"
	"acpshim/translate/plans"
	"acpshim/translate/questions"
	"acpshim/translate/repair"
	"acpshim/translate/shape"
	"acpshim/translate/terminals"
	"acpshim/translate/turns"
	"acpshim/translate/versions"
)

// Options say how a chain differs from that of a configuration alone. The zero value reads plan
// files from the disk, sends replies into the streams of a run, and reports nothing.
type Options struct {
	// Client and Agent are what is known about the peers until they name themselves.
	Client, Agent rule.Peer

	// ReadFile reads plan files in place of the disk and the client, without waiting for them.
	ReadFile func(uri string, roots []string) (string, error)

	// OwnID begins the ids of the requests that are sent to the client, in place of random bits.
	OwnID string

	// WriteImage writes images of prompts to files; see images.Options.
	WriteImage func(extension string, image []byte) (path string, err error)

	// StartCommand starts commands of the agent; see terminals.Options.
	StartCommand func(terminals.Command, terminals.Events)

	// Disk reads and writes files for the agent; nil: that is not done, whatever is configured.
	Disk files.Disk

	// Restart has the agent ended, so that the run starts it afresh; see versions.Options.
	Restart func()

	Unexplained bool // see dispatch.Options

	// Aside takes junk that is moved aside. It must neither block nor keep the bytes.
	Aside func(line []byte)

	Events Events
}

// Events are told what a person who debugs wants to know; each may be nil but Panicked.
type Events struct {
	Plans      plans.Events
	Rules      rule.Events
	Unread     func(err error)                                     // see dispatch.Events
	Evicted    func(what string)                                   // see conversation.Options
	Junk       func(policy filters.JunkPolicy, line []byte, n int) // each line of junk and its number, from 1
	Answered   func(rule, option, title string)                    // see permission.Options
	Permission func(rule.Step)                                     // likewise
	Panicked   func(reason any, stack []byte)
	Files      func(r files.Request, err error) // see files.Options
	Bridged    func(client, agent int)          // see versions.Options
	WithoutMCP func(refusal string)             // see repair.NewMCPRefusal
	GaveUp     func()                           // see planfile.LiveOptions
}

// A Relay is the chain of one connection.
type Relay struct {
	config config.Config
	opts   Options
	latest peerConfig

	conversation      *conversation.Conversation
	dispatcher        *dispatch.Dispatcher
	fromAgent         *dispatch.Direction
	guarded           struct{ fromClient, fromAgent wire.Interceptor }
	toClient, toAgent *proxy.Injector

	own   *dispatch.OwnRequests // to the client
	asked *dispatch.OwnRequests // to the agent
	junk  *filters.Junk
	plans *plans.Adapter
	turns *turns.Adapter
	agent *versions.Agent
	rules *rule.Chain
	live  *planfile.Live
}

// New makes a chain. Its two directions, FromClient and FromAgent of [Relay.Options], are each for
// one goroutine.
func New(c config.Config, o Options) *Relay {
	r := &Relay{config: c, opts: o}
	r.toClient, r.toAgent = proxy.NewInjector(), proxy.NewInjector()
	r.conversation = conversation.New(conversation.Options{MaxBytes: c.Limits.StateBytes, Evicted: o.Events.Evicted})
	r.own = dispatch.NewOwnRequests(o.OwnID)
	r.asked = dispatch.NewOwnRequests(r.own.Prefix())
	r.live = planfile.NewLive(planfile.LiveOptions{
		Own: r.own,
		Inject: func(produce func([]byte) []byte) bool {
			return r.inject(r.plans, whyFileRead, func() []byte { return produce(nil) })
		},
		GaveUp: o.Events.GaveUp,
	})
	r.junk = &filters.Junk{Policy: filters.JunkPolicy(c.Junk), Aside: o.Aside}
	if o.Events.Junk != nil {
		r.junk.Found = func(line []byte, n int) { o.Events.Junk(r.junk.Policy, line, n) }
	}
	d := dispatch.New(r.conversation, dispatch.Options{
		Adapters: r.adapters(),
		Own:      r.own, OwnToAgent: r.asked,
		Junk: r.junk, Unexplained: o.Unexplained, Wake: r.wake,
		Events: dispatch.Events{Unread: o.Events.Unread, Panicked: o.Events.Panicked},
	})
	r.dispatcher, r.fromAgent = d, d.FromAgent()
	// Each adapter is guarded by the dispatcher, which is guarded here. Own responses are taken out
	// behind a mistake, too.
	behind := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Own: r.own, OwnToAgent: r.asked})
	r.guarded.fromAgent = proxy.Guard(r.fromAgent, behind.FromAgent(), o.Events.Panicked)
	r.guarded.fromClient = proxy.Guard(d.FromClient(), behind.FromClient(), o.Events.Panicked)
	return r
}

// adapters are all that change messages, from the agent to the client. A new one is added here.
func (r *Relay) adapters() []dispatch.Adapter {
	r.plans = plans.New(r.conversation, r.planOptions())
	r.turns = turns.New(r.turnOptions())
	r.rules = r.config.RuleSet().NewChain(r.ruleOptions())
	besideClient := versions.NewClient(r.versionOptions())
	r.agent = versions.NewAgent(r.versionOptions(), besideClient)
	adapters := []dispatch.Adapter{
		r.agent,
		repair.NewFallback(repair.FallbackOptions{
			Conversation: r.conversation,
			Own:          r.asked,
			IsOn:         r.repairs(func(c config.Config) bool { return c.Repair.Version }),
		}),
		opening.New(r.conversation, settings(r, func(c config.Config) opening.Settings {
			return opening.Settings{Hold: c.Opening.Hold, Repeat: c.Opening.Repeat}
		})),
		r.turns,
		repair.NewLoginCode(r.repairs(func(c config.Config) bool { return c.Repair.LoginCode })),
		login.New(r.loginOptions()),
		repair.NewMCP(r.repairs(func(c config.Config) bool { return c.Repair.MCPServers })),
		repair.NewMCPRefusal(r.conversation, r.opts.Events.WithoutMCP, r.repairs(func(c config.Config) bool { return c.Repair.MCPRefused })),
		repair.NewAuth(r.repairs(func(c config.Config) bool { return c.Repair.AuthMethods })),
		repair.NewCancel(r.conversation, r.repairs(func(c config.Config) bool { return c.Repair.Cancel })),
		repair.NewToolCalls(r.conversation, r.repairs(func(c config.Config) bool { return c.Repair.ToolCalls })),
		repair.NewAskedCalls(r.conversation, r.repairs(func(c config.Config) bool { return c.Repair.AskedCalls })),
		repair.NewDiffs(r.conversation, r.agentPaths(), r.repairs(func(c config.Config) bool { return c.Repair.Diffs })),
		repair.NewShellLines(runtime.GOOS, r.repairs(func(c config.Config) bool { return c.Repair.ShellLines })),
		paths.New(r.config.Paths), // what comes after it has the client's paths
		terminals.New(r.terminalOptions()),
		images.New(images.Options{
			IsOn:  settings(r, func(c config.Config) bool { return c.Images.Files }),
			Write: r.opts.WriteImage,
			Spell: r.agentPaths(),
		}),
		repair.NewTerminals(r.conversation, settings(r, func(c config.Config) string { return c.Repair.Terminals })),
		output.New(r.conversation, settings(r, func(c config.Config) output.Settings {
			return output.Settings{Terminals: c.Output.Terminals, Raw: c.Output.Raw}
		})),
		output.NewReport(r.conversation, settings(r, func(c config.Config) bool { return c.Output.Report })),
		repair.NewEcho(r.conversation, settings(r, func(c config.Config) repair.EchoSettings {
			return repair.EchoSettings{Prompts: c.Repair.Echo, Copies: c.Repair.Copies}
		})),
		repair.NewUsage(r.repairs(func(c config.Config) bool { return c.Repair.Usage })),
		permission.New(r.permissionOptions()),
		shape.New(r.conversation, settings(r, shapeSettings)),
		repair.NewOutcome(r.conversation, settings(r, func(c config.Config) repair.OutcomeSettings {
			return repair.OutcomeSettings{Refusals: c.Repair.Refusals, Dismiss: c.Repair.Dismiss}
		})),
		repair.NewOptionIDs(r.conversation, r.repairs(func(c config.Config) bool { return c.Repair.OptionIDs })),
		choices.New(choices.Options{
			Conversation: r.conversation,
			IsOn:         settings(r, func(c config.Config) bool { return c.Choices.Bridge }),
		}),
		commands.New(r.commandOptions()),
		filters.NewGatekeeper(settings(r, func(c config.Config) []string { return append(ClosedGates(c), c.Gate.Updates...) })),
		r.plans,
		repair.NewResume(r.conversation, r.repairs(func(c config.Config) bool { return c.Repair.Resume })),
		repair.NewLoad(r.conversation, settings(r, func(c config.Config) string { return c.Repair.Load })),
		dialect.New(func(client conversation.Implementation) bool {
			return r.configFor(client, conversation.Implementation{}).Plan.Bridge
		}),
		questions.New(questions.Options{
			Conversation: r.conversation,
			Own:          r.own,
			IsOn:         settings(r, func(c config.Config) bool { return c.Questions.Ask == "permission" }),
		}),
		files.New(r.fileOptions()),
		turns.NewLate(r.conversation, settings(r, func(c config.Config) string { return c.Turns.Late })),
		repair.NewVersion(r.repairs(func(c config.Config) bool { return c.Repair.Version })),
		besideClient,
	}
	if r.config.RulePlace() == rule.BesideAgent {
		return append([]dispatch.Adapter{r.rules}, adapters...)
	}
	return append(adapters, r.rules)
}

// repairs reports for two peers whether a repair is on.
func (r *Relay) repairs(on func(config.Config) bool) repair.IsOn { return settings(r, on) }

// settings returns what gives an adapter its part of the configuration for two peers.
func settings[T any](r *Relay, of func(config.Config) T) func(client, agent conversation.Implementation) T {
	return func(client, agent conversation.Implementation) T { return of(r.configFor(client, agent)) }
}

// Options are those of a run, but for its command and its streams.
func (r *Relay) Options() proxy.Options {
	return proxy.Options{
		FromClient: r.guarded.fromClient,
		FromAgent:  r.guarded.fromAgent,
		ToClient:   r.toClient,
		ToAgent:    r.toAgent,
		Restarts:   r.agent.Restarts,
		Restarted:  r.agent.Restarted,
		Busy:       r.conversation.Busy,
		HoldLimit:  r.config.Limits.InspectBytes,
		InputGrace: r.config.Shutdown.InputGrace,
		TermGrace:  r.config.Shutdown.TermGrace,
		Drain:      r.config.Shutdown.Drain,
	}
}

// Run keeps the plan files of a run as they are, until the context is done.
func (r *Relay) Run(ctx context.Context) { r.live.Run(ctx, r.plans) }

// Hits are the rules, and how often each matched.
func (r *Relay) Hits() []rule.Hit { return r.rules.Hits() }

// Junk is how many lines of junk were found. It may be called when the direction has ended.
func (r *Relay) Junk() int { return r.junk.Number() }

// Initializing reports whether the client has asked the agent to initialize and has no answer yet.
func (r *Relay) Initializing() bool {
	r.conversation.Lock()
	defer r.conversation.Unlock()
	return r.conversation.Awaits(conversation.Client, "initialize")
}

// FileRead returns the lines to the client that come of a plan file's text, by its path.
func (r *Relay) FileRead(path, text string) []byte {
	r.dispatcher.Make(r.plans, whyFileRead, func() (lines []byte) {
		for _, f := range r.plans.Files() {
			if of, err := planfile.Path(f.URI); err == nil && of == path {
				lines = r.plans.FileRead(lines, f, text, nil)
			}
		}
		return lines
	})
	shown, _ := r.fromAgent.Drain(nil)
	return shown
}

const whyFileRead = "a plan file was read"

// wake has the direction to a peer drained.
func (r *Relay) wake(to dispatch.Side) {
	if to == dispatch.Client {
		r.toClient.Wake()
	} else {
		r.toAgent.Wake()
	}
}

// inject has an adapter make lines to the client, and waits until it has. It reports whether
// produce was called.
func (r *Relay) inject(by dispatch.Adapter, why string, produce func() []byte) bool {
	made := make(chan struct{})
	if !r.dispatcher.Make(by, why, func() []byte {
		defer close(made)
		return produce()
	}) {
		return false
	}
	select {
	case <-made:
		return true
	case <-r.dispatcher.Closed(dispatch.Agent):
		return false
	}
}

// configFor is the configuration with the profiles for two peers.
func (r *Relay) configFor(client, agent conversation.Implementation) config.Config {
	client, agent = r.known(client, agent)
	r.latest.Lock()
	defer r.latest.Unlock()
	if peers := [2]conversation.Implementation{client, agent}; !r.latest.is || r.latest.peers != peers {
		r.latest.is, r.latest.peers = true, peers
		r.latest.config = r.config.For(rule.Peer(client), rule.Peer(agent))
	}
	return r.latest.config
}

// known returns the peers, or what the options say about a peer that does not name itself.
func (r *Relay) known(client, agent conversation.Implementation) (_, _ conversation.Implementation) {
	return conversation.Implementation(rule.Peer(client).Or(r.opts.Client)), conversation.Implementation(rule.Peer(agent).Or(r.opts.Agent))
}

// A peerConfig is the configuration that was asked for last: several adapters ask for the same.
type peerConfig struct {
	sync.Mutex
	is     bool
	peers  [2]conversation.Implementation
	config config.Config
}
