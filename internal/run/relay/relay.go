// Package relay builds the chain of adapters for a configuration: for a run, for transcripts, and
// for records that are replayed. [Options] say what differs.
package relay

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"acpshim/filters"
	"acpshim/filters/permission"
	"acpshim/filters/rule"
	"acpshim/internal/adapters/choices"
	"acpshim/internal/adapters/commands"
	"acpshim/internal/adapters/deadlines"
	"acpshim/internal/adapters/files"
	"acpshim/internal/adapters/images"
	"acpshim/internal/adapters/instructions"
	"acpshim/internal/adapters/login"
	"acpshim/internal/adapters/opening"
	"acpshim/internal/adapters/output"
	"acpshim/internal/adapters/paths"
	"acpshim/internal/adapters/questions"
	"acpshim/internal/adapters/repair"
	"acpshim/internal/adapters/shape"
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/adapters/turns"
	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/planfile"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
	"acpshim/translate/dialect"
	"acpshim/translate/plans"
)

// Options of a Relay. The zero value reads plan files from the disk, sends replies into the streams
// of a run, and reports nothing.
type Options struct {
	// Client and Agent describe the peers until they send their names.
	Client, Agent rule.Peer

	// ReadFile reads plan files, and the file of prompt.instructions, instead of the disk and the
	// client. It must not wait.
	ReadFile func(uri string, roots []string) (string, error)

	// OwnID begins the ids of acpshim's own requests, instead of random bits.
	OwnID string

	// WriteImage writes images of prompts to files; see images.Options.
	WriteImage func(extension string, image []byte) (path string, err error)

	// StartCommand starts commands of the agent; see terminals.Options.
	StartCommand func(terminals.Command, terminals.Events)

	// Disk reads and writes files for the agent. If it is nil, services.fs does nothing.
	Disk files.Disk

	// CanRestart says that the agent can be started again, as [Relay.Options] say. If it AsksOnce,
	// that is needed for each initialize: see versions.Options.
	CanRestart, AsksOnce bool

	// Command names the agent for people. LastLine returns the last line of its standard error; it
	// may be nil, and may take long.
	Command  string
	LastLine func() string

	// Aside takes junk that is moved to standard error. It must neither block nor keep the bytes.
	Aside func(line []byte)

	Events Events
}

// Events are for people who debug. Each may be nil, except Panicked.
type Events struct {
	Plans      plans.Events
	Rules      rule.Events
	Unread     func(err error)                                     // see dispatch.Events
	Evicted    func(what string)                                   // see conversation.Options
	Junk       func(policy filters.JunkPolicy, line []byte, n int) // gets each junk line and its number, from 1
	Answered   func(rule, option, title string)                    // see permission.Options
	Permission func(rule.Step)                                     // see permission.Options.Step
	Panicked   func(reason any, stack []byte)
	Silent     func(session string, wait time.Duration, isCancelled bool) // see deadlines.Options
	Files      func(r files.Request, err error)                           // see files.Options
	Bridged    func(client, agent int)                                    // see versions.Options
	WithoutMCP func(refusal string)                                       // see repair.NewMCPRefusal
	GaveUp     func()                                                     // see planfile.LiveOptions
}

// A Relay is the chain of adapters of one connection.
type Relay struct {
	config config.Config
	opts   Options
	latest peerConfig

	conversation      *conversation.Conversation
	dispatcher        *dispatch.Dispatcher
	fromAgent         *dispatch.Direction
	guarded           struct{ fromClient, fromAgent wire.Interceptor }
	toClient, toAgent *proxy.Injector

	ownToClient *dispatch.OwnRequests
	ownToAgent  *dispatch.OwnRequests
	junk        *filters.Junk
	plans       *plans.Adapter
	agent       *versions.Agent
	rules       *rule.Chain
	restart     chan struct{} // asks for a new agent; nil if there is none
	live        *planfile.Live
	isEarly     atomic.Bool // see EndedEarly
}

