package rule

import (
	"sync"
	"sync/atomic"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
)

// Place says on which side of the other adapters the rules stand.
type Place int

const (
	// BesideClient: rules see what the client sends and what it would get. A
	// line of the client meets the rules first, a line of the agent last.
	BesideClient Place = iota
	// BesideAgent: rules see what the agent sends and what it would get.
	BesideAgent
)

// Options of a Chain. The zero value reports to nobody.
type Options struct {
	Place Place

	// Conversation is what is known of the connection. Nil is a new one.
	Conversation *conversation.Conversation

	// Client and Agent are what is known about the peers until they name themselves.
	Client, Agent Peer

	// Switches says by name which rules are on, true, and off, false, for two
	// peers; the others are as they were compiled. A peer that is not known yet
	// is the zero Peer. It is called at the start and whenever initialize tells
	// more of the peers, with the conversation's lock held; it must not block.
	Switches func(client, agent Peer) map[string]bool

	Events Events
}

// Events report what a person who debugs wants to know; each may be nil. They are called from the
// goroutine of either direction, OtherVersion with the conversation's lock held. They must not
// block and must not keep the bytes.
type Events struct {
	Logged        func(rule string, from Side, message []byte) // the log of a rule
	Failed        func(rule string, err error)                 // a rule was not carried out; told once a rule
	Unread        func(err error)                              // a line that was held is no clear message, and no rule was applied
	OtherVersion  func(rule string, version int)               // a rule is for another version of the protocol than was negotiated
	ReleasedEarly func(messages int)                           // too many were held, these were let go before the response
	Step          func(Step)                                   // each rule and message, for an explanation: all lines are then held
}

// A Chain is the rules of one connection. It is an adapter, the last one or the first: see Place.
//
//   - Settles: Any other disagreement, by rules that you write. Two are shipped: the commands of
//     a session wait for the response that opens it, and models are not listed twice.
//   - For: JetBrains' IDEs, and whoever you write a rule for.
//   - Keys: rule, rules.place
//   - Read: blowmage/cursor-agent-acp-npm#33, agentclientprotocol/codex-acp#279
type Chain struct {
	dispatch.Base
	set          *Set
	opts         Options
	conversation *conversation.Conversation
	hits         []atomic.Int64
	failed       []sync.Once // of each rule: Events.Failed is called

	// selections are, for each side, the rules that can match its lines as far as facts and
	// switches are known.
	selections [2]atomic.Pointer[selection]
	directions [2]*direction
	spent      [2]spending // what rules may still take for the line of each side that is handled

	releasable atomic.Bool // held messages may be free: release is due with the next line or Flush

	responseTo string // the method that a response answers whose request is not known: Known.ResponseTo

	// The fields below are protected by the conversation's lock.
	facts facts
	on    []bool // of each rule
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
	c.conversation.Lock()
	defer c.conversation.Unlock()
	c.choose()
	return c
}

// Name implements dispatch.Adapter. What is changed is named by its rule.
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

// Observe implements dispatch.Observer: which rules can apply is chosen anew when more is known of
// the peers.
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

// choose sets facts, on and selections by what is known of the peers. The lock is held.
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

// excludes returns why a rule is about no line of that side for now, as a key of it or "off"; "" if
// it may be about some. The lock is not held.
func (c *Chain) excludes(r *compiled, side Side) string {
	c.conversation.Lock()
	defer c.conversation.Unlock()
	if !c.on[r.index] {
		return "off"
	}
	return r.excludes(side, &c.facts)
}

// difference is that of the rule, with what is known now.
func (c *Chain) difference(r *compiled, why string, m *message, side Side) (want, is string) {
	c.conversation.Lock()
	defer c.conversation.Unlock()
	return r.difference(why, m, side, &c.facts)
}

// A Hit is a rule and how often it matched. Off says that it is off for the peers that are known.
type Hit struct {
	Rule  string
	Count int64
	Off   bool
}

// Hits returns all rules in their order. It may be called from any goroutine.
func (c *Chain) Hits() []Hit {
	c.conversation.Lock()
	defer c.conversation.Unlock()
	hits := make([]Hit, len(c.hits))
	for i := range hits {
		hits[i] = Hit{c.set.rules[i].name, c.hits[i].Load(), !c.on[i]}
	}
	return hits
}

// fail reports once that a rule was not carried out.
func (c *Chain) fail(r *compiled, err error) {
	if c.opts.Events.Failed != nil {
		c.failed[r.index].Do(func() { c.opts.Events.Failed(r.name, err) })
	}
}
