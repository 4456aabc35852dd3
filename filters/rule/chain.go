package rule

import (
	"sync"
	"sync/atomic"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// Place says where the rules stand among the adapters.
type Place int

const (
	// BesideClient: rules see the lines that the client sends and receives. A line of the client
	// meets the rules first, a line of the agent last.
	BesideClient Place = iota
	// BesideAgent: rules see the lines that the agent sends and receives.
	BesideAgent
)

// Options of a Chain. The zero value reports nothing.
type Options struct {
	Place Place

	// Conversation is the state of the connection. Nil makes a new one.
	Conversation *conversation.Conversation

	// Client and Agent describe the peers until they send their names.
	Client, Agent Peer

	// Switches turns rules on (true) and off (false), by name, for two peers. Rules that it does
	// not name are as they were compiled. A peer that is not known yet is the zero Peer. It is
	// called at the start and whenever the peers change. It must not block.
	Switches func(client, agent Peer) map[string]bool

	Events Events
}

// Events are for people who debug rules. Each may be nil. They are called from the goroutine of
// either direction, OtherVersion with the conversation's lock held. They must not block and must
// not keep the bytes.
type Events struct {
	Logged        func(rule string, from Side, message []byte) // a rule with log matches
	Failed        func(rule string, err error)                 // a rule failed; called once for each rule
	Unread        func(err error)                              // a held line cannot be read, so rules were not applied
	OtherVersion  func(rule string, version int)               // a rule is for another version than the negotiated one
	ReleasedEarly func(messages int)                           // there were too many held messages
	Step          func(Step)                                   // called for each rule and message; all lines are held then
}

// A Chain is an adapter that applies the rules to one connection. It is the last or the first
// adapter: see Place.
//
//   - Settles: Anything else: you can write rules that change messages.
//   - For: Any client or agent.
//   - Keys: rule, rules.place
//   - Read: agentclientprotocol/codex-acp#279
type Chain struct {
	dispatch.Base
	set          *Set
	opts         Options
	conversation *conversation.Conversation
	hits         []atomic.Int64
	failed       []sync.Once // by rule: Events.Failed was called

	// selections are, by side, the rules that can match its lines.
	selections [2]atomic.Pointer[selection]
	directions [2]*direction
	spent      [2]spending // by side, for the line that is handled

	releasable atomic.Bool // held messages may have to be released with the next line or Flush

	responseTo string // Known.ResponseTo

	facts facts
	on    []bool // by rule
	held  held
}

// NewChain returns a Chain for a connection.
func (s *Set) NewChain(opts Options) *Chain {
	if opts.Conversation == nil {
		opts.Conversation = conversation.New(conversation.Options{})
	}
	c := &Chain{
		set: s, opts: opts, conversation: opts.Conversation,
		hits:   make([]atomic.Int64, len(s.rules)),
		failed: make([]sync.Once, len(s.rules)),
		on:     make([]bool, len(s.rules)),
	}
	for _, side := range []Side{Client, Agent} {
		c.directions[side.Index()] = &direction{c: c, side: side}
	}
	c.choose()
	return c
}

// Name implements dispatch.Adapter. Changes are named after their rule instead.
func (c *Chain) Name() string { return "rules" }

// Corrects implements dispatch.Corrector.
func (c *Chain) Corrects(from dispatch.Side) bool {
	return (from == Client) == (c.opts.Place == BesideClient)
}

// Wants implements dispatch.Adapter.
func (c *Chain) Wants() []dispatch.Want {
	var wants []dispatch.Want
	for _, side := range []Side{Client, Agent} {
		sel := c.selections[side.Index()].Load()
		looks := len(sel.rules) > 0 || c.opts.Events.Step != nil
		wants = append(wants, dispatch.Want{From: side, Lines: looks, Sessions: sel.holds})
	}
	return wants
}

// Awaits implements dispatch.LineReader.
func (c *Chain) Awaits(from dispatch.Side, method string) bool {
	for _, r := range c.selections[from.Index()].Load().responses {
		if r.responseTo.match(method) {
			return true
		}
	}
	return false
}

// Observe implements dispatch.Observer: it selects the rules again when the peers change.
func (c *Chain) Observe(e conversation.Event) {
	if r := e.Request; e.Kind == conversation.RequestEnded && len(c.held.messages) > 0 && (r.Opens() || r.Creates()) {
		c.releasable.Store(true)
	}
	if e.Kind != conversation.PeersChanged {
		return
	}
	c.choose()
	version := c.facts.Version
	for i, r := range c.set.rules {
		if c.on[i] && c.facts.Agent != nil && version > 0 && r.protocol != 0 && r.protocol != version && c.opts.Events.OtherVersion != nil {
			c.opts.Events.OtherVersion(r.name, version)
		}
	}
}

// choose sets facts, on and selections.
func (c *Chain) choose() {
	c.facts = facts{c.conversation.Peers(), c.opts.Client, c.opts.Agent}
	var switches map[string]bool
	if c.opts.Switches != nil {
		switches = c.opts.Switches(peerOf(c.facts.Client), peerOf(c.facts.Agent))
	}
	for i, r := range c.set.rules {
		on, switched := switches[r.name]
		c.on[i] = switched && on || !switched && !r.off
	}
	for _, side := range []Side{Client, Agent} {
		c.selections[side.Index()].Store(c.set.selection(side, &c.facts, c.on))
	}
}

// excludes returns the key that keeps a rule from matching any line of a side, "off" if it is off,
// or "" if it can match.
func (c *Chain) excludes(r *compiledRule, side Side) string {
	if !c.on[r.index] {
		return "off"
	}
	return r.excludes(side, &c.facts)
}

// difference returns what a rule wants and what a message has instead.
func (c *Chain) difference(r *compiledRule, why string, m *message, side Side) (want, is string) {
	return r.difference(why, m, side, &c.facts)
}

// A Hit says how often a rule matched. Off says that it is off for these peers.
type Hit struct {
	Rule  string
	Count int64
	Off   bool
}

// Hits returns a Hit for each rule, in order. Call it while no adapter runs, as in
// [dispatch.Dispatcher.Do].
func (c *Chain) Hits() []Hit {
	hits := make([]Hit, len(c.hits))
	for i := range hits {
		hits[i] = Hit{c.set.rules[i].name, c.hits[i].Load(), !c.on[i]}
	}
	return hits
}

// fail reports that a rule failed, once for each rule.
func (c *Chain) fail(r *compiledRule, err error) {
	if c.opts.Events.Failed != nil {
		c.failed[r.index].Do(func() { c.opts.Events.Failed(r.name, err) })
	}
}