// New returns a Relay. FromClient and FromAgent of [Relay.Options] are each for one goroutine.
func New(c config.Config, o Options) *Relay {
	r := &Relay{config: c, opts: o}
	if o.CanRestart {
		r.restart = make(chan struct{}, 1)
	}
	r.toClient, r.toAgent = proxy.NewInjector(), proxy.NewInjector()
	r.conversation = conversation.New(conversation.Options{MaxBytes: c.Limits.StateBytes, Evicted: o.Events.Evicted})
	r.ownToClient = dispatch.NewOwnRequests(o.OwnID)
	r.ownToAgent = dispatch.NewOwnRequests(r.ownToClient.Prefix())
	r.live = planfile.NewLive(planfile.LiveOptions{
		Own: r.ownToClient,
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
		Own:      r.ownToClient, OwnToAgent: r.ownToAgent,
		Junk: r.junk, Wake: r.wake,
		Events: dispatch.Events{Unread: o.Events.Unread, Panicked: o.Events.Panicked},
	})
	r.dispatcher, r.fromAgent = d, d.FromAgent()
	// The dispatcher guards each adapter, and is guarded itself here. If it fails, its fallback
	// still removes responses to acpshim's own requests.
	fallback := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Own: r.ownToClient, OwnToAgent: r.ownToAgent})
	r.guarded.fromAgent = proxy.Guard(r.fromAgent, fallback.FromAgent(), o.Events.Panicked)
	r.guarded.fromClient = proxy.Guard(d.FromClient(), fallback.FromClient(), o.Events.Panicked)
	return r
}

// adapters returns all adapters, from the agent to the client. Add a new one here.
func (r *Relay) adapters() []dispatch.Adapter {
	r.plans = plans.New(r.conversation, r.planOptions())
	r.rules = r.config.RuleSet().NewChain(r.ruleOptions())
	besideClient, early := versions.NewClient(r.versionOptions()), versions.NewEarly(r.versionOptions())
	r.agent = versions.NewAgent(r.versionOptions(), besideClient, early)
	deadline := deadlines.New(r.deadlineOptions())
	logins := login.New(r.conversation, r.ownToAgent, settings(r, func(c config.Config) string { return c.Login.Method }))
	logins.Waits = deadline.Pause
	adapters := []dispatch.Adapter{
		r.agent,
		deadline, // it hears all that the agent sends
		opening.New(r.conversation, settings(r, func(c config.Config) opening.Settings {
			return opening.Settings{Hold: c.Opening.Hold, Repeat: c.Opening.Repeat}
		})),
		instructions.New(r.conversation, settings(r, r.instructions)),
		turns.New(r.conversation, settings(r, func(c config.Config) turns.Settings {
			return turns.Settings{Queue: c.Turns.Queue, CancelGrace: c.Turns.CancelGrace}
		})),
		repair.NewLoginCode(settings(r, func(c config.Config) bool { return c.Repair.LoginCode })),
		logins,
		repair.NewMCP(settings(r, func(c config.Config) bool { return c.Repair.MCPServers })),
		repair.NewMCPRefusal(r.conversation, r.opts.Events.WithoutMCP, settings(r, func(c config.Config) bool { return c.Repair.MCPRefused })),
		repair.NewAuth(settings(r, func(c config.Config) bool { return c.Repair.AuthMethods })),
		repair.NewCancel(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.Cancel })),
		repair.NewToolCalls(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.ToolCalls })),
		repair.NewAskedCalls(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.AskedCalls })),
		repair.NewDiffs(r.conversation, r.agentPaths(), settings(r, func(c config.Config) bool { return c.Repair.Diffs })),
		repair.NewShellLines(runtime.GOOS, settings(r, func(c config.Config) bool { return c.Repair.ShellLines })),
		paths.New(r.config.Paths), // the adapters below see the client's paths
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
		repair.NewUsage(settings(r, func(c config.Config) bool { return c.Repair.Usage })),
		permission.New(r.permissionOptions()),
		shape.New(r.conversation, settings(r, shapeSettings)),
		repair.NewOutcome(r.conversation, settings(r, func(c config.Config) repair.OutcomeSettings {
			return repair.OutcomeSettings{Refusals: c.Repair.Refusals, Dismiss: c.Repair.Dismiss}
		})),
		repair.NewOptionIDs(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.OptionIDs })),
		choices.New(r.conversation, r.ownToAgent, settings(r, func(c config.Config) bool { return c.Choices.Bridge })),
		commands.New(r.conversation, r.commands),
		filters.NewGatekeeper(settings(r, func(c config.Config) []string { return append(ClosedGates(c), c.Gate.Updates...) })),
		r.plans,
		repair.NewResume(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.Resume })),
		repair.NewLoad(r.conversation, settings(r, func(c config.Config) string { return c.Repair.Load })),
		dialect.New(func(client conversation.Implementation) bool {
			return r.configFor(client, conversation.Implementation{}).Plan.Bridge
		}),
		questions.New(r.conversation, r.ownToClient, settings(r, func(c config.Config) bool { return c.Questions.Ask == "permission" })),
		files.New(r.fileOptions()),
		turns.NewLate(r.conversation, settings(r, func(c config.Config) string { return c.Turns.Late })),
		repair.NewMessageBreaks(r.conversation, func(client, agent conversation.Implementation) bool {
			// The agent's side of a bridge separates messages, and a client of version 2 knows ids.
			return !r.agent.IsOn() && !besideClient.IsOn() && r.configFor(client, agent).Repair.MessageBreaks
		}),
		repair.NewVersion(settings(r, func(c config.Config) bool { return c.Repair.Version })),
		besideClient,
		early,
	}
	if r.config.RulePlace() == rule.BesideAgent {
		return append([]dispatch.Adapter{r.rules}, adapters...)
	}
	return append(adapters, r.rules)
}

