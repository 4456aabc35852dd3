// Package relay builds the chain of adapters for a configuration: for a run, for transcripts, and
// for records that are replayed. [Options] say what differs. It moves no bytes: package proxy does.
package relay

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/adapters/files"
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/planfile"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
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
	NoLogin    func()                                                     // see repair.NewAuthenticate
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
	restart     chan struct{} // asks for a new agent; nil if the agent is never restarted
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
