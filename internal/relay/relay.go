// Package relay makes the chain that a configuration describes, once: for a run, for transcripts,
// and for records that are played again. What differs is in [Options].
package relay

import (
	"cmp"
	"context"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/planfile"
	"acpshim/internal/wire"
	"acpshim/proxy"
)

// Options say how a chain differs from that of a configuration alone. The zero value reads plan
// files from the disk, sends replies into the streams of a run, and reports nothing.
type Options struct {
	// ClientName and AgentName are what the two are called until they name themselves.
	ClientName, AgentName string

	// ReadFile reads plan files in place of the disk and the client, without waiting for them.
	ReadFile func(uri string, roots []string) (string, error)

	// Reply takes the replies of rules in place of the streams of a run.
	Reply func(rule string, to rule.Side, line []byte) bool

	// Aside takes junk that is moved aside. It must neither block nor keep the bytes.
	Aside func(line []byte)

	Events Events
}

// Events are told what a person who debugs wants to know; each may be nil but Panicked.
type Events struct {
	Plans    filters.Events
	Rules    rule.Events
	Junk     func(policy filters.JunkPolicy, line []byte, n int) // each line of junk and its number, from 1
	Panicked func(reason any, stack []byte)
	GaveUp   func() // see planfile.LiveOptions
}

// A Relay is the chain of one connection.
type Relay struct {
	config config.Config
	opts   Options

	fromClient, fromAgent wire.Interceptor
	toClient, toAgent     *proxy.Injector

	conversation *filters.Conversation
	junk         *filters.Junk
	rules        *rule.Chain
	live         *planfile.Live
	show         producer
}

// A producer appends what rules leave of the lines that produce appends.
type producer = func(dst []byte, produce func([]byte) []byte) (out []byte, by []string)

// New makes a chain. Its two directions, FromClient and FromAgent of [Relay.Options], are each for
// one goroutine.
func New(c config.Config, o Options) *Relay {
	r := &Relay{config: c, opts: o}
	r.toClient, r.toAgent = proxy.NewInjector(o.Events.Panicked), proxy.NewInjector(o.Events.Panicked)
	r.rules = c.RuleSet().NewChain(r.ruleOptions())
	r.show = r.producer()
	r.live = planfile.NewLive(planfile.LiveOptions{
		Inject: func(produce func([]byte) []byte) bool {
			return r.toClient.Inject(func(dst []byte) ([]byte, []string) { return r.show(dst, produce) })
		},
		GaveUp: o.Events.GaveUp,
	})
	r.conversation = filters.New(r.filterOptions())
	r.junk = &filters.Junk{
		Next:   r.rules.FromAgent(r.conversation.FromAgent()),
		Policy: filters.JunkPolicy(c.Junk),
		Aside:  o.Aside,
	}
	if o.Events.Junk != nil {
		r.junk.Found = func(line []byte, n int) { o.Events.Junk(r.junk.Policy, line, n) }
	}
	r.fromAgent = proxy.Guard(r.junk, o.Events.Panicked)
	// Own responses are taken out behind a mistake, too.
	guarded := proxy.Guard(r.rules.FromClient(r.conversation.FromClient()), o.Events.Panicked)
	r.fromClient = proxy.Guard(r.conversation.OwnResponses(guarded), o.Events.Panicked)
	return r
}

// Options are those of a run, but for its command and its streams.
func (r *Relay) Options() proxy.Options {
	return proxy.Options{
		FromClient: r.fromClient,
		FromAgent:  r.fromAgent,
		ToClient:   r.toClient,
		ToAgent:    r.toAgent,
		Busy:       r.conversation.Busy,
		HoldLimit:  r.config.Limits.InspectBytes,
		InputGrace: r.config.Shutdown.InputGrace,
		TermGrace:  r.config.Shutdown.TermGrace,
		Drain:      r.config.Shutdown.Drain,
	}
}

// Run keeps the plan files of a run as they are, until the context is done.
func (r *Relay) Run(ctx context.Context) { r.live.Run(ctx, r.conversation) }

// Hits are the rules, and how often each matched.
func (r *Relay) Hits() []rule.Hit { return r.rules.Hits() }

// Junk is how many lines of junk were found. It may be called when the direction has ended.
func (r *Relay) Junk() int { return r.junk.Number() }

// OwnID begins the ids of the requests that are sent to the client.
func (r *Relay) OwnID() string { return r.live.Requests().Prefix }

// FileRead returns the lines to the client that come of a plan file's text, by its path.
func (r *Relay) FileRead(path, text string) []byte {
	shown, _ := r.show(nil, func(lines []byte) []byte {
		for _, f := range r.conversation.Files() {
			if of, err := planfile.Path(f.URI); err == nil && of == path {
				lines = r.conversation.FileRead(lines, f, text, nil)
			}
		}
		return lines
	})
	return shown
}

// reply sends what a rule replies.
func (r *Relay) reply(name string, to rule.Side, line []byte) bool {
	switch {
	case r.opts.Reply != nil:
		return r.opts.Reply(name, to, line)
	case to == rule.Agent:
		return r.toAgent.Put(line, name, r.toClient)
	}
	return r.toClient.Put(line, name, r.toAgent)
}

// configFor is the configuration with the profiles for two peers.
func (r *Relay) configFor(client, agent rule.Peer) config.Config {
	client.Name = cmp.Or(client.Name, r.opts.ClientName)
	agent.Name = cmp.Or(agent.Name, r.opts.AgentName)
	return r.config.For(client, agent)
}