// settings returns an adapter's part of the configuration for two peers.
func settings[T any](r *Relay, of func(config.Config) T) func(client, agent conversation.Implementation) T {
	return func(client, agent conversation.Implementation) T { return of(r.configFor(client, agent)) }
}

// Options returns the options of a run, without its command and its streams.
func (r *Relay) Options() proxy.Options {
	o := proxy.Options{
		FromClient: r.guarded.fromClient,
		FromAgent:  r.guarded.fromAgent,
		ToClient:   r.toClient,
		ToAgent:    r.toAgent,
		Owes:       r.dispatcher.Owes,
		Busy:       r.busy,
		HoldLimit:  r.config.Limits.InspectBytes,
		InputGrace: r.config.Shutdown.InputGrace,
		TermGrace:  r.config.Shutdown.TermGrace,
		Drain:      r.config.Shutdown.Drain,
	}
	if r.restart != nil {
		o.Restart, o.Restarts, o.Restarted = r.restart, r.agent.Restarts, r.agent.Restarted
	}
	return o
}

// askToRestart asks for a new agent, unless that was asked already.
func (r *Relay) askToRestart() {
	select {
	case r.restart <- struct{}{}:
	default:
	}
}

// Run keeps plan files up to date until the context is done.
func (r *Relay) Run(ctx context.Context) { r.live.Run(ctx, r.plans) }

// Hits returns all rules, and how often each matched.
func (r *Relay) Hits() (hits []rule.Hit) {
	r.dispatcher.Do(func() { hits = r.rules.Hits() })
	return hits
}

// Junk returns how many lines of junk were found. It may be called when the agent's direction has
// ended.
func (r *Relay) Junk() int { return r.junk.Number() }

// busy reports whether a prompt is pending.
func (r *Relay) busy() (is bool) {
	r.dispatcher.Do(func() { is = r.conversation.Busy() })
	return is
}

// FileRead returns the lines for the client after a plan file was read. Path and text are those of
// the file.
func (r *Relay) FileRead(path, text string) []byte {
	files := r.plans.Files()
	r.dispatcher.Make(r.plans, whyFileRead, func() (lines []byte) {
		for _, f := range files {
			if of, err := planfile.Path(f.URI); err == nil && of == path {
				lines = r.plans.FileRead(lines, f, text, nil)
			}
		}
		return lines
	})
	lines, _ := r.fromAgent.Drain(nil)
	return lines
}

var whyFileRead = wire.Reason{Code: "relay.plan-file-read", Text: "a plan file was read"}

// wake drains the direction of a side's lines.
func (r *Relay) wake(from dispatch.Side) {
	if from == dispatch.Agent {
		r.toClient.Wake()
	} else {
		r.toAgent.Wake()
	}
}

// inject lets an adapter make lines for the client, and waits until it has. It returns false if the
// direction has ended before.
func (r *Relay) inject(by dispatch.Adapter, why wire.Reason, produce func() []byte) bool {
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

// configFor returns the configuration for two peers, with their profiles.
func (r *Relay) configFor(client, agent conversation.Implementation) config.Config {
	client, agent = r.known(client, agent)
	r.latest.Lock()
	defer r.latest.Unlock()
	if peers := [2]conversation.Implementation{client, agent}; !r.latest.isSet || r.latest.peers != peers {
		r.latest.isSet, r.latest.peers = true, peers
		r.latest.config = r.config.For(rule.Peer(client), rule.Peer(agent))
	}
	return r.latest.config
}

// known returns the peers. Options describe a peer without a name.
func (r *Relay) known(client, agent conversation.Implementation) (_, _ conversation.Implementation) {
	return conversation.Implementation(rule.Peer(client).Or(r.opts.Client)), conversation.Implementation(rule.Peer(agent).Or(r.opts.Agent))
}

// A peerConfig caches the last result of configFor, because several adapters ask for the same.
type peerConfig struct {
	sync.Mutex
	isSet  bool
	peers  [2]conversation.Implementation
	config config.Config
}
